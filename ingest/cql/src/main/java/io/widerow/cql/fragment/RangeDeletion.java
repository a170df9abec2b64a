package io.widerow.cql.fragment;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Deletion of a range of the keys of a partition.
public final class RangeDeletion {
  public final byte[] from;
  public final byte[] until; // the key behind the greatest
  public final long timestamp;

  public RangeDeletion(byte[] from, byte[] until, long timestamp) {
    this.from = from;
    this.until = until;
    this.timestamp = timestamp;
  }

  public boolean holds(MemorySegment key, int keyBytes) {
    return Keys.compare(MemorySegment.ofArray(from), 0, from.length, key, 0, keyBytes) <= 0
        && Keys.compare(key, 0, keyBytes, MemorySegment.ofArray(until), 0, until.length) < 0;
  }

  /// True when a later deletion of at least this range makes it needless.
  public boolean isWithin(RangeDeletion other) {
    return other.timestamp >= timestamp
        && Arrays.compareUnsigned(other.from, from) <= 0
        && Arrays.compareUnsigned(until, other.until) <= 0;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof RangeDeletion that
        && timestamp == that.timestamp
        && Arrays.equals(from, that.from)
        && Arrays.equals(until, that.until);
  }

  @Override
  public int hashCode() {
    return 31 * (31 * Long.hashCode(timestamp) + Arrays.hashCode(from)) + Arrays.hashCode(until);
  }
}
