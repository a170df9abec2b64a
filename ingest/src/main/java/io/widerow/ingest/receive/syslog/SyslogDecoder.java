package io.widerow.ingest.receive.syslog;

import static io.widerow.event.Utf8.ascii;

import io.widerow.event.Rejection;
import io.widerow.ingest.decode.AttributeLevels;
import io.widerow.ingest.decode.AttributeTape;
import io.widerow.ingest.decode.EpochText;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.SenderTime;
import io.widerow.ingest.decode.TimeParser;
import io.widerow.ingest.decode.TimestampDetector;
import io.widerow.query.parse.SyslogFields;
import io.widerow.query.parse.SyslogReader;
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
public final class SyslogDecoder implements SyslogFields {
  private static final byte[] TYPE = ascii("syslog");
  private static final byte[] FACILITY = ascii("facility");
  private static final byte[] SEVERITY = ascii("severity");
  private static final byte[][] NAMES = {
    ascii("host"), ascii("app"), ascii("pid"), ascii("msgid"), ascii("address"), ascii("body")
  };

  private final AttributeTape tape = new AttributeTape(new AttributeLevels(""));
  private final int[] names = new int[NAMES.length]; // in the scratch
  private final TimestampDetector sight;
  private final SenderTime time;
  private final SyslogReader reader = new SyslogReader(this);
  private byte[] bytes = new byte[0];
  private int priority;
  private long nowNanos;

  /// @param zone of times without one
  public SyslogDecoder(ZoneId zone) {
    sight = new TimestampDetector(zone);
    time = new SenderTime(zone);
    for (int i = 0; i < names.length; i++) {
      names[i] = tape.constant(NAMES[i]);
    }
  }

  /// Decodes the message in `[offset, limit)`; an empty one is skipped.
  ///
  /// @return false when the event is refused
  public boolean decode(byte[] message, int offset, int limit, IncomingBatch batch) {
    bytes = message;
    int end = limit;
    while (end > offset && (bytes[end - 1] == 0 || bytes[end - 1] == '\n')) {
      end--; // some senders end messages with these
    }
    if (end == offset) {
      return true;
    }
    tape.begin(bytes);
    time.clear();
    priority = -1;
    nowNanos = batch.wallNanos;
    if (!reader.read(bytes, offset, end, true)) {
      tape.begin(bytes);
      time.clear();
      if (reader.at() < end) {
        part(Part.MESSAGE, reader.at(), end);
      }
    }
    if (priority >= 0) {
      tape.mark(FACILITY, priority >>> 3);
      tape.mark(SEVERITY, priority & 7);
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

  @Override
  public void priority(int newPriority) {
    priority = newPriority;
  }

  @Override
  public int monthTime(int from, int limit) {
    long nanos = sight.first(bytes, from, limit, nowNanos);
    int end = (nanos != TimeParser.NONE ? sight.time() : sight.unread()).until();
    if (end == 0) { // no such day
      boolean clock = TimeParser.secondsOfDay(bytes, from + 7) >= 0;
      end = clock ? SyslogReader.monthTimeEnd(bytes, from, limit) : -1;
    }
    if (end > 0) {
      time.read(nanos, false, from, end - from);
    }
    return end;
  }

  @Override
  public void time(int from, int until) {
    time.text(bytes, false, from, until - from, EpochText.AUTO, nowNanos);
  }

  @Override
  public void part(Part part, int from, int until) {
    int place =
        switch (part) {
          case HOST -> 0;
          case APP -> 1;
          case PID -> 2;
          case MESSAGE_ID -> 3;
          case ADDRESS -> 4;
          case MESSAGE -> 5;
        };
    tape.name(true, names[place], NAMES[place].length);
    tape.string(false, from, until - from);
  }

  @Override
  public void parameter(int id, int idEnd, int name, int nameEnd, int value, int valueEnd) {
    int joined = tape.scratchLimit();
    tape.appendScratch(bytes, id, idEnd - id);
    tape.appendScratch('.');
    tape.appendScratch(bytes, name, nameEnd - name);
    tape.name(true, joined, tape.scratchLimit() - joined);
    int start = tape.scratchLimit();
    for (int i = value; i < valueEnd; i++) {
      i += SyslogReader.isEscape(bytes, i, valueEnd) ? 1 : 0;
      tape.appendScratch(bytes[i]);
    }
    tape.string(true, start, tape.scratchLimit() - start);
  }
}
