package io.widerow.storage.segment;

import io.widerow.storage.codec.BlockLimits;

/// Write profile of a segment: fast when sealing (flush), small when merging (compaction) into the
/// final form. Readers treat all profiles alike.
///
/// @param zstdLevel compression level, 1 to 19
/// @param blockEvents maximum events of a block
/// @param blockBytes bytes of attributes at which a block is closed
/// @param filterBits bits of the token filter for each distinct token; 0 for no filters
public record SegmentProfile(int zstdLevel, int blockEvents, int blockBytes, int filterBits) {
  public static final SegmentProfile SEALED = new SegmentProfile(1, 8_192, 4 << 20, 10);
  public static final SegmentProfile FINAL = new SegmentProfile(9, 16_384, 4 << 20, 11);

  public SegmentProfile {
    if (zstdLevel < 1 || zstdLevel > 19) {
      throw new IllegalArgumentException("zstd level " + zstdLevel);
    }
    if (blockEvents < 1 || blockEvents > BlockLimits.EVENTS_MAX) {
      throw new IllegalArgumentException("blocks of " + blockEvents + " events");
    }
    if (blockBytes < 1 || blockBytes > BlockLimits.BYTES_MAX / 4) {
      throw new IllegalArgumentException("blocks of " + blockBytes + " bytes");
    }
    if (filterBits < 0 || filterBits > 16) {
      throw new IllegalArgumentException("token filters of " + filterBits + " bits");
    }
  }

  /// Events of a long partition's last block.
  int lastEvents() {
    return blockEvents / 32;
  }
}
