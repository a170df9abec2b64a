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
  DISTINCT(32),
  /// The numbers, each with how often it occurs. A query may ask for it; no rollup keeps it.
  NUMBERS(64),
  /// The lengths of the texts together, in bytes. A query may ask for it; no rollup keeps it.
  LENGTHS(128);

  /// The bits of all that a rollup may keep.
  public static final int ALL = 63;

  /// The bits of all that a query may ask for.
  public static final int ASKED = 255;

  /// Its bit in a set of aggregates, as files have it.
  public final int bit;

  RollupFigure(int bit) {
    this.bit = bit;
  }
}
