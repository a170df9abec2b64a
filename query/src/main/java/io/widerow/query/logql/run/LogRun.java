package io.widerow.query.logql.run;

import io.widerow.query.RangeQuery;
import io.widerow.query.RangeReader;
import io.widerow.query.logql.LogQuery;
import io.widerow.query.logql.line.EventLines;
import io.widerow.query.logql.line.Line;
import io.widerow.query.logql.line.Line.Category;
import io.widerow.query.logql.line.Pipeline;
import io.widerow.storage.EventCursor.Step;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/// The lines of a log query, as many as are asked for, by streams. When the last of them has a time
/// that further lines have too, those are shown as well: clients go on behind that time, and would
/// not see them.
///
/// - Threads: one.
/// - Memory: all lines of the answer, told to the execution.
public final class LogRun {
  private final Execution execution;
  private final LogQuery query;
  private final boolean categorized;
  private final Map<LabelSet, List<Entry>> streams = new LinkedHashMap<>();
  private long entries;

  /// One line of an answer.
  ///
  /// @param metadata further attributes of the event; empty unless labels are told apart
  /// @param parsed labels that stages have made; empty unless labels are told apart
  public record Entry(
      long timeNanos,
      String text,
      Map<String, String> metadata,
      Map<String, String> parsed) {}

  /// @param categorized whether labels, metadata and parsed labels are told apart
  public LogRun(Execution execution, LogQuery query, boolean categorized) {
    this.execution = execution;
    this.query = query;
    this.categorized = categorized;
  }

  /// Reads the lines of a half-open range.
  ///
  /// @param backward newest first
  public void read(long fromNanos, long untilNanos, boolean backward, long limit) {
    Selection selection = Selection.of(query, execution.labels());
    RangeQuery range = selection.range(fromNanos, untilNanos).withDescending(backward);
    if (range.fromNanos() >= range.untilNanos()) {
      return;
    }
    EventLines lines = new EventLines(execution.labels(), null, true);
    Pipeline pipeline = new Pipeline(query, selection.searched());
    RangeReader reader = execution.open(range);
    try {
      long lastNanos = 0;
      while (reader.nextWhenReady() == Step.EVENT) {
        if (entries >= limit && reader.event().timeNanos() != lastNanos) {
          break;
        }
        Line line = lines.show(reader.event());
        if (pipeline.run(line)) {
          add(line);
          lastNanos = line.timeNanos();
        }
      }
    } finally {
      execution.close(reader);
    }
  }

  private void add(Line line) {
    SortedMap<String, String> labels =
        categorized
            ? line.labels(Category.STREAM)
            : line.labels(Category.STREAM, Category.METADATA, Category.PARSED);
    LabelSet stream = new LabelSet(labels);
    List<Entry> of = streams.get(stream);
    if (of == null) {
      of = new ArrayList<>();
      streams.put(stream, of);
      execution.hold(stream.bytes());
    }
    Map<String, String> metadata = categorized ? line.labels(Category.METADATA) : Map.of();
    Map<String, String> parsed = categorized ? line.labels(Category.PARSED) : Map.of();
    of.add(new Entry(line.timeNanos(), line.text(), metadata, parsed));
    execution.hold(128 + 2L * line.text().length() + 128L * (metadata.size() + parsed.size()));
    entries++;
  }

  /// The lines by stream; each stream's in the direction of reading.
  public Map<LabelSet, List<Entry>> streams() {
    return streams;
  }

  /// How many lines there are.
  public long entries() {
    return entries;
  }
}
