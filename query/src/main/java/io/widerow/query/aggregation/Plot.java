package io.widerow.query.aggregation;

import io.widerow.query.output.OutputBuffer;
import io.widerow.query.output.Rfc3339;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/// The number of events over time as bars of text, one line for each time step. When there are too
/// many steps, they become wider, so memory is bounded for any range.
public final class Plot {
  private static final int STEPS_MAX = 40;
  private static final int BAR_COLUMNS = 50;
  private static final String EIGHTHS = " ▏▎▍▌▋▊▉█";
  private static final long[] WIDTHS_SECONDS = {
    1, 5, 10, 30, 60, 300, 600, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400, 604_800
  };
  private static final long SECOND_NANOS = 1_000_000_000L;

  private final TreeMap<Long, Long> counts = new TreeMap<>(); // step number to event count
  private int width;
  private long stepNanos = WIDTHS_SECONDS[0] * SECOND_NANOS;

  public void add(long timeNanos) {
    add(timeNanos, 1);
  }

  /// Adds events of one time step.
  public void add(long timeNanos, long events) {
    counts.merge(Math.floorDiv(timeNanos, stepNanos), events, Long::sum);
    while (counts.lastKey() - counts.firstKey() >= STEPS_MAX) {
      widen();
    }
  }

  /// Makes the steps wide enough for events between two times. Call it before adding any.
  public void span(long firstNanos, long lastNanos) {
    while (Math.floorDiv(lastNanos, stepNanos) - Math.floorDiv(firstNanos, stepNanos)
        >= STEPS_MAX) {
      widen();
    }
  }

  /// True when no event was added.
  public boolean isEmpty() {
    return counts.isEmpty();
  }

  /// Width of a step: whole seconds, in nanoseconds.
  public long stepNanos() {
    return stepNanos;
  }

  private void widen() {
    width++;
    long wider =
        width < WIDTHS_SECONDS.length ? WIDTHS_SECONDS[width] * SECOND_NANOS : stepNanos * 2;
    TreeMap<Long, Long> old = new TreeMap<>(counts);
    counts.clear();
    old.forEach(
        (step, count) -> counts.merge(Math.floorDiv(step * stepNanos, wider), count, Long::sum));
    stepNanos = wider;
  }

  /// @param unicode draw eighths of a column; else draw whole columns with `#`
  public List<String> lines(Rfc3339 times, boolean unicode) {
    List<String> lines = new ArrayList<>();
    if (counts.isEmpty()) {
      return List.of("no events");
    }
    long most = counts.values().stream().mapToLong(Long::longValue).max().orElse(1);
    OutputBuffer time = new OutputBuffer(64);
    for (long step = counts.firstKey(); step <= counts.lastKey(); step++) {
      long count = counts.getOrDefault(step, 0L);
      time.clear();
      times.put(step * stepNanos, time);
      lines.add(
          "%s %s %d".formatted(time.toString().substring(0, 19), bar(count, most, unicode), count));
    }
    return lines;
  }

  private static String bar(long count, long most, boolean unicode) {
    int eighths = (int) Math.ceilDiv(count * BAR_COLUMNS * 8, most);
    if (!unicode) {
      String full = "#".repeat(Math.ceilDiv(eighths, 8));
      return full + " ".repeat(BAR_COLUMNS - full.length());
    }
    String full = "█".repeat(eighths / 8);
    String part = eighths % 8 == 0 ? "" : String.valueOf(EIGHTHS.charAt(eighths % 8));
    return full + part + " ".repeat(BAR_COLUMNS - full.length() - part.length());
  }
}
