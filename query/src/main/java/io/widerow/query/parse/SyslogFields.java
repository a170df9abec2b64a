package io.widerow.query.parse;

/// What a [SyslogReader] finds, as offsets in the message.
public interface SyslogFields {
  /// The parts of a message besides its priority, time and parameters.
  enum Part {
    HOST,
    APP,
    PID,
    MESSAGE_ID,
    /// What macOS writes in parentheses after the process.
    ADDRESS,
    MESSAGE
  }

  /// @param priority 0 to 191
  void priority(int priority);

  /// Takes a time that begins with a month's name, such as `Oct 11 22:14:15`.
  ///
  /// @return its end; negative when it is none
  int monthTime(int from, int limit);

  /// Takes a time as one word, mostly of ISO 8601.
  void time(int from, int until);

  /// @param until not before `from`; equal for a part that is empty
  void part(Part part, int from, int until);

  /// Takes a parameter of the structured data.
  ///
  /// @param value with the backslashes of [SyslogReader#isEscape]
  void parameter(int id, int idEnd, int name, int nameEnd, int value, int valueEnd);
}
