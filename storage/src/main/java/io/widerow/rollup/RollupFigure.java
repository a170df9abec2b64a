package io.widerow.rollup;

/// An aggregate of an attribute's values in the cell of a rollup.
public enum RollupFigure {
  /// The number of events with the attribute.
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

  /// Its bit in a set of aggregates, as files have it.
  public final int bit;

  RollupFigure(int bit) {
    this.bit = bit;
  }
}
