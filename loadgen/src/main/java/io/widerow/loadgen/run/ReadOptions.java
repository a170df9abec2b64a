package io.widerow.loadgen.run;

import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.wire.HttpText;
import io.widerow.loadgen.workload.Scenario;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The options for queries during a run.
public final class ReadOptions {
  @Option(
      names = "--read",
      paramLabel = "WHAT=RATE",
      description =
          "queries a second while writing, on a fixed schedule: latest (100), range (the"
              + " newest 10,000), filter (the newest 20 of a word), count (by --by and --every,"
              + " of the newest --over); repeatable")
  private List<String> reads = new ArrayList<>();

  @Option(
      names = "--by",
      paramLabel = "FIELD",
      description = "field that --read count counts by (default region for metrics, else type)")
  private @Nullable String by;

  @Option(
      names = "--every",
      defaultValue = "1m",
      paramLabel = "TIME",
      description = "step of time that --read count counts by")
  private String every = "";

  @Option(
      names = "--over",
      defaultValue = "1m",
      paramLabel = "TIME",
      description = "how much of the newest events' time --read count reads")
  private String over = "";

  /// @param what kind of query
  /// @param perSecond rate
  public record Read(Kind what, double perSecond) {}

  /// The kinds of queries.
  enum Kind {
    LATEST("&order=desc&limit=100"),
    RANGE("&order=desc&limit=10000"),
    FILTER("&order=desc&limit=20&where=" + HttpText.encoded("body contains \"404\"")),
    /// Its parameters change as time goes on, see [GroupCounts].
    COUNT("");

    private final String parameters;

    Kind(String parameters) {
      this.parameters = parameters;
    }

    /// @param types as the query's parameter has them
    String path(String types) {
      return "/v1/query?format=csv&type=" + types + parameters;
    }
  }

  public List<Read> reads() {
    return reads.stream().map(ReadOptions::read).toList();
  }

  public GroupOptions groups(Scenario scenario) {
    return new GroupOptions(
        by == null ? scenario.groupField : by,
        Quantity.nanos("--every", every),
        Quantity.nanos("--over", over));
  }

  private static Read read(String text) {
    int equals = text.indexOf('=');
    for (Kind kind : Kind.values()) {
      if (equals > 0 && kind.name().equalsIgnoreCase(text.substring(0, equals))) {
        try {
          double perSecond = Double.parseDouble(text.substring(equals + 1));
          if (perSecond > 0 && perSecond <= 100_000) {
            return new Read(kind, perSecond);
          }
        } catch (NumberFormatException notANumber) {
          break;
        }
      }
    }
    throw new IllegalArgumentException(
        "--read is latest, range, filter or count and a rate, such as latest=10; got '"
            + text
            + "'");
  }
}
