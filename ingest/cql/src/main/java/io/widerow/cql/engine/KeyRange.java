package io.widerow.cql.engine;

import io.widerow.cql.fragment.Keys;
import io.widerow.cql.store.Mutations;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// A range of keys.
///
/// - Threads: any; immutable.
final class KeyRange {
  /// Every key: the bound behind all is one byte longer than any key can be.
  static final KeyRange ALL = new KeyRange(new byte[0], null);

  private final byte[] from;
  private final byte @Nullable [] until;
  private final MemorySegment fromMemory;
  private final MemorySegment untilMemory;

  /// @param until the key behind the greatest; null for none
  KeyRange(byte[] from, byte @Nullable [] until) {
    this.from = from;
    this.until = until;
    this.fromMemory = MemorySegment.ofArray(from);
    this.untilMemory = MemorySegment.ofArray(until == null ? behindAll() : until);
  }

  private static byte[] behindAll() {
    byte[] bytes = new byte[Mutations.MAX_KEY + 1];
    Arrays.fill(bytes, (byte) 0xff);
    return bytes;
  }

  boolean isEmpty() {
    byte[] end = until;
    return end != null && Arrays.compareUnsigned(from, end) >= 0;
  }

  MemorySegment from() {
    return fromMemory;
  }

  int fromBytes() {
    return from.length;
  }

  MemorySegment until() {
    return untilMemory;
  }

  int untilBytes() {
    return (int) untilMemory.byteSize();
  }

  boolean isBeforeEnd(MemorySegment memory, long keyAt, int keyBytes) {
    return until == null || Keys.compare(memory, keyAt, keyBytes, untilMemory, 0, untilBytes()) < 0;
  }

  boolean isFromStart(MemorySegment memory, long keyAt, int keyBytes) {
    return Keys.compare(memory, keyAt, keyBytes, fromMemory, 0, from.length) >= 0;
  }

  /// True when some key of a range of others, both inclusive, may be in this one.
  boolean meets(byte[] least, byte[] greatest) {
    byte[] end = until;
    return Arrays.compareUnsigned(greatest, from) >= 0
        && (end == null || Arrays.compareUnsigned(least, end) < 0);
  }

  /// The length of the common prefix of all keys of the range, at most as many as the bounds have.
  int common() {
    byte[] end = until;
    return end == null ? 0 : Keys.common(from, from.length, end, end.length);
  }

  byte[] fromArray() {
    return from;
  }
}
