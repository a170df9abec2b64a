package io.widerow.query.series;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Makes the message of a native histogram from an event, as remote write had it:
///
/// ```
///   Histogram  1 count (or 2, double)   3 sum   4 schema   5 zero threshold   6 zeros (or 7)
///              8 spans { 1 offset, 2 length }   9 deltas  10 counts (doubles)  of negative
///             11 spans                         12 deltas  13 counts            of positive
///             14 reset hint   15 time (ms)   16 custom values
/// ```
///
/// An exponential histogram of OTLP becomes one: its scale is the schema, and its bucket i the
/// bucket i + 1, because Prometheus numbers buckets by their upper bounds.
///
/// Source: prometheus/prometheus `prompb/types.proto`.
///
/// - Threads: one.
final class HistogramMessage {
  private static final AttributeName COUNT = AttributeName.of("count");
  private static final AttributeName SUM = AttributeName.of("sum");
  private static final AttributeName SCALE = AttributeName.of("scale");
  private static final AttributeName SCHEMA = AttributeName.of("schema");
  private static final AttributeName THRESHOLD = AttributeName.of("zero_threshold");
  private static final AttributeName ZEROS = AttributeName.of("zero_count");
  private static final AttributeName HINT = AttributeName.of("reset_hint");
  private static final AttributeName CUSTOM = AttributeName.of("custom_values");
  private static final Side NEGATIVE = Side.of("negative", 8);
  private static final Side POSITIVE = Side.of("positive", 11);
  private static final Pattern WHOLE = Pattern.compile("-?\\d+");
  private static final int VARINT = 0;
  private static final int FIXED = 1;
  private static final int BYTES = 2;
  private static final int VARINT_ONE = 1 << 7;
  private static final byte[] NOTHING = {};

  private final AttributeValue scratch = new AttributeValue();

  /// The attributes of one sign, and the number of the field of its spans; deltas and counts
  /// follow. Only OTLP has an offset.
  private record Side(
      AttributeName spans,
      AttributeName deltas,
      AttributeName counts,
      AttributeName offset,
      int field) {
    static Side of(String sign, int field) {
      return new Side(
          AttributeName.of(sign + "_spans"),
          AttributeName.of(sign),
          AttributeName.of(sign + "_counts"),
          AttributeName.of(sign + "_offset"),
          field);
    }
  }

  /// The message; null when a part of it is no number.
  byte @Nullable [] of(EventView event) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(128);
    try {
      number(event, COUNT, 1, out);
      fraction(event, SUM, 3, out);
      boolean isOtlp = event.find(SCALE, scratch);
      zigzag(whole(event, isOtlp ? SCALE : SCHEMA), 4, out);
      fraction(event, THRESHOLD, 5, out);
      number(event, ZEROS, 6, out);
      for (Side side : List.of(NEGATIVE, POSITIVE)) {
        if (isOtlp) {
          bucketsOfOtlp(event, side, out);
        } else {
          buckets(event, side, out);
        }
      }
      varint(whole(event, HINT), 14, out);
      varint(event.timeNanos() / 1_000_000, 15, out);
      fractions(text(event, CUSTOM), 16, out);
      return out.toByteArray();
    } catch (NumberFormatException _) {
      return null;
    }
  }

  private byte[] text(EventView event, AttributeName name) {
    boolean isText = event.find(name, scratch) && scratch.kind() == AttributeKind.STRING;
    return isText ? scratch.toBytes() : NOTHING;
  }

  private long whole(EventView event, AttributeName name) {
    return event.find(name, scratch) && scratch.kind() == AttributeKind.LONG ? scratch.bits() : 0;
  }

  /// A whole number, or a fraction in the next field. A text has the digits of one that no long
  /// holds.
  private void number(EventView event, AttributeName name, int field, ByteArrayOutputStream out) {
    if (!event.find(name, scratch)) {
      return;
    }
    switch (scratch.kind()) {
      case LONG -> put(field, VARINT, scratch.bits(), out);
      case DOUBLE -> put(field + 1, FIXED, scratch.bits(), out);
      case STRING -> put(field, VARINT, Long.parseUnsignedLong(scratch.toString()), out);
      case BOOLEAN, BYTES -> {}
    }
  }

  private void fraction(EventView event, AttributeName name, int field, ByteArrayOutputStream out) {
    if (event.find(name, scratch) && scratch.kind() == AttributeKind.DOUBLE) {
      put(field, FIXED, scratch.bits(), out);
    }
  }

  private static void zigzag(long value, int field, ByteArrayOutputStream out) {
    varint((value << 1) ^ (value >> 63), field, out);
  }

  /// Zeros are left out, as in proto3.
  private static void varint(long value, int field, ByteArrayOutputStream out) {
    if (value != 0) {
      put(field, VARINT, value, out);
    }
  }

  private void buckets(EventView event, Side side, ByteArrayOutputStream out) {
    List<Long> spans = wholes(text(event, side.spans));
    for (int i = 0; i + 1 < spans.size(); i += 2) {
      ByteArrayOutputStream span = new ByteArrayOutputStream(8);
      zigzag(spans.get(i), 1, span);
      varint(spans.get(i + 1), 2, span);
      bytes(side.field, span.toByteArray(), out);
    }
    ByteArrayOutputStream deltas = new ByteArrayOutputStream(32);
    for (long delta : wholes(text(event, side.deltas))) {
      raw((delta << 1) ^ (delta >> 63), deltas);
    }
    if (deltas.size() > 0) {
      bytes(side.field + 1, deltas.toByteArray(), out);
    }
    fractions(text(event, side.counts), side.field + 2, out);
  }

  /// Counts from an offset on, as deltas in one span.
  private void bucketsOfOtlp(EventView event, Side side, ByteArrayOutputStream out) {
    List<Long> counts = wholes(text(event, side.deltas));
    if (counts.isEmpty()) {
      return;
    }
    ByteArrayOutputStream span = new ByteArrayOutputStream(8);
    zigzag(whole(event, side.offset) + 1, 1, span);
    varint(counts.size(), 2, span);
    bytes(side.field, span.toByteArray(), out);
    ByteArrayOutputStream deltas = new ByteArrayOutputStream(32);
    long before = 0;
    for (long count : counts) {
      long delta = count - before;
      raw((delta << 1) ^ (delta >> 63), deltas);
      before = count;
    }
    bytes(side.field + 1, deltas.toByteArray(), out);
  }

  private static List<Long> wholes(byte[] json) {
    List<Long> numbers = new ArrayList<>();
    String text = new String(json, StandardCharsets.UTF_8);
    for (MatchResult number : WHOLE.matcher(text).results().toList()) {
      numbers.add(Long.parseLong(number.group()));
    }
    return numbers;
  }

  private static void fractions(byte[] json, int field, ByteArrayOutputStream out) {
    ByteArrayOutputStream packed = new ByteArrayOutputStream(32);
    for (double number : NumberList.of(json)) {
      fixed(Double.doubleToRawLongBits(number), packed);
    }
    if (packed.size() > 0) {
      bytes(field, packed.toByteArray(), out);
    }
  }

  private static void put(int field, int wire, long value, ByteArrayOutputStream out) {
    raw((long) field << 3 | wire, out);
    if (wire == FIXED) {
      fixed(value, out);
    } else {
      raw(value, out);
    }
  }

  private static void bytes(int field, byte[] content, ByteArrayOutputStream out) {
    put(field, BYTES, content.length, out);
    out.writeBytes(content);
  }

  private static void fixed(long bits, ByteArrayOutputStream out) {
    for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
      out.write((int) (bits >>> shift));
    }
  }

  private static void raw(long value, ByteArrayOutputStream out) {
    long rest = value;
    while ((rest & -VARINT_ONE) != 0) {
      out.write((int) (rest & (VARINT_ONE - 1)) | VARINT_ONE);
      rest >>>= 7;
    }
    out.write((int) rest);
  }
}
