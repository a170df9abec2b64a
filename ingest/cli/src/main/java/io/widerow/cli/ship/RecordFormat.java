package io.widerow.cli.ship;

import com.google.re2j.Pattern;
import io.widerow.ingest.decode.TimePattern;
import java.time.DateTimeException;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/// The rules by which the bytes of a file become records. Refuses invalid combinations.
///
/// @param format form of the lines
/// @param start what begins a record: null for every line, `time`, or an RE2 expression
/// @param ts form of a line's time, as the parameter `ts` of `POST /v1/events`
/// @param at bytes into the line at which a pattern of `ts` begins; negative for any word
/// @param zone of times without one
/// @param recordBytesMax a longer record is cut, in bytes, [#RECORD_BYTES_MIN] or more
/// @param batchBytes bytes of a file that go into one batch, at least four records
record RecordFormat(
    Format format,
    @Nullable String start,
    String ts,
    int at,
    ZoneId zone,
    int recordBytesMax,
    int batchBytes) {
  static final int RECORD_BYTES_MIN = 64;
  static final int RECORD_BYTES_DEFAULT = 240 << 10;
  static final int BATCH_BYTES_DEFAULT = 1 << 20;
  static final int BATCH_BYTES_MAX = 8 << 20;

  /// The form of lines.
  enum Format {
    /// Each line by sight: Docker's json-file, CRI, a JSON object, else text.
    auto,
    /// Every line is text.
    text,
    /// A line is a JSON object, else text.
    json,
    /// Docker's json-file, else as with auto.
    docker,
    /// CRI, the form of Kubernetes, else as with auto.
    cri
  }

  RecordFormat {
    if (recordBytesMax < RECORD_BYTES_MIN || recordBytesMax > BATCH_BYTES_MAX / 4) {
      throw new IllegalArgumentException(
          "record-bytes-max must be %d to %d, got %d"
              .formatted(RECORD_BYTES_MIN, BATCH_BYTES_MAX / 4, recordBytesMax));
    }
    if (batchBytes < 4 * recordBytesMax || batchBytes > BATCH_BYTES_MAX) {
      throw new IllegalArgumentException(
          "batch-bytes must be 4 times record-bytes-max (%d) to %d, got %d"
              .formatted(4 * recordBytesMax, BATCH_BYTES_MAX, batchBytes));
    }
    if (start != null && format == Format.json) {
      throw new IllegalArgumentException("start is for text, not with format json");
    }
    try {
      TimePattern _ = TimePattern.of(ts, at, zone);
      if (start != null && !start.equals("time")) {
        Pattern _ = Pattern.compile(start);
      }
    } catch (DateTimeException | com.google.re2j.PatternSyntaxException bad) {
      throw new IllegalArgumentException(bad.getMessage(), bad);
    }
  }

  /// Those of a command without options: times without a zone are of this machine's.
  static RecordFormat of(Format format, @Nullable String start) {
    return new RecordFormat(
        format,
        start,
        "auto",
        -1,
        ZoneId.systemDefault(),
        RECORD_BYTES_DEFAULT,
        BATCH_BYTES_DEFAULT);
  }

  RecordFormat withZone(ZoneId other) {
    return new RecordFormat(format, start, ts, at, other, recordBytesMax, batchBytes);
  }

  /// The same with records of at most `bytes` and batches of four of them.
  RecordFormat withRecordBytesMax(int bytes) {
    return new RecordFormat(format, start, ts, at, zone, bytes, 4 * bytes);
  }

  /// A pattern for one batch. A pattern keeps state of earlier lines, and a batch must not depend
  /// on lines before it.
  TimePattern newPattern() {
    return TimePattern.of(ts, at, zone);
  }
}
