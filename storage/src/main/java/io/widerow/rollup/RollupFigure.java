package io.widerow.rollup;

/// What a rollup keeps of the values of an attribute in a cell.
public enum RollupFigure {
  /// How many events have the attribute.
  COUNT(1),
  /// The sum of the numbers, and how many there are.
  SUM(2),
  /// The least number.
  MIN(4),
  /// The greatest number.
  MAX(8),
  /// The numbers on a grid, for all percentiles.
  GRID(16),
  /// Hashes of the values, for the number of distinct ones.
  DISTINCT(32);

  /// All bits.
  public static final int ALL = 63;

  /// Its bit in a set of figures, as files have it.
  public final int bit;

  RollupFigure(int bit) {
    this.bit = bit;
  }
}
