package io.widerow.query.parse;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;

/// Puts the fields of a line of syslog into the text that it is. A process id is a number when it
/// looks like one; of parameters that are given again the first counts.
///
/// - Threads: one.
final class SyslogText implements SyslogFields {
  private static final AttributeName FACILITY = AttributeName.of("facility");
  private static final AttributeName SEVERITY = AttributeName.of("severity");
  private static final AttributeName MESSAGE_ID = AttributeName.of("msgid");
  private static final AttributeName ADDRESS = AttributeName.of("address");

  private final ParsedText text;
  private final SyslogReader reader = new SyslogReader(this);

  SyslogText(ParsedText text) {
    this.text = text;
  }

  boolean parse() {
    return reader.read(text.bytes(), 0, text.length(), false);
  }

  @Override
  public void priority(int priority) {
    text.putBits(FACILITY, AttributeKind.LONG, priority >>> 3);
    text.putBits(SEVERITY, AttributeKind.LONG, priority & 7);
  }

  @Override
  public int monthTime(int from, int limit) {
    int end = SyslogReader.monthTimeEnd(text.bytes(), from, limit);
    if (end > 0) {
      time(from, end);
    }
    return end;
  }

  @Override
  public void time(int from, int until) {
    text.putText(FieldNames.TIME, from, until);
  }

  @Override
  public void part(Part part, int from, int until) {
    switch (part) {
      case HOST -> text.putText(FieldNames.HOST, from, until);
      case APP -> text.putText(FieldNames.APP, from, until);
      case PID -> text.put(FieldNames.PID, from, until);
      case MESSAGE_ID -> text.putText(MESSAGE_ID, from, until);
      case ADDRESS -> text.putText(ADDRESS, from, until);
      case MESSAGE -> text.putText(FieldNames.MESSAGE, from, until);
    }
  }

  @Override
  public void parameter(int id, int idEnd, int name, int nameEnd, int value, int valueEnd) {
    int made = text.made();
    text.make(id, idEnd);
    text.make((byte) '.');
    text.make(name, nameEnd);
    AttributeName joined = text.nameOf(made, text.made());
    text.unmake(made);
    if (joined == null || text.find(joined) >= 0) {
      return;
    }
    for (int i = value; i < valueEnd; i++) {
      i += SyslogReader.isEscape(text.bytes(), i, valueEnd) ? 1 : 0;
      text.make(text.bytes()[i]);
    }
    text.put(joined, made, text.made());
  }
}
