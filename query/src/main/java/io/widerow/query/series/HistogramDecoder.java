package io.widerow.query.series;

import io.widerow.query.series.HistogramValue.Counts;
import io.widerow.query.series.HistogramValue.Hint;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Reads the messages that [HistogramMessage] writes.
///
/// - Threads: one.
final class HistogramDecoder {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final int VARINT = 0;
  private static final int FIXED = 1;
  private static final int SCHEMA_MOST = 8;
  private static final int SCHEMA_LEAST = -4;
  private static final int BUCKETS_MAX = 1 << 20; // all of the spans

  private final byte[] bytes;
  private int at;
  private double count;
  private double sum;
  private int schema;
  private double zeroThreshold;
  private double zeroCount;
  private int hint;
  private double[] bounds = HistogramValue.NO_BOUNDS;
  private final Side negative = new Side();
  private final Side positive = new Side();

  /// The parts of one sign.
  private static final class Side {
    private long[] spans = {}; // offset, length, offset ...
    private long[] deltas = {};
    private double[] counts = {};

    void span(long offset, long length) {
      spans = Arrays.copyOf(spans, spans.length + 2);
      spans[spans.length - 2] = offset;
      spans[spans.length - 1] = length;
    }

    /// @throws IllegalArgumentException when spans and counts differ in number
    Counts buckets() {
      double[] all = counts;
      if (all.length == 0) {
        all = new double[deltas.length];
        long sum = 0;
        for (int i = 0; i < all.length; i++) {
          sum += deltas[i];
          all[i] = sum;
        }
      }
      int[] numbers = new int[all.length];
      int next = 0;
      long number = 0;
      for (int i = 0; i < spans.length; i += 2) {
        number += spans[i];
        if (spans[i + 1] > BUCKETS_MAX || next + spans[i + 1] > numbers.length) {
          throw new IllegalArgumentException("spans have more buckets than there are counts");
        }
        for (long j = 0; j < spans[i + 1]; j++) {
          numbers[next++] = Math.toIntExact(number++);
        }
      }
      return Counts.of(Arrays.copyOf(numbers, next), Arrays.copyOf(all, next));
    }
  }

  private HistogramDecoder(byte[] bytes) {
    this.bytes = bytes;
  }

  static @Nullable HistogramValue decode(byte[] message) {
    try {
      return new HistogramDecoder(message).decode();
    } catch (IllegalArgumentException | ArithmeticException | IndexOutOfBoundsException none) {
      return null; // its sender has written what is no histogram
    }
  }

  private @Nullable HistogramValue decode() {
    while (at < bytes.length) {
      long tag = varint();
      int wire = (int) tag & 7;
      field((int) (tag >>> 3), wire);
    }
    boolean isCustom = schema == HistogramValue.CUSTOM;
    if (!isCustom && schema < SCHEMA_LEAST) {
      return null;
    }
    int finer = isCustom ? 0 : Math.max(0, schema - SCHEMA_MOST);
    return new HistogramValue(
        schema - finer,
        zeroThreshold,
        zeroCount,
        count,
        sum,
        Hint.of(hint),
        bounds,
        positive.buckets().coarser(finer),
        negative.buckets().coarser(finer));
  }

  private void field(int field, int wire) {
    switch (field) {
      case 1 -> count = EventPoints.unsigned(varint());
      case 2 -> count = fixed();
      case 3 -> sum = fixed();
      case 4 -> schema = (int) zigzag(varint());
      case 5 -> zeroThreshold = fixed();
      case 6 -> zeroCount = EventPoints.unsigned(varint());
      case 7 -> zeroCount = fixed();
      case 8 -> span(negative);
      case 9 -> negative.deltas = zigzags();
      case 10 -> negative.counts = fractions();
      case 11 -> span(positive);
      case 12 -> positive.deltas = zigzags();
      case 13 -> positive.counts = fractions();
      case 14 -> hint = (int) varint();
      case 16 -> bounds = fractions();
      default -> skip(wire);
    }
  }

  private void skip(int wire) {
    switch (wire) {
      case VARINT -> varint();
      case FIXED -> at += Long.BYTES;
      default -> at += Math.toIntExact(varint());
    }
  }

  private void span(Side of) {
    int end = Math.toIntExact(varint());
    end += at;
    long offset = 0;
    long length = 0;
    while (at < end) {
      long tag = varint();
      if (tag >>> 3 == 1) {
        offset = zigzag(varint());
      } else {
        length = varint();
      }
    }
    of.span(offset, length);
  }

  private long[] zigzags() {
    int end = Math.toIntExact(varint());
    end += at;
    long[] all = new long[end - at];
    int count = 0;
    while (at < end) {
      all[count++] = zigzag(varint());
    }
    return Arrays.copyOf(all, count);
  }

  private double[] fractions() {
    double[] all = new double[Math.toIntExact(varint()) / Double.BYTES];
    for (int i = 0; i < all.length; i++) {
      all[i] = fixed();
    }
    return all;
  }

  private double fixed() {
    double value = Double.longBitsToDouble((long) LONG.get(bytes, at));
    at += Long.BYTES;
    return value;
  }

  private static long zigzag(long raw) {
    return (raw >>> 1) ^ -(raw & 1);
  }

  private long varint() {
    long number = 0;
    for (int shift = 0; ; shift += 7) {
      byte part = bytes[at++];
      number |= (part & 0x7fL) << shift;
      if (part >= 0) {
        return number;
      }
    }
  }
}
