package io.widerow.query.result;

import io.widerow.query.QueryException;
import io.widerow.query.RangePlan;
import io.widerow.query.RangeReader;
import io.widerow.query.json.JsonException;
import io.widerow.query.json.JsonNode;
import io.widerow.query.output.TextWriter;
import io.widerow.storage.ScanStatistics;
import io.widerow.storage.StoreView;
import org.jspecify.annotations.Nullable;

/// The cost of a complete result, which `explain` shows.
///
/// @param plan the size of the whole plan
/// @param groupsOpened number of groups of the plan that were opened
/// @param scan the statistics of the scans
/// @param requests requests for segments that are kept elsewhere
/// @param fetched bytes of them
/// @param nanos time since the query arrived
public record ReadCost(
    RangePlan.Size plan,
    int groupsOpened,
    ScanStatistics scan,
    long requests,
    long fetched,
    long nanos) {
  private static final long NANOS_PER_MICRO = 1_000;
  private static final long NANOS_PER_MILLI = 1_000_000;

  /// The cost of a reader that has come to its end, or has read nothing yet.
  ///
  /// @param nanos time since the query arrived
  public static ReadCost of(RangeReader reader, long nanos) {
    return new ReadCost(
        reader.planSize(),
        reader.groupsOpened(),
        reader.statistics(),
        reader.fetches().requests(),
        reader.fetches().bytes(),
        nanos);
  }

  /// A line of JSON, without its line feed.
  public String json() {
    return ("{\"explain\":{\"partitions\":%d,\"groups\":%d,\"opened\":%d,\"blocks\":%d,"
            + "\"bytes\":%d,\"skipped\":%d,\"scanned\":%d,\"kept\":%d,\"micros\":%d%s}}")
        .formatted(
            plan.partitions(),
            plan.groups(),
            groupsOpened,
            scan.blocksRead(),
            scan.bytesRead(),
            scan.blocksSkipped(),
            scan.eventsScanned(),
            scan.eventsKept(),
            nanos / NANOS_PER_MICRO,
            hasCold() ? ",\"cold\":" + coldJson() : "");
  }

  private boolean hasCold() {
    return plan.elsewhere().segments() > 0 || requests > 0;
  }

  private String coldJson() {
    return ("{\"segments\":%d,\"requestsMax\":%d,\"bytesMax\":%d,\"requests\":%d,"
            + "\"bytes\":%d}")
        .formatted(
            plan.elsewhere().segments(),
            plan.elsewhere().requests(),
            plan.elsewhere().bytes(),
            requests,
            fetched);
  }

  /// Reads what [#json] writes; members that an older daemon does not send are 0.
  ///
  /// @throws QueryException.Remote when it is anything else
  public static ReadCost parse(String line) {
    try {
      JsonNode explain = member(JsonNode.parse(line, JsonNode.DEPTH_MAX, _ -> {}), "explain");
      JsonNode cold = member(explain, "cold");
      var elsewhere =
          new StoreView.Elsewhere(
              (int) whole(cold, "segments"),
              0,
              whole(cold, "requestsMax"),
              whole(cold, "bytesMax"));
      var plan =
          new RangePlan.Size(
              (int) whole(explain, "groups"), (int) whole(explain, "partitions"), elsewhere);
      var scan =
          new ScanStatistics(
              whole(explain, "blocks"),
              whole(explain, "skipped"),
              whole(explain, "bytes"),
              whole(explain, "scanned"),
              whole(explain, "kept"));
      return new ReadCost(
          plan,
          (int) whole(explain, "opened"),
          scan,
          whole(cold, "requests"),
          whole(cold, "bytes"),
          whole(explain, "micros") * NANOS_PER_MICRO);
    } catch (JsonException | NumberFormatException wrong) {
      throw new QueryException.Remote(
          "the response of the daemon has invalid statistics: " + TextWriter.escaped(line));
    }
  }

  private static @Nullable JsonNode member(@Nullable JsonNode of, String name) {
    return of == null || of.members() == null ? null : of.members().get(name);
  }

  private static long whole(@Nullable JsonNode of, String name) {
    JsonNode value = member(of, name);
    return value == null ? 0 : Long.parseLong(value.toString());
  }

  /// For people: what the range has elsewhere, and what was fetched; null when nothing is there.
  public @Nullable String coldText() {
    StoreView.Elsewhere all = plan.elsewhere();
    return hasCold()
        ? "cold: %d segments, at most %d requests for %d bytes; fetched: %d requests, %d bytes"
            .formatted(all.segments(), all.requests(), all.bytes(), requests, fetched)
        : null;
  }

  /// For people: what would be read, one or two lines, without the last line feed.
  public String planText() {
    String cold = coldText();
    return "plan: %d partitions in %d groups".formatted(plan.partitions(), plan.groups())
        + (cold == null ? "" : System.lineSeparator() + cold);
  }

  /// For people: three lines, and one of cold segments, without the last line feed.
  public String text() {
    String cold = coldText();
    return "plan: %d partitions in %d groups, %d groups opened%n"
            .formatted(plan.partitions(), plan.groups(), groupsOpened)
        + "read: %d blocks, %d bytes; skipped: %d blocks%n"
            .formatted(scan.blocksRead(), scan.bytesRead(), scan.blocksSkipped())
        + "events: %d scanned, %d kept; %d ms"
            .formatted(scan.eventsScanned(), scan.eventsKept(), nanos / NANOS_PER_MILLI)
        + (cold == null ? "" : System.lineSeparator() + cold);
  }
}
