package io.widerow.loadgen.workload;

import io.widerow.loadgen.format.Quantity;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/// Writes stamps into prepared batches. A second's text is formatted once and then copied, so a
/// stamp costs some nanoseconds.
///
/// - Threads: one.
public final class Stamper {
  private static final DateTimeFormatter COMMON_LOG = form("dd/MMM/yyyy:HH:mm:ss '+0000'");
  private static final DateTimeFormatter LOG4J = form("yyyy-MM-dd HH:mm:ss',000'");
  private static final DateTimeFormatter RFC3339 = form("yyyy-MM-dd'T'HH:mm:ss'.000000000Z'");
  private static final DateTimeFormatter RFC3339_MICROS = form("yyyy-MM-dd'T'HH:mm:ss'.000000Z'");

  private final byte[] digits = new byte[19];
  private final Map<Stamp, SecondText> secondTexts = new EnumMap<>(Stamp.class);

  /// The last second that was written in one form.
  private static final class SecondText {
    final byte[] text;
    long second = Long.MIN_VALUE;

    SecondText(int width) {
      text = new byte[width];
    }
  }

  public Stamper() {
    for (Stamp stamp : Stamp.values()) {
      secondTexts.put(stamp, new SecondText(stamp.width));
    }
  }

  private static DateTimeFormatter form(String pattern) {
    return DateTimeFormatter.ofPattern(pattern, Locale.ROOT).withZone(ZoneOffset.UTC);
  }

  void stamp(ByteBuffer bytes, int offset, Stamp stamp, long sequence, long timeNanos) {
    switch (stamp) {
      case SEQUENCE -> digits(bytes, offset, 13, Stamp.SEQUENCE_BASE + sequence);
      case EPOCH_NANOS -> digits(bytes, offset, 19, timeNanos);
      case EPOCH_MICROS -> digits(bytes, offset, 16, timeNanos / Quantity.MICRO);
      case EPOCH_MILLIS -> digits(bytes, offset, 13, timeNanos / Quantity.MILLI);
      case EPOCH_SECONDS -> digits(bytes, offset, 10, timeNanos / Quantity.SECOND);
      case EPOCH_DECIMALS -> {
        digits(bytes, offset, 10, timeNanos / Quantity.SECOND);
        bytes.put(offset + 10, (byte) '.');
        digits(bytes, offset + 11, 9, timeNanos % Quantity.SECOND);
      }
      case COMMON_LOG -> second(bytes, offset, stamp, timeNanos);
      case LOG4J -> {
        long nanos = second(bytes, offset, stamp, timeNanos);
        digits(bytes, offset + 20, 3, nanos / Quantity.MILLI);
      }
      case RFC3339 -> {
        long nanos = second(bytes, offset, stamp, timeNanos);
        digits(bytes, offset + 20, 9, nanos);
      }
      case RFC3339_MICROS -> {
        long nanos = second(bytes, offset, stamp, timeNanos);
        digits(bytes, offset + 20, 6, nanos / Quantity.MICRO);
      }
      default -> binary(bytes, offset, stamp, sequence, timeNanos);
    }
  }

  private static void binary(
      ByteBuffer bytes, int offset, Stamp stamp, long sequence, long timeNanos) {
    long seconds = timeNanos / Quantity.SECOND;
    long nanos = timeNanos % Quantity.SECOND;
    switch (stamp) {
      case FIXED_NANOS -> bytes.putLong(offset, Long.reverseBytes(timeNanos));
      case FIXED_SEQUENCE -> {
        double number = Stamp.SEQUENCE_BASE + sequence; // exact below 2^53
        bytes.putLong(offset, Long.reverseBytes(Double.doubleToRawLongBits(number)));
      }
      case VARINT_SECONDS -> varint(bytes, offset, stamp.width, seconds);
      case VARINT_NANOS -> varint(bytes, offset, stamp.width, nanos);
      case VARINT_MILLIS -> varint(bytes, offset, stamp.width, timeNanos / Quantity.MILLI);
      case EVENT_TIME -> bytes.putLong(offset, (seconds << Integer.SIZE) | nanos);
      default -> throw new IllegalStateException(stamp + " is text");
    }
  }

  private static void varint(ByteBuffer bytes, int offset, int width, long number) {
    assert (number >> (7 * width)) == 0 : number + " is longer than " + width + " bytes";
    for (int i = 0; i < width; i++) {
      int more = i < width - 1 ? 0x80 : 0;
      bytes.put(offset + i, (byte) (more | ((number >> (7 * i)) & 0x7f)));
    }
  }

  /// The text that [#stamp] writes, for comparison.
  public String text(Stamp stamp, long sequence, long timeNanos) {
    ByteBuffer bytes = ByteBuffer.allocate(stamp.width);
    stamp(bytes, 0, stamp, sequence, timeNanos);
    return new String(bytes.array(), StandardCharsets.US_ASCII);
  }

  /// A text with its marks replaced by their stamps.
  public String stamped(String marked, long sequence, long timeNanos) {
    StringBuilder out = new StringBuilder(marked.length() + 64);
    for (int i = 0; i < marked.length(); i++) {
      char c = marked.charAt(i);
      if (Stamp.isMark(c)) {
        out.append(text(Stamp.ofMark(c), sequence, timeNanos));
      } else {
        out.append(c);
      }
    }
    return out.toString();
  }

  /// Writes the whole second and returns the remaining nanoseconds.
  private long second(ByteBuffer bytes, int offset, Stamp stamp, long timeNanos) {
    long second = Math.floorDiv(timeNanos, Quantity.SECOND);
    SecondText last = Objects.requireNonNull(secondTexts.get(stamp));
    if (last.second != second) {
      byte[] fresh =
          formatter(stamp)
              .format(Instant.ofEpochSecond(second))
              .getBytes(StandardCharsets.US_ASCII);
      assert fresh.length == stamp.width : stamp + " is " + fresh.length + " bytes";
      System.arraycopy(fresh, 0, last.text, 0, fresh.length);
      last.second = second;
    }
    bytes.put(offset, last.text);
    return timeNanos - second * Quantity.SECOND;
  }

  private static DateTimeFormatter formatter(Stamp stamp) {
    return switch (stamp) {
      case COMMON_LOG -> COMMON_LOG;
      case LOG4J -> LOG4J;
      case RFC3339 -> RFC3339;
      case RFC3339_MICROS -> RFC3339_MICROS;
      default -> throw new IllegalStateException(stamp + " has no seconds");
    };
  }

  private void digits(ByteBuffer bytes, int offset, int width, long number) {
    long rest = number;
    for (int i = width - 1; i >= 0; i--) {
      digits[i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    bytes.put(offset, digits, 0, width);
  }
}
