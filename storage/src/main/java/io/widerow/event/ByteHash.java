package io.widerow.event;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/// A hash of bytes in memory with a secret, so that no choice of names makes them collide.
///
/// - Threads: any; immutable.
public final class ByteHash {
  private final long secret = new SplittableRandom().nextLong() | 1;

  /// The hash of so many bytes.
  public int of(MemorySegment memory, long from, int bytes) {
    long hash = secret ^ bytes;
    int at = 0;
    for (; at + Long.BYTES <= bytes; at += Long.BYTES) {
      hash = mixed(hash ^ memory.get(JAVA_LONG_UNALIGNED, from + at));
    }
    long rest = 0;
    for (; at < bytes; at++) {
      rest = rest << Byte.SIZE | Byte.toUnsignedLong(memory.get(JAVA_BYTE, from + at));
    }
    hash = mixed(hash ^ rest);
    return (int) (hash ^ hash >>> Integer.SIZE);
  }

  private long mixed(long word) {
    return word * secret ^ Math.unsignedMultiplyHigh(word, secret);
  }
}
