package io.widerow.ingest.receive.syslog;

import static io.widerow.event.Utf8.ascii;

import io.widerow.event.Rejection;
import io.widerow.ingest.decode.AttributeLevels;
import io.widerow.ingest.decode.AttributeTape;
import io.widerow.ingest.decode.ByteOrderMark;
import io.widerow.ingest.decode.EpochText;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.SenderTime;
import io.widerow.ingest.decode.TimeParser;
import io.widerow.ingest.decode.TimestampDetector;
import io.widerow.storage.StorageException;
import java.time.ZoneId;

/// Decodes one syslog message, RFC 5424 or RFC 3164, distinguished by what follows the priority.
/// The event's type is `syslog`. Its attributes are the fields of the header that are present, the
/// elements of the structured data as `<id>.<name>`, and the message as `body`.
///
/// ```
///   <165>1 2003-10-11T22:14:15.003Z host app 8710 ID47 [ex@1 k="v"] text       RFC 5424
///   <34>Oct 11 22:14:15 host su[230]: text                                     RFC 3164
/// ```
///
/// A message in neither format is kept whole as `body`, with the time of its arrival: syslog cannot
/// tell a sender that its message was refused. For the same reason a parameter that is given again
/// is `<id>.<name>.2`.
///
/// - Threads: one.
public final class SyslogDecoder {
  private static final byte[] TYPE = ascii("syslog");
  private static final byte[] BODY = ascii("body");
  private static final byte[] FACILITY = ascii("facility");
  private static final byte[] SEVERITY = ascii("severity");
  private static final byte[] HOST = ascii("host");
  private static final byte[] APP = ascii("app");
  private static final byte[] PID = ascii("pid");
  private static final byte[] MESSAGE_ID = ascii("msgid");

  private final AttributeTape tape = new AttributeTape(new AttributeLevels(""));
  private final TimestampDetector sight;
  private final SenderTime time;
  private byte[] bytes = new byte[0];
  private int at;
  private int limit;
  private long nowNanos;

  /// @param zone of times without one
  public SyslogDecoder(ZoneId zone) {
    sight = new TimestampDetector(zone);
    time = new SenderTime(zone);
  }

  /// Decodes the message in `[offset, newLimit)`; an empty one is skipped.
  ///
  /// @return false when the event is refused
  public boolean decode(byte[] message, int offset, int newLimit, IncomingBatch batch) {
    bytes = message;
    at = offset;
    limit = newLimit;
    while (limit > offset && (bytes[limit - 1] == 0 || bytes[limit - 1] == '\n')) {
      limit--; // some senders end messages with these
    }
    if (at == limit) {
      return true;
    }
    tape.begin(bytes);
    time.clear();
    nowNanos = batch.wallNanos;
    int priority = priority();
    boolean known = priority >= 0 && (rfc5424() || rfc3164());
    if (!known) {
      tape.begin(bytes);
      time.clear();
      at = priority >= 0 ? afterPriority(offset) : offset;
    }
    if (priority >= 0) {
      number(FACILITY, priority >>> 3);
      number(SEVERITY, priority & 7);
    }
    if (limit > at) {
      put(BODY, at, limit);
    }
    long nanos;
    try {
      nanos = time.take(batch, tape);
    } catch (StorageException.ClockWrong behind) { // the sender cannot be asked to repeat it
      batch.refuse(String.valueOf(behind.getMessage()));
      return false;
    }
    batch.events.begin(TYPE, 0, TYPE.length, nanos);
    tape.writeTo(batch.events);
    Rejection why = batch.tryEnd(tape, TYPE, 0, TYPE.length);
    if (why != null) {
      batch.refuse(why.reason());
    }
    return why == null;
  }

  private int afterPriority(int offset) {
    int close = offset;
    while (bytes[close] != '>') {
      close++;
    }
    return close + 1;
  }

  /// Reads `<0>` to `<191>`; negative when there is none.
  private int priority() {
    if (bytes[at] != '<') {
      return -1;
    }
    int end = at + 1;
    while (end < limit && end - at <= 3 && TimeParser.isDigit(bytes[end])) {
      end++;
    }
    if (end == at + 1 || end == limit || bytes[end] != '>') {
      return -1;
    }
    int priority = TimeParser.digits(bytes, at + 1, end - at - 1);
    if (priority > 191) {
      return -1;
    }
    at = end + 1;
    return priority;
  }

  private boolean rfc5424() {
    int start = at;
    if (at + 2 > limit || bytes[at] != '1' || bytes[at + 1] != ' ') {
      return false;
    }
    at += 2;
    int timeAt = at;
    int end = token();
    if (end < 0) {
      at = start;
      return false;
    }
    if (!isNil(timeAt, end)) {
      time.text(bytes, false, timeAt, end - timeAt, EpochText.AUTO, nowNanos);
    }
    if (header(HOST) && header(APP) && header(PID) && header(MESSAGE_ID) && structuredData()) {
      at = ByteOrderMark.skip(bytes, at, limit);
      return true;
    }
    at = start;
    tape.begin(bytes);
    time.clear();
    return false;
  }

  /// Consumes the token at `at` and the space after it. Returns the end of the token; negative when
  /// there is none.
  private int token() {
    int end = at;
    while (end < limit && bytes[end] != ' ') {
      end++;
    }
    if (end == at) {
      return -1;
    }
    at = Math.min(limit, end + 1);
    return end;
  }

  private boolean isNil(int from, int until) {
    return until - from == 1 && bytes[from] == '-';
  }

  private boolean header(byte[] name) {
    int start = at;
    int end = token();
    if (end >= 0 && !isNil(start, end)) {
      put(name, start, end);
    }
    return end >= 0;
  }

  private boolean structuredData() {
    if (at < limit && bytes[at] == '-') {
      at++;
    } else if (at == limit || bytes[at] != '[') {
      return false;
    }
    while (at < limit && bytes[at] == '[') {
      if (!element()) {
        return false;
      }
    }
    if (at < limit && bytes[at] != ' ') {
      return false;
    }
    at = Math.min(limit, at + 1);
    return true;
  }

  /// Reads `[id name="value" ...]`.
  private boolean element() {
    int id = ++at;
    while (at < limit && bytes[at] != ' ' && bytes[at] != ']') {
      at++;
    }
    int idEnd = at;
    while (at < limit && bytes[at] == ' ') {
      int name = ++at;
      while (at < limit && bytes[at] != '=' && bytes[at] != ']') {
        at++;
      }
      if (at == limit || bytes[at] != '=' || at + 1 == limit || bytes[at + 1] != '"') {
        return false;
      }
      int joined = tape.scratchLimit();
      tape.appendScratch(bytes, id, idEnd - id);
      tape.appendScratch('.');
      tape.appendScratch(bytes, name, at - name);
      tape.name(true, joined, tape.scratchLimit() - joined);
      at += 2;
      if (!value()) {
        return false;
      }
    }
    if (at == limit || bytes[at] != ']') {
      return false;
    }
    at++;
    return true;
  }

  /// Reads up to the closing quote. A backslash escapes a quote, a backslash and a closing bracket.
  private boolean value() {
    int start = tape.scratchLimit();
    while (at < limit && bytes[at] != '"') {
      boolean escaped = bytes[at] == '\\' && at + 1 < limit && "\"\\]".indexOf(bytes[at + 1]) >= 0;
      at += escaped ? 1 : 0;
      tape.appendScratch(bytes[at++]);
    }
    if (at == limit) {
      return false;
    }
    at++;
    tape.string(true, start, tape.scratchLimit() - start);
    return true;
  }

  private boolean rfc3164() {
    int month = limit - at >= 16 ? TimeParser.month(bytes, at) : -1;
    if (month < 0) {
      return rfc3339Header();
    }
    int start = at;
    long nanos = sight.first(bytes, start, limit, nowNanos);
    int end = (nanos != TimeParser.NONE ? sight.time() : sight.unread()).until();
    if (end == 0) { // no such day
      end = start + 15;
      boolean clock = bytes[start + 3] == ' ' && TimeParser.secondsOfDay(bytes, start + 7) >= 0;
      if (!clock || bytes[end] != ' ') {
        return false;
      }
    }
    boolean colon = end + 1 < limit && bytes[end] == ':' && bytes[end + 1] == ' ';
    if (end < limit && bytes[end] != ' ' && !colon) {
      return false;
    }
    time.read(nanos, false, start, end - start);
    at = Math.min(limit, colon ? end + 2 : end + 1);
    return hostAndTag();
  }

  /// The format of `logger` and of rsyslog with precise times: RFC 3164 with an ISO 8601 time.
  private boolean rfc3339Header() {
    int start = at;
    int end = token();
    int basic = start + 8; // 20261128T160000Z
    int extended = start + 10; // 2026-11-28T16:00:00Z
    boolean dated =
        (end > basic && bytes[basic] == 'T')
            || (end > extended && bytes[start + 4] == '-' && bytes[extended] == 'T');
    if (!dated || TimeParser.digits(bytes, start, 4) < 0) {
      at = start;
      return false;
    }
    time.text(bytes, false, start, end - start, EpochText.AUTO, nowNanos);
    return hostAndTag();
  }

  /// Reads `host app[pid]: text`; without a host it begins with the tag.
  private boolean hostAndTag() {
    int start = at;
    int end = token();
    if (end < 0) {
      return true;
    }
    boolean tagFirst = bytes[end - 1] == ':' || bytes[end - 1] == ']';
    if (tagFirst) {
      at = start;
    } else {
      put(HOST, start, end);
    }
    tag();
    return true;
  }

  private void tag() {
    int start = at;
    int end = start;
    while (end < limit && end - start < 64 && bytes[end] != ':' && bytes[end] != '[') {
      if (bytes[end] == ' ') {
        return; // no tag: all of it is text
      }
      end++;
    }
    if (end == limit || end == start || end - start == 64) {
      return;
    }
    int next = end;
    if (bytes[end] == '[') {
      int close = end + 1;
      while (close < limit && bytes[close] != ']') {
        close++;
      }
      if (close == limit) {
        return;
      }
      put(PID, end + 1, close);
      next = close + 1;
    }
    put(APP, start, end);
    if (next < limit && bytes[next] == ':') {
      next++;
    }
    at = next < limit && bytes[next] == ' ' ? next + 1 : next;
  }

  private void put(byte[] name, int from, int until) {
    int offset = tape.scratchLimit();
    tape.appendScratch(name, 0, name.length);
    tape.name(true, offset, name.length);
    tape.string(false, from, until - from);
  }

  private void number(byte[] name, long value) {
    int offset = tape.scratchLimit();
    tape.appendScratch(name, 0, name.length);
    tape.name(true, offset, name.length);
    tape.whole(value);
  }
}
