package io.widerow.storage.codec;

/// The size limits of a block of a segment. Writers close a block before it reaches these limits;
/// readers refuse a count above them as damage before they allocate anything for it.
public final class BlockLimits {
  public static final int EVENTS_MAX = 1 << 16;

  /// Largest block: its bytes on disk, and the bytes of its decoded columns in memory, each.
  public static final int BYTES_MAX = 1 << 26;

  /// Columns at which a writer closes a block. Its last event may add as many columns as an event
  /// may have.
  public static final int COLUMNS_FULL = 2_000;

  public static final int COLUMNS_MAX = 3_000;

  private BlockLimits() {}
}
