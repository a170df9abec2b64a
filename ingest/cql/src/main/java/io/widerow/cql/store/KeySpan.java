package io.widerow.cql.store;

import java.util.Arrays;

/// Keys from one, inclusive, until another, exclusive, compared byte by byte, unsigned.
///
/// - Threads: any; immutable.
public final class KeySpan implements Comparable<KeySpan> {
  private final byte[] from;
  private final byte[] until;

  /// @throws IllegalArgumentException when it holds no key
  public KeySpan(byte[] from, byte[] until) {
    if (Arrays.compareUnsigned(from, until) >= 0) {
      throw new IllegalArgumentException("a span that ends where it begins, or before");
    }
    this.from = from.clone();
    this.until = until.clone();
  }

  /// The order of keys of the first `bytes` bytes of an array to this span.
  ///
  /// @return negative before it, 0 within, positive behind
  public int compareKey(byte[] key, int bytes) {
    if (Arrays.compareUnsigned(key, 0, bytes, from, 0, from.length) < 0) {
      return -1;
    }
    return Arrays.compareUnsigned(key, 0, bytes, until, 0, until.length) < 0 ? 0 : 1;
  }

  /// By where they begin.
  @Override
  public int compareTo(KeySpan other) {
    return Arrays.compareUnsigned(from, other.from);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KeySpan span
        && Arrays.equals(from, span.from)
        && Arrays.equals(until, span.until);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(from) + Arrays.hashCode(until);
  }
}
