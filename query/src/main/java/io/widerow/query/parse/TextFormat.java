package io.widerow.query.parse;

/// A format of log lines: finds the fields of a text.
///
/// - Threads: any; immutable.
public sealed interface TextFormat
    permits AccessLogFormat,
        CaptureFormat,
        CsvLogFormat,
        HaproxyFormat,
        JsonFormat,
        LogfmtFormat,
        NginxFormat,
        RegexFormat,
        SightFormat,
        SyslogFormat {
  /// Reads the text, and puts its fields into it. Never throws, whatever the text.
  ///
  /// @param text without fields
  /// @return false when the text is not of this format; its fields are then meaningless
  boolean parse(ParsedText text);

  /// True when each field that is a text is a part of the text that was read, byte for byte.
  default boolean isVerbatim() {
    return true;
  }
}
