package io.widerow.ingest;

import com.google.re2j.Pattern;
import io.widerow.event.Rejection;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Decodes plain text: each line is one event, with the bytes of the line up to the newline as its
/// `body`; those that are not UTF-8 are escaped, see [EscapedText]. With a start pattern, a record
/// extends to the next line that matches the pattern, so that a stack trace stays with its message.
/// Empty lines between records are not counted.
///
/// - Threads: one.
final class TextLinesDecoder {
  static final int LINE_BYTES_MAX = 1 << 20;

  private static final byte[] BODY = "body".getBytes(StandardCharsets.US_ASCII);
  private static final String NO_TIME = "the line has no time of the given format";
  private static final String TOO_LONG = "the line is longer than the limit";

  private final byte[] type;
  private final TimePattern pattern;
  private final Start start;

  /// What starts a record.
  sealed interface Start {
    /// Every line does.
    record EveryLine() implements Start {}

    /// A line with a time does.
    record Time() implements Start {}

    /// A line whose beginning the expression matches does.
    record Expression(Pattern pattern) implements Start {}

    /// @param text null for every line, `time`, or an RE2 expression
    static Start of(@Nullable String text) {
      if (text == null) {
        return new EveryLine();
      }
      return text.equals("time") ? new Time() : new Expression(Pattern.compile(text));
    }
  }

  TextLinesDecoder(String type, TimePattern pattern, Start start) {
    this.type = type.getBytes(StandardCharsets.UTF_8);
    this.pattern = pattern;
    this.start = start;
  }

  /// Decodes the lines of `body` in `[offset, limit)`.
  ///
  /// @param body with [Swar#SLACK_BYTES] readable bytes after `limit`
  void decode(byte[] body, int offset, int limit, IncomingBatch batch) {
    int at = offset;
    while (at < limit) {
      int end = Swar.newline(body, at, limit);
      if (end > at) {
        end = recordEnd(body, end, limit);
        event(body, at, end, batch);
      }
      at = end + 1;
    }
  }

  private int recordEnd(byte[] body, int firstEnd, int limit) {
    if (start instanceof Start.EveryLine) {
      return firstEnd;
    }
    int end = firstEnd;
    while (end + 1 < limit) {
      int next = Swar.newline(body, end + 1, limit);
      if (startsRecord(body, end + 1, next)) {
        break;
      }
      end = next;
    }
    while (end > firstEnd
        && body[end - 1] == '\n') { // trailing blank lines are not part of a record
      end--;
    }
    return Math.min(end, limit);
  }

  private boolean startsRecord(byte[] body, int offset, int limit) {
    return switch (start) {
      case Start.EveryLine() -> true;
      case Start.Time() -> pattern.nanos(body, offset, limit) != Times.NONE;
      case Start.Expression(Pattern expression) -> {
        int looked = Math.min(limit - offset, 1_024);
        String text = new String(body, offset, looked, StandardCharsets.UTF_8);
        yield expression.matcher(text).lookingAt();
      }
    };
  }

  private void event(byte[] body, int offset, int limit, IncomingBatch batch) {
    if (limit - offset > LINE_BYTES_MAX) {
      batch.refuse(TOO_LONG);
      return;
    }
    long nanos;
    if (pattern instanceof TimePattern.Arrival) {
      nanos = batch.useArrivalTime();
    } else {
      nanos = pattern.nanos(body, offset, limit);
      if (nanos == Times.NONE) {
        batch.refuse(NO_TIME);
        return;
      }
    }
    batch.events.begin(type, 0, type.length, nanos);
    batch.events.putString(BODY, 0, BODY.length, body, offset, limit - offset);
    Rejection why = batch.tryEnd();
    if (why != null) {
      escaped(why, nanos, body, offset, limit, batch);
    }
  }

  /// Stores a line whose bytes are not UTF-8 with these bytes escaped; or refuses it.
  private void escaped(
      Rejection why, long nanos, byte[] body, int offset, int limit, IncomingBatch batch) {
    EscapedText text = EscapedText.of(why, body, offset, limit, false);
    if (text == null) {
      batch.refuse(why.reason());
      return;
    }
    byte[] mark = EscapedText.MARK;
    batch.events.begin(type, 0, type.length, nanos);
    batch.events.putString(BODY, 0, BODY.length, text.bytes(), 0, text.length());
    batch.events.putLong(mark, 0, mark.length, text.escaped());
    batch.end();
  }
}
