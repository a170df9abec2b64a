package io.widerow.ingest.receive.elastic;

import io.widerow.ingest.decode.Times;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Times as `@timestamp` has them: `strict_date_optional_time||epoch_millis`. Results are
/// nanoseconds since the Unix epoch, or [Times#NONE].
final class ElasticTime {
  private static final int YEAR_BYTES = 4;
  private static final int DATE_BYTES = 10;
  private static final int SECONDS_BYTES = 19; // to the seconds
  private static final int FRACTION_BYTES_MAX = 10; // with its point
  private static final int ZONE_BYTES_MAX = 6;
  private static final byte[] FORM = "0000-01-01T00:00:00".getBytes(StandardCharsets.US_ASCII);

  private ElasticTime() {}

  /// A year with as much of month, day, hour, minute and second after it as there is, and a zone
  /// after an hour, UTC when there is none; or milliseconds, with or without a fraction. Four
  /// digits are a year.
  static long nanos(byte[] bytes, int offset, int limit) {
    int length = limit - offset;
    boolean date = length >= YEAR_BYTES && Times.digits(bytes, offset, YEAR_BYTES) >= 0;
    if (date && (length == YEAR_BYTES || bytes[offset + YEAR_BYTES] == '-')) {
      long whole = Times.rfc3339(bytes, offset, limit);
      return whole != Times.NONE ? whole : partial(bytes, offset, limit);
    }
    return Times.milliseconds(bytes, offset, limit);
  }

  /// Completes a date to RFC 3339.
  private static long partial(byte[] bytes, int offset, int limit) {
    int given = given(bytes, offset, limit);
    if (given == 0) {
      return Times.NONE;
    }
    byte[] full = Arrays.copyOf(FORM, SECONDS_BYTES + FRACTION_BYTES_MAX + ZONE_BYTES_MAX);
    System.arraycopy(bytes, offset, full, 0, given);
    int at = offset + given;
    int to = SECONDS_BYTES;
    if (given == SECONDS_BYTES && at < limit && (bytes[at] == '.' || bytes[at] == ',')) {
      int digits = Times.fractionLimit(bytes, at + 1, limit);
      int kept = Math.min(digits - at - 1, FRACTION_BYTES_MAX - 1);
      full[to] = '.';
      System.arraycopy(bytes, at + 1, full, to + 1, kept);
      to += 1 + kept;
      at = digits;
    }
    if (at == limit) {
      full[to++] = 'Z';
    } else if (given > DATE_BYTES && limit - at <= ZONE_BYTES_MAX) {
      System.arraycopy(bytes, at, full, to, limit - at);
      to += limit - at;
      if (limit - at == 3) { // +01
        full[to++] = '0';
        full[to++] = '0';
      }
    } else {
      return Times.NONE;
    }
    return Times.rfc3339(full, 0, to);
  }

  /// Bytes of the date and the time of day, to the last that is whole; 0 when one is cut.
  private static int given(byte[] bytes, int offset, int limit) {
    int count = 0;
    while (count < SECONDS_BYTES && offset + count < limit) {
      byte b = bytes[offset + count];
      boolean separates = count == DATE_BYTES && (b == 't' || b == ' ');
      boolean digit = FORM[count] == '0' || FORM[count] == '1';
      boolean like = digit ? Times.isDigit(b) : FORM[count] == b;
      if (!like && !separates) {
        break;
      }
      count++;
    }
    return switch (count) {
      case 4, 7, 10, 11, 13, 16, 19 -> count;
      default -> 0;
    };
  }
}
