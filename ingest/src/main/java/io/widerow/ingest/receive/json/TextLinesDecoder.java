package io.widerow.ingest.receive.json;

import com.google.re2j.Pattern;
import io.widerow.event.Rejection;
import io.widerow.ingest.decode.ByteOrderMark;
import io.widerow.ingest.decode.EscapedText;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.RecordStarts;
import io.widerow.ingest.decode.SenderTime;
import io.widerow.ingest.decode.Swar;
import io.widerow.ingest.decode.TimeParser;
import io.widerow.ingest.decode.TimePattern;
import io.widerow.ingest.decode.TimeSpan;
import io.widerow.ingest.decode.TimestampDetector;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Decodes plain text: each line is one event, with the bytes of the line up to the newline as its
/// `body`. With a start pattern, a record extends to the next line that matches the pattern, so
/// that a stack trace stays with its message. Empty lines between records are not counted. A
/// newline may be CR LF, and a byte order mark before a line is not a part of it.
///
/// A record has the first time of its lines; one without a time has that of the record before it,
/// and before the first of those the time of arrival. One with a time that is not understood, or
/// that the store does not take, has that of its arrival, see [SenderTime].
///
/// - Threads: one.
public final class TextLinesDecoder {
  static final int LINE_BYTES_MAX = 1 << 20;

  private static final byte[] BODY = "body".getBytes(StandardCharsets.US_ASCII);
  private static final String TOO_LONG = "the line is longer than the limit";

  private final byte[] type;
  private final TimePattern pattern;
  private final Start start;
  private byte[] joined = {}; // a record without its CRs
  private final TimeSpan span = new TimeSpan();
  private RecordStarts starts = new RecordStarts();
  private boolean newBody; // its first line was not read yet
  private long timeBefore = TimeParser.NONE;
  private byte[] whole = {}; // the body
  private int wholeLimit;
  private int ahead; // where the lines begin that were not decoded yet
  private boolean looked; // at all lines, for the order of day and month

  /// The start of a record.
  public sealed interface Start {
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

  public TextLinesDecoder(String type, TimePattern pattern, Start start) {
    this.type = type.getBytes(StandardCharsets.UTF_8);
    this.pattern = pattern;
    this.start = start;
  }

  /// Decodes the lines of `body` in `[offset, limit)`.
  ///
  /// @param body with [Swar#SLACK_BYTES] readable bytes after `limit`
  public void decode(byte[] body, int offset, int limit, IncomingBatch batch) {
    whole = body;
    wholeLimit = limit;
    looked = false;
    starts = new RecordStarts();
    newBody = true;
    int at = offset;
    while (at < limit) {
      int end = Swar.newline(body, at, limit);
      ahead = end + 1;
      int first = ByteOrderMark.skip(body, at, end);
      int firstEnd = withoutCr(body, first, end, limit);
      if (firstEnd > first) {
        int recordEnd = recordEnd(body, first, end, limit, batch.wallNanos);
        if (recordEnd == end) {
          event(body, first, firstEnd, batch);
        } else {
          end = recordEnd;
          lines(body, first, end, limit, batch);
        }
      }
      at = end + 1;
    }
  }

  /// The end of a line that ends with `end`, without the CR of CR LF.
  private static int withoutCr(byte[] body, int offset, int end, int limit) {
    return end < limit && end > offset && body[end - 1] == '\r' ? end - 1 : end;
  }

  private int recordEnd(byte[] body, int first, int firstEnd, int limit, long nowNanos) {
    if (start instanceof Start.EveryLine) {
      return firstEnd;
    }
    if (newBody) {
      newBody = false;
      boolean _ = startsRecord(body, first, firstEnd, nowNanos); // the first line of all
    }
    int end = firstEnd;
    while (end + 1 < limit) {
      int next = Swar.newline(body, end + 1, limit);
      int offset = ByteOrderMark.skip(body, end + 1, next);
      if (startsRecord(body, offset, withoutCr(body, offset, next, limit), nowNanos)) {
        break;
      }
      end = next;
    }
    return Math.min(withoutBlankLines(body, firstEnd, end), limit);
  }

  /// Blank lines at the end are not a part of a record.
  private static int withoutBlankLines(byte[] body, int firstEnd, int recordEnd) {
    int end = recordEnd;
    while (end > firstEnd) {
      if (body[end - 1] == '\n') {
        end--;
      } else if (end > firstEnd + 1 && body[end - 1] == '\r' && body[end - 2] == '\n') {
        end -= 2;
      } else {
        break;
      }
    }
    return end;
  }

  private boolean startsRecord(byte[] body, int offset, int limit, long nowNanos) {
    return switch (start) {
      case Start.EveryLine() -> true;
      case Start.Time() -> {
        if (pattern instanceof TimePattern.Auto auto) {
          long _ = nanos(auto.sight(), body, offset, limit, nowNanos); // may look ahead
          yield starts.isStart(auto, body, offset, limit, nowNanos);
        }
        yield pattern.nanos(body, offset, limit, nowNanos) != TimeParser.NONE;
      }
      case Start.Expression(Pattern expression) -> {
        int looked = Math.min(limit - offset, 1_024);
        String text = new String(body, offset, looked, StandardCharsets.UTF_8);
        yield expression.matcher(text).lookingAt();
      }
    };
  }

  /// Ends a record of several lines, in `[offset, end)`.
  private void lines(byte[] body, int offset, int end, int limit, IncomingBatch batch) {
    int last = withoutCr(body, offset, end, limit);
    if (last - offset > LINE_BYTES_MAX || !hasCrLf(body, offset, last)) {
      event(body, offset, last, batch);
      return;
    }
    if (joined.length < last - offset + Swar.SLACK_BYTES) {
      joined = new byte[last - offset + Swar.SLACK_BYTES];
    }
    int length = 0;
    for (int i = offset; i < last; i++) {
      if (body[i] != '\r' || i + 1 == last || body[i + 1] != '\n') {
        joined[length++] = body[i];
      }
    }
    event(joined, 0, length, batch);
  }

  private static boolean hasCrLf(byte[] body, int offset, int end) {
    for (int i = offset + 1; i < end; i++) {
      if (body[i] == '\n' && body[i - 1] == '\r') {
        return true;
      }
    }
    return false;
  }

  private void event(byte[] body, int offset, int limit, IncomingBatch batch) {
    if (limit - offset > LINE_BYTES_MAX) {
      batch.refuse(TOO_LONG);
      return;
    }
    span.clear();
    long own =
        pattern instanceof TimePattern.Arrival ? TimeParser.NONE : own(body, offset, limit, batch);
    long nanos;
    if (own != TimeParser.NONE && batch.takes(own)) {
      timeBefore = own;
      nanos = own;
      span.clear();
    } else if (own != TimeParser.NONE || span.isThere()) {
      nanos = batch.replaceTime(own);
    } else {
      nanos = timeBefore == TimeParser.NONE ? batch.useArrivalTime() : timeBefore;
    }
    batch.events.begin(type, 0, type.length, nanos);
    batch.events.putString(BODY, 0, BODY.length, body, offset, limit - offset);
    putSenderTime(body, batch);
    Rejection why = batch.tryEnd();
    if (why != null) {
      escaped(why, nanos, body, offset, limit, batch);
    }
  }

  /// Puts the time as it is in the line, when the event has another one.
  private void putSenderTime(byte[] body, IncomingBatch batch) {
    if (span.isThere()) {
      byte[] name = SenderTime.NAME;
      batch.events.putString(name, 0, name.length, body, span.from(), span.length());
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
    putSenderTime(body, batch);
    batch.events.putLong(mark, 0, mark.length, text.escaped());
    batch.end();
  }

  /// The time of a record: the first that its lines have.
  private long own(byte[] body, int offset, int limit, IncomingBatch batch) {
    if (!(pattern instanceof TimePattern.Auto(TimestampDetector sight))) {
      return pattern.nanos(body, offset, limit, batch.wallNanos, span);
    }
    int at = offset;
    long nanos = TimeParser.NONE;
    while (at < limit && nanos == TimeParser.NONE && !span.isThere()) {
      int end = start instanceof Start.EveryLine ? limit : newline(body, at, limit);
      nanos = nanos(sight, body, at, end, batch.wallNanos);
      at = end + 1;
    }
    return nanos;
  }

  /// The time of a line. When it depends on whether days or months come first, later lines are
  /// asked, once a body.
  private long nanos(TimestampDetector sight, byte[] line, int offset, int limit, long nowNanos) {
    long nanos = pattern.nanos(line, offset, limit, nowNanos, span);
    if (nanos != TimeParser.NONE || looked || !sight.isUndecided()) {
      return nanos;
    }
    looked = true;
    sight.decide(whole, ahead, wholeLimit, nowNanos);
    return pattern.nanos(line, offset, limit, nowNanos, span);
  }

  /// [Swar#newline] for bytes without slack.
  private static int newline(byte[] bytes, int offset, int limit) {
    int at = offset;
    while (at < limit && bytes[at] != '\n') {
      at++;
    }
    return at;
  }
}
