package io.widerow.query.logql.run;

/// The limits of one LogQL query, in addition to its memory.
///
/// @param seriesMax series of a query
/// @param textBytesMax bytes of a text that a stage makes
public record LogqlLimits(int seriesMax, int textBytesMax) {
  public static final LogqlLimits DEFAULT = new LogqlLimits(10_000, 1 << 20);
}
