package io.widerow.ingest.series;

/// A sender's description of a metric.
///
/// @param type `counter`, `gauge` and so on
/// @param help a sentence; empty when not given
/// @param unit such as `seconds`; empty when not given
public record MetricDescription(Type type, String help, String unit) {
  /// The types of both versions, in the order of their numbers.
  public enum Type {
    UNKNOWN,
    COUNTER,
    GAUGE,
    HISTOGRAM,
    GAUGEHISTOGRAM,
    SUMMARY,
    INFO,
    STATESET;

    private static final Type[] ALL = values();

    public static Type of(long number) {
      return number < 0 || number >= ALL.length ? UNKNOWN : ALL[(int) number];
    }
  }

  /// Approximate bytes on the heap.
  public int heapBytes() {
    return 120 + help.length() + unit.length();
  }
}
