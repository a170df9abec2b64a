package io.widerow.storage;

/// The flags of a column in the directory of its block: how the column is encoded, and what a
/// reader needs in order to decode it. Encoders return them, and the directory stores them.
final class ColumnFlags {
  /// The least and the greatest value follow.
  static final int RANGED = 1;

  /// Decoding the values needs the series of the block, see [Series].
  static final int FOLLOWS = 2;

  /// The numbers are compressed as a whole.
  static final int COMPRESSED = 4;

  /// Decoding some texts needs the times of the block's events.
  static final int TIMED = 8;

  private ColumnFlags() {}
}
