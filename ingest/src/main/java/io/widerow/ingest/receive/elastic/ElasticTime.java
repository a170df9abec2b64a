package io.widerow.ingest.receive.elastic;

import io.widerow.ingest.decode.Times;
import java.nio.charset.StandardCharsets;

/// Times as `@timestamp` has them: `strict_date_optional_time||epoch_millis`. Results are
/// nanoseconds since the Unix epoch, or [Times#NONE].
final class ElasticTime {
  private static final int DATE_BYTES = 10;
  private static final int DIGITS_MAX = 18; // so many fit into a long
  private static final long NANOS_PER_MILLISECOND = 1_000_000;

  private static final byte[] MIDNIGHT = "0000-00-00T00:00:00Z".getBytes(StandardCharsets.US_ASCII);

  private ElasticTime() {}

  /// A date with or without a time of day, whose zone is UTC when it has none; or milliseconds,
  /// with or without a fraction.
  static long nanos(byte[] bytes, int offset, int limit) {
    if (limit - offset >= DATE_BYTES && bytes[offset + 4] == '-') {
      return ofDate(bytes, offset, limit);
    }
    int end = Times.fractionLimit(bytes, offset, limit);
    boolean isNumber =
        end > offset
            && end - offset <= DIGITS_MAX
            && (end == limit
                || (bytes[end] == '.'
                    && end + 1 < limit
                    && Times.fractionLimit(bytes, end + 1, limit) == limit));
    if (!isNumber) {
      return Times.NONE;
    }
    long whole = 0;
    for (int at = offset; at < end; at++) {
      whole = 10 * whole + bytes[at] - '0';
    }
    long nanos = Times.ofUnit(whole, NANOS_PER_MILLISECOND);
    long scale = NANOS_PER_MILLISECOND;
    for (int at = end + 1; at < limit && scale > 1 && nanos < Long.MAX_VALUE - scale; at++) {
      scale /= 10;
      nanos += (bytes[at] - '0') * scale;
    }
    return nanos;
  }

  private static long ofDate(byte[] bytes, int offset, int limit) {
    if (limit - offset == DATE_BYTES) {
      byte[] midnight = MIDNIGHT.clone();
      System.arraycopy(bytes, offset, midnight, 0, DATE_BYTES);
      return Times.rfc3339(midnight, 0, midnight.length);
    }
    long zoned = Times.rfc3339(bytes, offset, limit);
    if (zoned != Times.NONE) {
      return zoned;
    }
    int end = offset + 19;
    if (end < limit && (bytes[end] == '.' || bytes[end] == ',')) {
      int digits = Times.fractionLimit(bytes, end + 1, limit);
      end = digits == end + 1 ? limit + 1 : digits;
    }
    int point = bytes[Math.min(offset + 19, limit - 1)];
    return end == limit ? Times.dateTime(bytes, offset, limit, point) : Times.NONE;
  }
}
