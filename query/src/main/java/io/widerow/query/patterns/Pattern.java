package io.widerow.query.patterns;

import io.widerow.event.EventId;
import java.util.SortedMap;
import java.util.TreeMap;

/// Lines of one type and one shape.
///
/// - Threads: one.
public final class Pattern {
  private final String type;
  private final String shape;
  private final TreeMap<Long, Long> steps = new TreeMap<>(); // lines by start of step
  private long lines;
  private EventId firstId = EventId.LIMIT;
  private String sample = "";
  private long firstNanos = Long.MAX_VALUE;
  private long lastNanos = Long.MIN_VALUE;

  Pattern(String type, String shape) {
    this.type = type;
    this.shape = shape;
  }

  /// True when the event is the first of all so far; its line is then the sample.
  boolean add(EventId id, long nanos) {
    lines++;
    lastNanos = Math.max(lastNanos, nanos);
    if (id.compareTo(firstId) >= 0) {
      return false;
    }
    firstId = id;
    firstNanos = nanos;
    return true;
  }

  void setSample(String text) {
    sample = text;
  }

  /// Counts a line in a step, and returns true when it is the first there.
  boolean addTo(long stepNanos) {
    return steps.merge(stepNanos, 1L, Long::sum) == 1;
  }

  /// Adds the lines of another pattern.
  void add(Pattern other) {
    lines += other.lines;
    lastNanos = Math.max(lastNanos, other.lastNanos);
    if (other.firstId.compareTo(firstId) < 0) {
      firstId = other.firstId;
      firstNanos = other.firstNanos;
      sample = other.sample;
    }
    other.steps.forEach((step, count) -> steps.merge(step, count, Long::sum));
  }

  public String type() {
    return type;
  }

  /// Constant parts, and `<_>` for what differs.
  public String shape() {
    return shape;
  }

  public long lines() {
    return lines;
  }

  /// Of the first of them.
  public EventId firstId() {
    return firstId;
  }

  /// Of the first of them, nanoseconds since the Unix epoch.
  public long firstNanos() {
    return firstNanos;
  }

  public long lastNanos() {
    return lastNanos;
  }

  /// The first of them.
  public String sample() {
    return sample;
  }

  /// Lines by step, when steps are counted: keys are starts, nanoseconds since the Unix epoch.
  public SortedMap<Long, Long> steps() {
    return steps;
  }
}
