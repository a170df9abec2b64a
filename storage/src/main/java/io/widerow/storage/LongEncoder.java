package io.widerow.storage;

/// Writes a run of longs in the fewest bytes that its shape allows: a transform, then a body.
///
/// ```
///  +------+------- ~ -----+--------- ~ --+
///  | code | first values  | body         |     code = transform + 16 * body
///  +------+------- ~ -----+--------- ~ --+
///
///  transform  PLAIN   the values
///             DELTA   zigzag first value; differences
///             DELTA2  zigzag first value, zigzag first difference; differences of differences
///  body       CONSTANT  zigzag value
///             PACKED    zigzag base | varint divisor | runs of 128: width | varint least | packed
///             PLANES    zigzag base | varint divisor | width in bytes | varint stored | zstd of
///                       all first bytes, all second bytes, ...
///             PACKED_ALL   zigzag base | varint divisor | width | packed
/// ```
///
/// A number is `base + divisor * (least + packed)`. All arithmetic wraps around, so any long is
/// kept. The number of values is known to the reader. No values: no bytes.
///
/// - Threads: one.
final class LongEncoder {
  static final int TRANSFORM_PLAIN = 0;
  static final int TRANSFORM_DELTA = 1;
  static final int TRANSFORM_DELTA2 = 2;
  static final int BODY_CONSTANT = 0;
  static final int BODY_PACKED = 1;
  static final int BODY_PLANES = 2;
  static final int BODY_PACKED_ALL = 3;
  static final int RUN = 128;

  private static final int RUN_BITS = 16; // width and least, about

  /// Bytes from which on compressing numbers is tried.
  private static final int COMPRESSED_MIN = 24;

  private final BlockCompressor compressor;
  private final ByteSink planes = new ByteSink();
  private final ByteSink packedPlanes = new ByteSink();
  private final ByteSink best = new ByteSink();
  private long[] rest = new long[0];

  LongEncoder(BlockCompressor compressor) {
    this.compressor = compressor;
  }

  /// Puts `values[0 .. count)`, which are left as they are.
  void encode(long[] values, int count, ByteSink out) {
    if (count == 0) {
      return;
    }
    if (rest.length < count) {
      rest = new long[Math.max(count, 2 * rest.length)];
    }
    if (compressor.thorough() && count > RUN) {
      encodeSmallest(values, count, out);
      return;
    }
    put(values, count, transformFor(values, count), false, out);
  }

  /// Tries what may be the smallest: packed as estimated, and compressed with and without the
  /// transform of that.
  private void encodeSmallest(long[] values, int count, ByteSink out) {
    int transform = transformFor(values, count);
    int start = out.length();
    put(values, count, transform, false, out);
    if (out.length() - start <= COMPRESSED_MIN) {
      return;
    }
    best.clear();
    best.put(out.bytes(), start, out.length() - start);
    int other = transform == TRANSFORM_PLAIN ? TRANSFORM_DELTA : transform;
    for (int tried = TRANSFORM_PLAIN; tried <= other; tried += other) {
      out.cut(start);
      put(values, count, tried, true, out);
      int bytes = out.length() - start;
      if (bytes < best.length()) {
        best.clear();
        best.put(out.bytes(), start, bytes);
      }
    }
    out.cut(start);
    out.put(best);
  }

  /// The transform after which packing takes least, as estimated.
  private int transformFor(long[] values, int count) {
    System.arraycopy(values, 0, rest, 0, count);
    long plain = estimateBits(rest, count);
    if (count <= 2 || plain == 0) {
      return TRANSFORM_PLAIN;
    }
    differences(rest, count);
    long delta = estimateBits(rest, count - 1) + RUN_BITS;
    if (delta >= plain) {
      return TRANSFORM_PLAIN;
    }
    if (delta <= RUN_BITS) {
      return TRANSFORM_DELTA;
    }
    differences(rest, count - 1);
    return estimateBits(rest, count - 2) + 2 * RUN_BITS < delta
        ? TRANSFORM_DELTA2
        : TRANSFORM_DELTA;
  }

  private void put(long[] values, int count, int transform, boolean dense, ByteSink out) {
    int usable = count > 2 ? transform : TRANSFORM_PLAIN;
    int codeAt = out.length();
    out.putByte(0);
    System.arraycopy(values, 0, rest, 0, count);
    int left = count;
    for (int i = 0; i < usable; i++) {
      out.putZigzag(rest[0]);
      differences(rest, left);
      left--;
    }
    int body = putBody(left, dense, out);
    out.bytes()[codeAt] = (byte) (usable | (body << 4));
  }

  private int putBody(int count, boolean dense, ByteSink out) {
    long least = rest[0];
    long most = rest[0];
    for (int i = 1; i < count; i++) {
      least = Math.min(least, rest[i]);
      most = Math.max(most, rest[i]);
    }
    out.putZigzag(least);
    if (least == most) {
      return BODY_CONSTANT;
    }
    long divisor = most - least < 0 ? 1 : divisor(rest, count, least);
    for (int i = 0; i < count; i++) {
      rest[i] = divisor == 1 ? rest[i] - least : (rest[i] - least) / divisor;
    }
    out.putVarint(divisor);
    long range = divisor == 1 ? most - least : (most - least) / divisor;
    if (dense) {
      putPlanes(count, range, out);
      return BODY_PLANES;
    }
    if (range < 0) {
      putPacked(0, count, 0, Long.SIZE, out);
      return BODY_PACKED_ALL;
    }
    int width = BitPacking.widthFor(range);
    if ((long) width * count <= estimateBits(rest, count)) {
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

  private void putPlanes(int count, long range, ByteSink out) {
    int width = (Long.SIZE - Long.numberOfLeadingZeros(range) + 7) / 8;
    planes.clear();
    byte[] target = planes.reserve(count * width);
    for (int plane = 0, at = 0; plane < width; plane++) {
      for (int i = 0; i < count; i++) {
        target[at++] = (byte) (rest[i] >>> (8 * plane));
      }
    }
    packedPlanes.clear();
    compressor.compressNumbers(target, 0, count * width, packedPlanes);
    out.putByte(width);
    out.putVarint(packedPlanes.length());
    out.put(packedPlanes);
  }

  /// The greatest number that divides every `values[i] - least`.
  private static long divisor(long[] values, int count, long least) {
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

  /// About how many bits runs of [#RUN] numbers take.
  private static long estimateBits(long[] values, int count) {
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

  /// Replaces `values[0 .. count)` by their `count - 1` differences.
  static void differences(long[] values, int count) {
    for (int i = 1; i < count; i++) {
      values[i - 1] = values[i] - values[i - 1];
    }
  }
}
