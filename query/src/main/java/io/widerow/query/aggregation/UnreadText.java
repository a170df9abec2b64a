package io.widerow.query.aggregation;

import io.widerow.event.PartitionKey;
import io.widerow.query.QueryException;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.output.Rfc3339;
import io.widerow.query.output.TextWriter;
import io.widerow.storage.Damage;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.ScanWatch.Unread;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Damaged parts that aggregates lack, as results report them: a JSON line each, a header, a
/// sentence.
///
/// ```
/// {"damage":"00000000000001a7.seg","what":"block","offset":8192,"found":"..","events":984,
///  "partition":"2026-11-24T17|auth|2","first":"2026-11-24T17:03:..","last":"2026-11-24T17:41:.."}
/// ```
public final class UnreadText {
  private static final String DAMAGE = "damage";
  private static final List<String> MEMBERS =
      List.of(DAMAGE, "what", "offset", "found", "events", "partition", "first", "last");
  private static final String BEGIN = "{\"damage\":";

  private UnreadText() {}

  /// Writes a line for each part.
  public static void lines(List<Unread> parts, OutputBuffer out) {
    for (Unread part : parts) {
      text(BEGIN, part.name(), out);
      text(",\"what\":", what(part), out);
      out.put(",\"offset\":" + part.offset());
      text(",\"found\":", part.found(), out);
      boolean counted = part.events() != PartitionInfo.EVENTS_UNKNOWN;
      out.put(",\"events\":" + (counted ? part.events() : null));
      PartitionKey partition = part.partition();
      if (partition == null) {
        out.put(",\"partition\":null");
      } else {
        text(",\"partition\":", partition.toString(), out);
      }
      text(",\"first\":", time(part.firstNanos(), ZoneOffset.UTC), out);
      text(",\"last\":", time(part.lastNanos(), ZoneOffset.UTC), out);
      out.put("}\n");
    }
  }

  private static void text(String before, String value, OutputBuffer out) {
    out.put(before + '"');
    out.putJson(value);
    out.put("\"");
  }

  private static String what(Unread part) {
    return part.kind().name().toLowerCase(Locale.ROOT);
  }

  private static String time(long nanos, ZoneId zone) {
    OutputBuffer text = new OutputBuffer(64);
    new Rfc3339(zone).put(nanos, text);
    return text.toString();
  }

  /// The value of the header `widerow-damage`: the number of parts, and the times between which the
  /// aggregates may lack events.
  ///
  /// @param parts at least one
  public static String header(List<Unread> parts) {
    long first = parts.stream().mapToLong(Unread::firstNanos).min().orElseThrow();
    long last = parts.stream().mapToLong(Unread::lastNanos).max().orElseThrow();
    return "parts=%d first=%s last=%s"
        .formatted(parts.size(), time(first, ZoneOffset.UTC), time(last, ZoneOffset.UTC));
  }

  /// For people.
  public static String sentence(Unread part, ZoneId zone) {
    boolean counted = part.events() != PartitionInfo.EVENTS_UNKNOWN;
    return TextWriter.escaped(
        "%s: corrupt at byte %d: %s; %s %s, between %s and %s"
            .formatted(
                part.name(),
                part.offset(),
                part.found(),
                counted
                    ? String.format(Locale.ROOT, "up to %,d events of", part.events())
                    : "events of",
                part.partition() == null ? "unknown partitions" : "partition " + part.partition(),
                time(part.firstNanos(), zone),
                time(part.lastNanos(), zone)));
  }

  /// True for a line that [#lines] has written.
  public static boolean isLine(String line) {
    return line.startsWith(BEGIN);
  }

  /// A part as [#lines] writes it; null for another line.
  ///
  /// @throws QueryException.Remote when the line makes no sense
  public static @Nullable Unread parse(List<Map.Entry<String, Cell>> members) {
    Map<String, Cell> named = new HashMap<>();
    members.forEach(member -> named.put(member.getKey(), member.getValue()));
    if (!named.keySet().containsAll(MEMBERS)) {
      return null;
    }
    Function<String, Cell> cell = name -> named.getOrDefault(name, Cell.MISSING);
    try {
      Cell partition = cell.apply("partition");
      Cell events = cell.apply("events");
      return new Unread(
          Damage.Kind.valueOf(cell.apply("what").text().toUpperCase(Locale.ROOT)),
          cell.apply(DAMAGE).text(),
          Long.parseLong(cell.apply("offset").text()),
          cell.apply("found").text(),
          partition.kind() == Cell.Kind.MISSING ? null : PartitionKey.parse(partition.text()),
          events.kind() == Cell.Kind.MISSING
              ? PartitionInfo.EVENTS_UNKNOWN
              : Long.parseLong(events.text()),
          nanos(cell.apply("first").text()),
          nanos(cell.apply("last").text()));
    } catch (IllegalArgumentException | DateTimeParseException notOurs) {
      throw new QueryException.Remote(
          "the daemon's report of damage is invalid: " + TextWriter.escaped(members.toString()));
    }
  }

  private static long nanos(String text) {
    Instant time = Instant.parse(text);
    return time.getEpochSecond() * 1_000_000_000L + time.getNano();
  }
}
