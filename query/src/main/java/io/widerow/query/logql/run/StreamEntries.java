package io.widerow.query.logql.run;

import io.widerow.query.logql.line.Line;
import io.widerow.query.logql.line.Line.Category;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/// Lines by stream, in the order in which they are added.
///
/// - Threads: one.
/// - Memory: all of them, counted by the execution.
public final class StreamEntries {
  private static final long ENTRY_BYTES = 128;
  private static final long LABEL_BYTES = 128;

  private final LogqlContext execution;
  private final boolean categorized;
  private final Map<LabelSet, List<Entry>> streams = new LinkedHashMap<>();
  private long count;

  /// One line.
  ///
  /// @param metadata further attributes of the event; empty unless labels are separated
  /// @param parsed labels that stages have made; empty unless labels are separated
  public record Entry(
      long timeNanos, String text, Map<String, String> metadata, Map<String, String> parsed) {}

  /// @param categorized whether labels, metadata and parsed labels are separated; else all of them
  ///   are labels of the stream
  StreamEntries(LogqlContext execution, boolean categorized) {
    this.execution = execution;
    this.categorized = categorized;
  }

  void add(Line line) {
    SortedMap<String, String> labels =
        categorized
            ? line.labels(Category.STREAM)
            : line.labels(Category.STREAM, Category.METADATA, Category.PARSED);
    LabelSet stream = new LabelSet(labels);
    List<Entry> of = streams.get(stream);
    if (of == null) {
      execution.hold(stream.bytes());
      of = new ArrayList<>();
      streams.put(stream, of);
    }
    Map<String, String> metadata = categorized ? line.labels(Category.METADATA) : Map.of();
    Map<String, String> parsed = categorized ? line.labels(Category.PARSED) : Map.of();
    execution.hold(ENTRY_BYTES + 2L * line.text().length() + bytes(metadata) + bytes(parsed));
    of.add(new Entry(line.timeNanos(), line.text(), metadata, parsed));
    count++;
  }

  private static long bytes(Map<String, String> labels) {
    long bytes = 0;
    for (Map.Entry<String, String> label : labels.entrySet()) {
      bytes += LABEL_BYTES + 2L * (label.getKey().length() + label.getValue().length());
    }
    return bytes;
  }

  /// Makes the last line of each stream the first one.
  void reverse() {
    streams.values().forEach(Collections::reverse);
  }

  public Map<LabelSet, List<Entry>> streams() {
    return streams;
  }

  /// True when labels, metadata and parsed labels are separated.
  public boolean isCategorized() {
    return categorized;
  }

  /// The holder of their memory.
  public LogqlContext execution() {
    return execution;
  }

  /// The number of lines.
  public long count() {
    return count;
  }
}
