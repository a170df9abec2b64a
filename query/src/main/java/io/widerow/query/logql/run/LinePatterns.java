package io.widerow.query.logql.run;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.event.Level;
import io.widerow.query.RangeQuery;
import io.widerow.query.logql.LogQuery;
import io.widerow.query.logql.line.EventLines;
import io.widerow.query.logql.line.Pipeline;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.patterns.Pattern;
import io.widerow.query.patterns.PatternCounts;
import io.widerow.query.survey.BudgetedScan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The patterns of the lines of a log query, for each level, with their number in each step:
///
/// ```
/// {"status":"success","data":[
///   {"pattern":"user <_> logged in","level":"info","samples":[[1479000000,12],...]}]}
/// ```
///
/// Bodies count as they came, whatever the query makes of them. What two seconds do not suffice for
/// is left out, evenly over the range.
///
/// - Threads: one.
public final class LinePatterns {
  private static final long BUDGET_NANOS = Duration.ofSeconds(2).toNanos();
  private static final int PATTERNS_MAX = 300;
  private static final int CHECK_EVENTS = 1_024; // between two looks whether the client is there
  private static final long SECOND_NANOS = 1_000_000_000L;

  private final LogqlContext execution;
  private final EventLines lines;
  private final LogqlSelection selection;
  private final Pipeline pipeline;
  private final AttributeValue body = new AttributeValue();
  private final AttributeValue scratch = new AttributeValue();
  private int events;

  public LinePatterns(LogqlContext execution, LogQuery query) {
    this.execution = execution;
    this.selection = LogqlSelection.of(query, execution.labels());
    this.lines = new EventLines(execution.labels(), null, true, execution.lineMemory());
    this.pipeline = new Pipeline(query, selection.searched());
  }

  /// Reads a half-open range, and writes the result.
  ///
  /// @param stepNanos width of a step
  public void write(long fromNanos, long untilNanos, long stepNanos, OutputBuffer out) {
    Map<String, PatternCounts> levels = new TreeMap<>();
    try {
      RangeQuery range = selection.range(fromNanos, untilNanos);
      if (range.fromNanos() < range.untilNanos()) {
        double _ =
            new BudgetedScan(execution.view(), execution.memory())
                .read(
                    range,
                    System.nanoTime() + BUDGET_NANOS,
                    event -> add(event, levels, stepNanos));
      }
      write(levels, out);
    } finally {
      levels.values().forEach(PatternCounts::close);
    }
  }

  private void add(EventView event, Map<String, PatternCounts> levels, long stepNanos) {
    if (events++ % CHECK_EVENTS == 0) {
      execution.check();
    }
    if (pipeline.run(lines.show(event)) && event.find(AttributeName.BODY, body)) {
      Level level = Level.of(event, scratch);
      levels
          .computeIfAbsent(
              level == null ? Level.UNKNOWN : level.word(),
              _ -> new PatternCounts(execution.memory(), stepNanos))
          .add(event, body);
    }
  }

  /// A pattern of the lines of one level.
  private record OfLevel(String level, Pattern pattern) {}

  private static void write(Map<String, PatternCounts> levels, OutputBuffer out) {
    List<OfLevel> patterns = new ArrayList<>();
    levels.forEach((level, counts) ->
        counts.patterns().forEach(pattern -> patterns.add(new OfLevel(level, pattern))));
    patterns.sort(Comparator.comparingLong((OfLevel one) -> one.pattern.lines()).reversed());
    out.put("{\"status\":\"success\",\"data\":[");
    String comma = "";
    for (OfLevel one : patterns.subList(0, Math.min(PATTERNS_MAX, patterns.size()))) {
      Pattern pattern = one.pattern;
      out.put(comma + "{\"pattern\":");
      LokiJson.text(pattern.shape(), out);
      out.put(",\"level\":\"" + one.level + "\",\"samples\":[");
      comma = "";
      for (Map.Entry<Long, Long> step : pattern.steps().entrySet()) {
        out.put("%s[%d,%d]".formatted(comma, step.getKey() / SECOND_NANOS, step.getValue()));
        comma = ",";
      }
      out.put("]}");
      comma = ",";
    }
    out.put("]}\n");
  }
}
