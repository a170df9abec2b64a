package io.widerow.query.parse;

/// A line of syslog, see [SyslogReader]. The fields are those of the daemon's receiver, except that
/// the rest of the line is `message`.
record SyslogFormat() implements TextFormat {
  @Override
  public boolean parse(ParsedText text) {
    return text.syslog().parse();
  }

  @Override
  public boolean isVerbatim() {
    return false;
  }

  @Override
  public String toString() {
    return "syslog";
  }
}
