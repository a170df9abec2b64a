package io.widerow.ingest.transform;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;

/// Decides by a hash which events a sample keeps: of equal bytes always the same, in every process,
/// so that what was sent again has the same fate.
final class SampleHash {
  private static final long FNV_OFFSET = 0xcbf2_9ce4_8422_2325L;
  private static final long FNV_PRIME = 0x100_0000_01b3L;
  private static final long MIX = 0x9e37_79b9_7f4a_7c15L; // 2^64 / golden ratio
  private static final double FULL = 0x1p64;

  private SampleHash() {}

  /// The hash below which a share of all is kept.
  ///
  /// @param percent more than 0, less than 100
  static long limit(double percent) {
    double limit = percent / 100 * FULL;
    return limit >= 0x1p63 ? (long) (limit - 0x1p63) | Long.MIN_VALUE : (long) limit;
  }

  static boolean keeps(long limit, long hash) {
    return Long.compareUnsigned(hash, limit) < 0;
  }

  static long hash(long seed, MemorySegment memory, long offset, long length) {
    long hash = FNV_OFFSET ^ seed;
    for (long i = 0; i < length; i++) {
      hash = (hash ^ memory.get(JAVA_BYTE, offset + i)) * FNV_PRIME;
    }
    hash ^= hash >>> 32;
    hash *= MIX;
    return hash ^ hash >>> 29;
  }
}
