package io.widerow.storage.sketch;

import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.codec.ByteSource;
import java.math.BigInteger;
import java.util.Arrays;

/// The exact sum of any doubles, rounded once when it is read (the small superaccumulator of
/// Radford Neal, "Fast exact summation using small and large superaccumulators", 2015). The order
/// in which numbers are added, and how sums are merged, cannot be seen in the result.
///
/// ```
///   chunk 0         chunk 1         chunk 2    ...       value = sum of chunk[i] * 2^(32 i - 1074)
///   |<- 32 bits ->|
///   |<-------- 64 bits with sign ------>|                 a number falls into two chunks, which
///                   |<-------- 64 bits with sign ...      overlap; carries wait for 2^10 numbers
/// ```
///
/// - An infinity makes the sum that infinity; both, or NaN, make it NaN. A sum of no numbers, or of
///   negative zeros, is 0.
/// - Threads: one.
/// - Memory: 8 bytes for each 32 bits between the least and the greatest number, at most 544.
public final class ExactSum {
  private static final int CHUNK_BITS = 32;
  private static final long CHUNK_MASK = 0xffff_ffffL;

  /// Numbers reach chunk 64. So many more take the carries of 2^63 of them.
  private static final int CHUNKS = 68;

  private static final int FRACTION_BITS = 52;
  private static final int EXPONENT_MASK = 0x7ff;
  private static final long FRACTION_MASK = (1L << FRACTION_BITS) - 1;
  private static final int EXPONENT_LEAST = -1074; // of the least double
  private static final int WAITING_MAX = 1_000; // below 2^10, so that no chunk overflows

  private static final int INFINITE = 1;
  private static final int NEGATIVE_INFINITE = 2;
  private static final int NAN = 4;

  private long[] chunks = new long[0]; // a window of all
  private int first; // index of chunks[0] among all
  private int waiting; // numbers added since carries were propagated
  private int special; // infinities and NaN that were added

  /// Adds a number.
  public void add(double value) {
    long bits = Double.doubleToRawLongBits(value);
    int exponent = (int) (bits >>> FRACTION_BITS) & EXPONENT_MASK;
    if (exponent == EXPONENT_MASK) {
      special |= Double.isNaN(value) ? NAN : value > 0 ? INFINITE : NEGATIVE_INFINITE;
      return;
    }
    long fraction = bits & FRACTION_MASK;
    int position = 0;
    if (exponent > 0) {
      fraction |= 1L << FRACTION_BITS;
      position = exponent - 1;
    }
    int at = (position >>> 5) - first;
    if (at < 0 || at + 1 >= chunks.length) {
      if (fraction == 0) {
        return;
      }
      at = widen(position >>> 5);
    }
    if (waiting == WAITING_MAX) {
      propagate();
    }
    waiting++;
    int shift = position & (CHUNK_BITS - 1);
    long low = (fraction << shift) & CHUNK_MASK;
    long high = fraction >>> (CHUNK_BITS - shift);
    if (bits < 0) {
      chunks[at] -= low;
      chunks[at + 1] -= high;
    } else {
      chunks[at] += low;
      chunks[at + 1] += high;
    }
  }

  /// Adds a number several times: by powers of two, whose products are exact.
  ///
  /// @param times at least one
  void add(double value, long times) {
    for (long left = times; left != 0; left &= left - 1) {
      int power = Long.numberOfTrailingZeros(left);
      double product = Math.scalb(value, power);
      if (Double.isFinite(product) || !Double.isFinite(value)) {
        add(product);
      } else { // too large for a double: as several smaller ones
        int fits = Double.MAX_EXPONENT - Math.getExponent(value);
        for (long i = 0; i < 1L << (power - fits); i++) {
          add(Math.scalb(value, fits));
        }
      }
    }
  }

  /// Adds another sum, which does not change except for carries.
  public void add(ExactSum other) {
    special |= other.special;
    if (other.chunks.length == 0) {
      return;
    }
    other.propagate();
    if (waiting > 0) {
      propagate();
    }
    cover(other.first, other.first + other.chunks.length);
    for (int i = 0; i < other.chunks.length; i++) {
      chunks[other.first + i - first] += other.chunks[i];
    }
    waiting = 1;
  }

  /// Writes it: `byte special | varint first | varint chunks | 4 bytes each`.
  void write(ByteSink out) {
    if (chunks.length > 0) {
      propagate();
    }
    int from = 0;
    int until = chunks.length;
    while (from < until && chunks[from] == 0) {
      from++;
    }
    while (until > from
        && chunks[until - 1] == 0
        && (until - 1 == from || chunks[until - 2] == (int) chunks[until - 2])) {
      until--; // the one below then has the sign
    }
    out.putByte(special);
    out.putVarint(from == until ? 0 : first + from);
    out.putVarint(until - from);
    for (int i = from; i < until; i++) {
      out.putInt((int) chunks[i]);
    }
  }

  static ExactSum read(ByteSource in) {
    ExactSum read = new ExactSum();
    read.special = in.readByte();
    read.first = in.readCount(0, CHUNKS - 1, "first chunk of a sum");
    int count = in.readCount(0, CHUNKS - read.first, "chunks of a sum");
    if (read.special > (INFINITE | NEGATIVE_INFINITE | NAN)) {
      throw in.corrupt("a sum with %d for its infinities".formatted(read.special));
    }
    read.chunks = new long[count];
    for (int i = 0; i < count; i++) { // the last one has the sign
      int chunk = in.readInt();
      read.chunks[i] = i == count - 1 ? chunk : chunk & CHUNK_MASK;
    }
    return read;
  }

  /// Bytes of its arrays.
  public long bytes() {
    return (long) Long.BYTES * chunks.length;
  }

  /// The sum of all numbers and a whole number, rounded to the nearest double, ties to even.
  public double plus(BigInteger whole) {
    if (special != 0) {
      return switch (special) {
        case INFINITE -> Double.POSITIVE_INFINITY;
        case NEGATIVE_INFINITE -> Double.NEGATIVE_INFINITY;
        default -> Double.NaN;
      };
    }
    BigInteger units = BigInteger.ZERO;
    for (int i = chunks.length - 1; i >= 0; i--) {
      units = units.shiftLeft(CHUNK_BITS).add(BigInteger.valueOf(chunks[i]));
    }
    int exponent = EXPONENT_LEAST + CHUNK_BITS * first;
    if (exponent > 0) {
      units = units.shiftLeft(exponent);
      exponent = 0;
    }
    return rounded(units.add(whole.shiftLeft(-exponent)), exponent);
  }

  /// The sum, rounded to the nearest double, ties to even.
  public double value() {
    return plus(BigInteger.ZERO);
  }

  /// `units * 2^exponent`, rounded once.
  private static double rounded(BigInteger units, int exponent) {
    BigInteger size = units.abs();
    int shift = Math.max(size.bitLength() - (FRACTION_BITS + 1), EXPONENT_LEAST - exponent);
    BigInteger kept = size;
    if (shift > 0) {
      kept = size.shiftRight(shift);
      boolean half = size.testBit(shift - 1);
      boolean more = half && size.getLowestSetBit() < shift - 1;
      if (half && (more || kept.testBit(0))) {
        kept = kept.add(BigInteger.ONE);
      }
    }
    double value = Math.scalb((double) kept.longValue(), exponent + Math.max(shift, 0));
    return units.signum() < 0 ? -value : value;
  }

  /// Makes room for a number of this chunk and the next one; returns its place.
  private int widen(int chunk) {
    cover(chunk, chunk + 2);
    return chunk - first;
  }

  /// Makes the window reach from one chunk to another, exclusive.
  private void cover(int from, int until) {
    int begin = chunks.length == 0 ? from : Math.min(first, from);
    int end = chunks.length == 0 ? until : Math.max(first + chunks.length, until);
    if (begin == first && end == first + chunks.length) {
      return;
    }
    long[] wider = new long[end - begin];
    System.arraycopy(chunks, 0, wider, chunks.length == 0 ? 0 : first - begin, chunks.length);
    chunks = wider;
    first = begin;
  }

  /// Leaves 32 bits in each chunk, and the sign with the rest in the last one.
  private void propagate() {
    int last = chunks.length - 1;
    for (int i = 0; i < last; i++) {
      long carry = chunks[i] >> CHUNK_BITS;
      chunks[i] &= CHUNK_MASK;
      chunks[i + 1] += carry;
    }
    waiting = 0;
    long top = chunks[last];
    if (top != (int) top) {
      assert first + chunks.length < CHUNKS : "a sum beyond 2^63 numbers";
      chunks = Arrays.copyOf(chunks, chunks.length + 1);
      chunks[last] = top & CHUNK_MASK;
      chunks[last + 1] = top >> CHUNK_BITS;
    }
  }
}
