package io.widerow.storage.codec;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The decoder of what a [LongEncoder] wrote.
///
/// - Threads: one.
public final class LongDecoder {
  private static final int COUNT_MAX = BlockLimits.BYTES_MAX;

  private final BlockDecompressor decompressor;
  private byte[] planes = new byte[0];

  public LongDecoder(BlockDecompressor decompressor) {
    this.decompressor = decompressor;
  }

  /// An array size for `count` numbers of a block, with spare room: later blocks need about as
  /// many, and a reader keeps its arrays.
  public static int withSpare(int count) {
    return count + (count >> 3);
  }

  /// An array for at least `count` numbers; the content is undefined.
  public static long[] room(long[] values, int count) {
    return values.length >= count ? values : new long[withSpare(count)];
  }

  /// Fills `values[0 .. count)`.
  public void decode(ByteSource in, int count, long[] values) {
    decode(in, count, values, null);
  }

  /// Fills `values[0 .. count)`.
  ///
  /// @param series of these values; null when there are none
  public void decode(ByteSource in, int count, long[] values, @Nullable Series series) {
    if (count == 0) {
      return;
    }
    int code = in.readByte();
    int transform = code & LongEncoder.TRANSFORM_MASK;
    if (transform > LongEncoder.TRANSFORM_SERIES2 || (transform > 0 && count < 3)) {
      throw in.corrupt("transform %d of %d numbers".formatted(transform, count));
    }
    if (transform >= LongEncoder.TRANSFORM_SERIES) {
      if (series == null) {
        throw in.corrupt("transform %d needs series, but there are none".formatted(transform));
      }
      long first = in.readZigzag();
      readBody(in, code >>> 4, 1, count - 1, values);
      seriesSums(values, count, first, transform, series);
      return;
    }
    for (int i = 0; i < transform; i++) {
      values[i] = in.readZigzag();
    }
    readBody(in, code >>> 4, transform, count - transform, values);
    for (int from = transform; from > 0; from--) {
      sums(values, from, count);
    }
  }

  /// Fills `values[0 .. count)` with numbers from `least` to `most`, both inclusive.
  public void decode(ByteSource in, int count, long[] values, long least, long most, String what) {
    decode(in, count, values, null);
    check(in, count, values, least, most, what);
  }

  /// Throws when one of `count` numbers is not in `least` to `most`.
  public static void check(
      ByteSource in, int count, long[] values, long least, long most, String what) {
    if (most - least >= 0 && areWithin(values, count, least, most)) {
      return;
    }
    for (int i = 0; i < count; i++) {
      if (values[i] < least || values[i] > most) {
        throw in.corrupt("%s of %d, expected %d to %d".formatted(what, values[i], least, most));
      }
    }
  }

  /// True when `count` numbers are in `least` to `most`, which must be less than 2^63 apart. For a
  /// number outside one of the two differences is negative, even where the other wraps around.
  /// There are no branches, so the compiler can vectorize the loop.
  private static boolean areWithin(long[] values, int count, long least, long most) {
    long differences = 0;
    for (int i = 0; i < count; i++) {
      differences |= (values[i] - least) | (most - values[i]);
    }
    return differences >= 0;
  }

  private void readBody(ByteSource in, int body, int from, int count, long[] values) {
    long base = in.readZigzag();
    if (body == LongEncoder.BODY_CONSTANT) {
      Arrays.fill(values, from, from + count, base);
      return;
    }
    long divisor = in.readVarint();
    long added = divisor == 1 ? base : 0; // added during unpacking
    switch (body) {
      case LongEncoder.BODY_PACKED -> {
        for (int done = 0; done < count; done += LongEncoder.RUN) {
          int width = in.readByte();
          readPacked(
              in,
              width,
              from + done,
              Math.min(LongEncoder.RUN, count - done),
              in.readVarint() + added,
              values);
        }
      }
      case LongEncoder.BODY_PACKED_ALL -> readPacked(in, in.readByte(), from, count, added, values);
      case LongEncoder.BODY_PLANES -> readPlanes(in, from, count, base, divisor, values);
      default -> throw in.corrupt("body " + body + " of a run of numbers");
    }
    if (divisor != 1 && body != LongEncoder.BODY_PLANES) {
      scale(values, from, from + count, base, divisor);
    }
  }

  private static void readPacked(
      ByteSource in, int width, int from, int count, long base, long[] values) {
    if (width > BitPacking.WIDTH_MAX && width != Long.SIZE) {
      throw in.corrupt("numbers of " + width + " bits");
    }
    int start = in.skip(BitPacking.bytesFor(count, width), "packed numbers");
    BitPacking.unpack(in.bytes(), start, count, base, width, values, from);
  }

  private void readPlanes(
      ByteSource in, int from, int count, long base, long divisor, long[] values) {
    int width = in.readByte();
    if (width < 1 || width > Long.BYTES || count > COUNT_MAX / width) {
      throw in.corrupt("%d numbers of %d bytes".formatted(count, width));
    }
    int raw = count * width;
    if (planes.length < raw) {
      planes = new byte[withSpare(raw)];
    }
    int stored = in.readCount(0, in.left(), "stored bytes");
    if (stored == 0) {
      System.arraycopy(in.bytes(), in.skip(raw, "planes"), planes, 0, raw);
    } else {
      decompressor.decompress(in, stored, planes, 0, raw);
    }
    switch (width) { // most are narrow, so one pass serves all planes
      case 1 -> join(planes, from, count, base, divisor, values);
      case 2 -> joinTwo(planes, from, count, base, divisor, values);
      case 3 -> joinThree(planes, from, count, base, divisor, values);
      default -> joinAll(planes, width, from, count, base, divisor, values);
    }
  }

  private static void join(
      byte[] planes, int from, int count, long base, long divisor, long[] values) {
    for (int i = 0; i < count; i++) {
      values[from + i] = (planes[i] & 0xff) * divisor + base;
    }
  }

  private static void joinTwo(
      byte[] planes, int from, int count, long base, long divisor, long[] values) {
    for (int i = 0; i < count; i++) {
      int joined = (planes[i] & 0xff) | ((planes[count + i] & 0xff) << 8);
      values[from + i] = joined * divisor + base;
    }
  }

  private static void joinThree(
      byte[] planes, int from, int count, long base, long divisor, long[] values) {
    for (int i = 0; i < count; i++) {
      int low = (planes[i] & 0xff) | ((planes[count + i] & 0xff) << 8);
      int joined = low | ((planes[2 * count + i] & 0xff) << 16);
      values[from + i] = joined * divisor + base;
    }
  }

  private static void joinAll(
      byte[] planes, int width, int from, int count, long base, long divisor, long[] values) {
    for (int i = 0; i < count; i++) {
      values[from + i] = planes[i] & 0xff;
    }
    for (int plane = 1; plane < width; plane++) {
      for (int i = 0, at = plane * count; i < count; i++) {
        values[from + i] |= (planes[at + i] & 0xffL) << (8 * plane);
      }
    }
    scale(values, from, from + count, base, divisor);
  }

  private static void scale(long[] values, int from, int limit, long base, long divisor) {
    for (int i = from; i < limit; i++) {
      values[i] = values[i] * divisor + base;
    }
  }

  private static void seriesSums(
      long[] values, int count, long first, int transform, Series series) {
    if (transform == LongEncoder.TRANSFORM_SERIES2) {
      int[] likely = series.likely;
      values[0] = 0;
      for (int i = 1; i < count; i++) {
        values[i] += values[likely[i]];
      }
    }
    int[] before = series.before;
    values[0] = first;
    for (int i = 1; i < count; i++) {
      values[i] += values[before[i]];
    }
  }

  private static void sums(long[] values, int from, int limit) {
    long sum = values[from - 1];
    for (int i = from; i < limit; i++) {
      sum += values[i];
      values[i] = sum;
    }
  }
}
