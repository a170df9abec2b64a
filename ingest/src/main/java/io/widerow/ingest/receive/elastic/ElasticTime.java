package io.widerow.ingest.receive.elastic;

import io.widerow.ingest.decode.Times;
import java.nio.charset.StandardCharsets;

/// Times as `@timestamp` has them: `strict_date_optional_time||epoch_millis`. Results are
/// nanoseconds since the Unix epoch, or [Times#NONE].
final class ElasticTime {
  private static final int DATE_BYTES = 10;

  private static final byte[] MIDNIGHT = "0000-00-00T00:00:00Z".getBytes(StandardCharsets.US_ASCII);

  private ElasticTime() {}

  /// A date with or without a time of day, whose zone is UTC when it has none; or milliseconds,
  /// with or without a fraction.
  static long nanos(byte[] bytes, int offset, int limit) {
    if (limit - offset >= DATE_BYTES && bytes[offset + 4] == '-') {
      return ofDate(bytes, offset, limit);
    }
    return Times.milliseconds(bytes, offset, limit);
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
