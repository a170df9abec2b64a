package io.widerow.storage.codec;

import org.jspecify.annotations.Nullable;

/// The encoder of a run of longs: a transform, then a body. It chooses the pair that takes the
/// fewest bytes.
///
/// ```
///  +------+------- ~ -----+--------- ~ --+
///  | code | first values  | body         |     code = transform + 16 * body
///  +------+------- ~ -----+--------- ~ --+
///
///  transform  PLAIN   the values
///             DELTA   zigzag first value; differences
///             DELTA2  zigzag first value, zigzag first difference; differences of differences
///             SERIES  zigzag first value; differences to the previous value in the series
///             SERIES2 zigzag first value; differences of these to the likely one
///  body       CONSTANT  zigzag value
///             PACKED    zigzag base | varint divisor | runs of 128: width | varint least | packed
///             PLANES    zigzag base | varint divisor | width in bytes | varint stored | zstd of
///                       all first bytes, all second bytes, ...; as they are if stored is 0
///             PACKED_ALL   zigzag base | varint divisor | width | packed
/// ```
///
/// The last two transforms are for columns of a block that has series, see [Series]. A number is
/// `base + divisor * (least + packed)`. Arithmetic wraps around, so every long can be encoded. The
/// reader knows the number of values; no values take no bytes.
///
/// - Threads: one.
public final class LongEncoder {
  public static final int TRANSFORM_PLAIN = 0;
  public static final int TRANSFORM_DELTA = 1;
  public static final int TRANSFORM_DELTA2 = 2;
  public static final int TRANSFORM_SERIES = 3;
  public static final int TRANSFORM_SERIES2 = 4;
  static final int TRANSFORM_MASK = 15;
  public static final int BODY_CONSTANT = 0;
  public static final int BODY_PACKED = 1;
  public static final int BODY_PLANES = 2;
  public static final int BODY_PACKED_ALL = 3;
  static final int RUN = 128;

  private static final int RUN_BITS = 16; // approximate cost of width and least

  /// Numbers of at most this many bytes are not compressed.
  private static final int COMPRESSED_MIN = 24;

  /// Runs of this length to `BARE_MAX` may be left bare: shorter ones are packed, longer ones
  /// compress well alone.
  private static final int BARE_MIN = 64;

  private static final int BARE_MAX = 2_048;

  private final BlockCompressor compressor;
  private final ByteSink planes = new ByteSink();
  private final ByteSink packedPlanes = new ByteSink();
  private final ByteSink best = new ByteSink();
  private long[] rest = new long[0];
  private long[] moves = new long[0]; // differences to the previous value in the series
  private int transform; // the estimated best: first without series transforms, then of all
  private long bits;
  private boolean bare;
  private boolean bareRun; // the current run is left bare
  private boolean noisy; // the current run is noisy, as the moves of a series are

  public LongEncoder(BlockCompressor compressor) {
    this.compressor = compressor;
  }

  /// Sets whether the planes of medium-sized runs are left uncompressed. A caller does this when it
  /// compresses the numbers of many runs together, which finds matches between runs.
  public void leaveBare(boolean newBare) {
    bare = newBare;
  }

  /// Appends `values[0 .. count)`; the array is not changed.
  public void encode(long[] values, int count, ByteSink out) {
    encode(values, count, null, out);
  }

  /// Appends numbers whose differences are mostly noise, such as the times of events.
  void encodeNoisy(long[] values, int count, ByteSink out) {
    noisy = true;
    encode(values, count, null, out);
    noisy = false;
  }

  /// Appends `values[0 .. count)`; the array is not changed.
  ///
  /// @param series of these values; null when there are none
  /// @return true when the decoder needs the series
  public boolean encode(long[] values, int count, @Nullable Series series, ByteSink out) {
    if (count == 0) {
      return false;
    }
    makeRoom(count);
    int start = out.length();
    chooseTransform(values, count);
    if (series != null && count > 2 && bits > 0) {
      chooseSeries(values, count, series);
    }
    bareRun = bare && count >= BARE_MIN && count <= BARE_MAX && bits > 0;
    if (bareRun) {
      put(values, count, transform, series, true, out);
    } else if (compressor.thorough() && count > RUN) {
      encodeSmallest(values, count, series, out);
    } else {
      put(values, count, transform, series, false, out);
    }
    return (out.bytes()[start] & TRANSFORM_MASK) >= TRANSFORM_SERIES;
  }

  /// Estimates the packed size of `values[0 .. count)` in bits.
  public long estimateBits(long[] values, int count) {
    if (count == 0) {
      return 0;
    }
    makeRoom(count);
    chooseTransform(values, count);
    return bits;
  }

  private void makeRoom(int count) {
    if (rest.length < count) {
      rest = new long[Math.max(count, 2 * rest.length)];
      moves = new long[rest.length];
    }
  }

  /// Keeps the smallest of: packed with the estimated best transform; compressed with that
  /// transform, or with differences where it is none; and, unless it needs series, compressed
  /// without one.
  private void encodeSmallest(long[] values, int count, @Nullable Series series, ByteSink out) {
    int start = out.length();
    put(values, count, transform, series, false, out);
    if (out.length() - start <= COMPRESSED_MIN) {
      return;
    }
    best.clear();
    best.put(out.bytes(), start, out.length() - start);
    if (transform < TRANSFORM_SERIES) {
      tryDense(values, count, TRANSFORM_PLAIN, series, start, out);
    }
    int other = transform == TRANSFORM_PLAIN ? TRANSFORM_DELTA : transform;
    tryDense(values, count, other, series, start, out);
    out.cut(start);
    out.put(best);
  }

  private void tryDense(
      long[] values, int count, int tried, @Nullable Series series, int start, ByteSink out) {
    out.cut(start);
    put(values, count, tried, series, true, out);
    int bytes = out.length() - start;
    if (bytes < best.length()) {
      best.clear();
      best.put(out.bytes(), start, bytes);
    }
  }

  /// Finds the transform with the least estimated packed size.
  private void chooseTransform(long[] values, int count) {
    System.arraycopy(values, 0, rest, 0, count);
    transform = TRANSFORM_PLAIN;
    bits = packedBits(rest, count);
    if (count <= 2 || bits == 0) {
      return;
    }
    differences(rest, count);
    long delta = packedBits(rest, count - 1) + RUN_BITS;
    if (delta >= bits) {
      return;
    }
    transform = TRANSFORM_DELTA;
    bits = delta;
    if (delta <= RUN_BITS) {
      return;
    }
    differences(rest, count - 1);
    long delta2 = packedBits(rest, count - 2) + 2 * RUN_BITS;
    if (delta2 < bits) {
      transform = TRANSFORM_DELTA2;
      bits = delta2;
    }
  }

  /// Takes a transform that needs series when its estimate is less.
  private void chooseSeries(long[] values, int count, Series series) {
    seriesDifferences(values, count, TRANSFORM_SERIES, series);
    long once = packedBits(rest, count - 1) + RUN_BITS;
    if (once < bits) {
      transform = TRANSFORM_SERIES;
      bits = once;
    }
    if (once > RUN_BITS) {
      seriesDifferences(values, count, TRANSFORM_SERIES2, series);
      long twice = packedBits(rest, count - 1) + RUN_BITS;
      if (twice < bits) {
        transform = TRANSFORM_SERIES2;
        bits = twice;
      }
    }
  }

  private void put(
      long[] values, int count, int tried, @Nullable Series series, boolean dense, ByteSink out) {
    int usable = count > 2 ? tried : TRANSFORM_PLAIN;
    int codeAt = out.length();
    out.putByte(0);
    int left = count;
    if (usable >= TRANSFORM_SERIES && series != null) {
      out.putZigzag(values[0]);
      seriesDifferences(values, count, usable, series);
      left--;
    } else {
      System.arraycopy(values, 0, rest, 0, count);
      for (int i = 0; i < usable; i++) {
        out.putZigzag(rest[0]);
        differences(rest, left);
        left--;
      }
    }
    int body = putBody(left, dense, usable >= TRANSFORM_SERIES, out);
    out.bytes()[codeAt] = (byte) (usable | (body << 4));
  }

  private int putBody(int count, boolean dense, boolean moved, ByteSink out) {
    long least = rest[0];
    long most = rest[0];
    for (int i = 1; i < count; i++) {
      least = Math.min(least, rest[i]);
      most = Math.max(most, rest[i]);
    }
    // In a bare run small numbers keep their values, so that equal bytes mean the same in every
    // run.
    boolean asTheyAre = bareRun && least >= 0 && most < 1 << Byte.SIZE && least < most;
    long base = asTheyAre ? 0 : least;
    out.putZigzag(base);
    if (least == most) {
      return BODY_CONSTANT;
    }
    long divisor = asTheyAre || most - base < 0 ? 1 : divisor(rest, count, base);
    for (int i = 0; i < count; i++) {
      rest[i] = divisor == 1 ? rest[i] - base : (rest[i] - base) / divisor;
    }
    out.putVarint(divisor);
    long range = divisor == 1 ? most - base : (most - base) / divisor;
    if (dense) {
      putPlanes(count, range, moved, out);
      return BODY_PLANES;
    }
    if (range < 0) {
      putPacked(0, count, 0, Long.SIZE, out);
      return BODY_PACKED_ALL;
    }
    int width = BitPacking.widthFor(range);
    if ((long) width * count <= packedBits(rest, count)) {
      putPacked(0, count, 0, width, out);
      return BODY_PACKED_ALL;
    }
    for (int from = 0; from < count; from += RUN) {
      putRun(from, Math.min(RUN, count - from), out);
    }
    return BODY_PACKED;
  }

  private void putRun(int from, int count, ByteSink out) {
    long least = Long.MAX_VALUE;
    long most = Long.MIN_VALUE;
    for (int i = from; i < from + count; i++) {
      least = Math.min(least, rest[i]);
      most = Math.max(most, rest[i]);
    }
    int widthAt = out.length();
    out.putByte(0);
    out.putVarint(least);
    int width = BitPacking.widthFor(most - least);
    out.bytes()[widthAt] = (byte) width;
    BitPacking.pack(rest, from, count, least, width, out);
  }

  private void putPacked(int from, int count, long base, int width, ByteSink out) {
    out.putByte(width);
    BitPacking.pack(rest, from, count, base, width, out);
  }

  private void putPlanes(int count, long range, boolean moved, ByteSink out) {
    int width = (Long.SIZE - Long.numberOfLeadingZeros(range) + 7) / 8;
    planes.clear();
    byte[] target = planes.reserve(count * width);
    for (int plane = 0, at = 0; plane < width; plane++) {
      for (int i = 0; i < count; i++) {
        target[at++] = (byte) (rest[i] >>> (8 * plane));
      }
    }
    packedPlanes.clear();
    if (bareRun) {
      out.putByte(width);
      out.putVarint(0);
      out.put(planes.bytes(), 0, count * width);
      return;
    }
    if (moved || noisy) {
      compressor.compressMoves(target, 0, count * width, packedPlanes);
    } else {
      compressor.compressNumbers(target, 0, count * width, packedPlanes);
    }
    out.putByte(width);
    out.putVarint(packedPlanes.length());
    out.put(packedPlanes);
  }

  /// The greatest common divisor of all `values[i] - least`; 0 when all are zero.
  static long divisor(long[] values, int count, long least) {
    long divisor = 0;
    for (int i = 0; i < count && divisor != 1; i++) {
      long a = values[i] - least;
      if (divisor != 0 && a % divisor == 0) {
        continue;
      }
      long b = divisor;
      while (b != 0) {
        long left = a % b;
        a = b;
        b = left;
      }
      divisor = a;
    }
    return divisor;
  }

  /// Estimates the size of runs of [#RUN] numbers, in bits.
  private static long packedBits(long[] values, int count) {
    long bits = 0;
    for (int from = 0; from < count; from += RUN) {
      int limit = Math.min(count, from + RUN);
      long least = values[from];
      long most = least;
      for (int i = from + 1; i < limit; i++) {
        least = Math.min(least, values[i]);
        most = Math.max(most, values[i]);
      }
      bits += (long) BitPacking.widthFor(most - least) * (limit - from) + RUN_BITS;
    }
    return bits;
  }

  /// Fills `rest` with the `count - 1` differences within series of all values but the first.
  private void seriesDifferences(long[] values, int count, int order, Series series) {
    int[] before = series.before;
    if (order == TRANSFORM_SERIES) {
      for (int i = 1; i < count; i++) {
        rest[i - 1] = values[i] - values[before[i]];
      }
      return;
    }
    int[] likely = series.likely;
    moves[0] = 0;
    for (int i = 1; i < count; i++) {
      moves[i] = values[i] - values[before[i]];
      rest[i - 1] = moves[i] - moves[likely[i]];
    }
  }

  /// Replaces `values[0 .. count)` by their `count - 1` differences.
  static void differences(long[] values, int count) {
    for (int i = 1; i < count; i++) {
      values[i - 1] = values[i] - values[i - 1];
    }
  }
}
