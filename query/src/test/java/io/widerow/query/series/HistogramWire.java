package io.widerow.query.series;

import io.widerow.query.series.HistogramValue.Hint;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;

/// Histograms of tests as messages of remote write.
public final class HistogramWire {
  private HistogramWire() {}

  /// The message `Histogram` with counts that are fractions.
  public static byte[] message(HistogramValue of, long millis) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    fixed(2, of.count, out);
    fixed(3, of.sum, out);
    varint(4L << 3, out);
    varint(((long) of.schema << 1) ^ ((long) of.schema >> 63), out);
    fixed(5, of.zeroThreshold, out);
    fixed(7, of.zeroCount, out);
    side(8, of.negative, out);
    side(11, of.positive, out);
    varint(14L << 3, out);
    varint(List.of(Hint.values()).indexOf(of.hint), out);
    varint(15L << 3, out);
    varint(millis, out);
    if (of.bounds.length > 0) {
      packed(16, of.bounds, out);
    }
    return out.toByteArray();
  }

  private static void side(int field, HistogramValue.Counts counts, ByteArrayOutputStream out) {
    int next = 0;
    for (int at : counts.at()) {
      ByteArrayOutputStream span = new ByteArrayOutputStream();
      long offset = (long) at - next;
      varint(1 << 3, span);
      varint((offset << 1) ^ (offset >> 63), span);
      varint(2 << 3, span);
      varint(1, span);
      varint((long) field << 3 | 2, out);
      varint(span.size(), out);
      out.writeBytes(span.toByteArray());
      next = at + 1;
    }
    if (counts.at().length > 0) {
      packed(field + 2, counts.counts(), out);
    }
  }

  private static void packed(int field, double[] values, ByteArrayOutputStream out) {
    varint((long) field << 3 | 2, out);
    varint(8L * values.length, out);
    Arrays.stream(values).forEach(value -> eight(Double.doubleToRawLongBits(value), out));
  }

  private static void fixed(int field, double value, ByteArrayOutputStream out) {
    varint((long) field << 3 | 1, out);
    eight(Double.doubleToRawLongBits(value), out);
  }

  private static void eight(long bits, ByteArrayOutputStream out) {
    for (int shift = 0; shift < 64; shift += 8) {
      out.write((int) (bits >>> shift));
    }
  }

  private static void varint(long value, ByteArrayOutputStream out) {
    long rest = value;
    while ((rest & -128) != 0) {
      out.write((int) (rest & 127) | 128);
      rest >>>= 7;
    }
    out.write((int) rest);
  }
}
