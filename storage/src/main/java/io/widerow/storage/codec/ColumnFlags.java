package io.widerow.storage.codec;

/// The flags of a column in the directory of its block: how the column is encoded, and what a
/// reader needs in order to decode it. Encoders return them, and the directory stores them.
public final class ColumnFlags {
  /// The least and the greatest value follow.
  public static final int RANGED = 1;

  /// Decoding the values needs the series of the block, see [Series].
  public static final int FOLLOWS = 2;

  /// The numbers are compressed as a whole.
  public static final int COMPRESSED = 4;

  /// Decoding some texts needs the times of the block's events.
  public static final int TIMED = 8;

  private ColumnFlags() {}
}
