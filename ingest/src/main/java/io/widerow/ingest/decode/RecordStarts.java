package io.widerow.ingest.decode;

/// Whether a line with a time starts a record, or only mentions the time, as a stack trace may:
///
/// ```
///   2026-11-28 16:00:00 ERROR lease lost          starts one: the line begins with its time
///   java.lang.IllegalStateException: lease ended at 2026-11-28 15:59:59       mentions one
/// ```
///
/// A line starts a record when it begins with its time, or when its time has the form of the first
/// line's and stands after as many words, or when it is that of an access log. An indented line
/// starts none.
///
/// - Threads: one, for the lines of one body.
public final class RecordStarts {
  private static final int UNKNOWN = -1;

  private final TimeSpan span = new TimeSpan();
  private int firstWords = UNKNOWN; // before the time of the first line that has one
  private int firstForm;

  /// @param sight reads the lines
  /// @param nowNanos completes times without a year
  public boolean isStart(
      TimePattern.Auto sight, byte[] line, int offset, int limit, long nowNanos) {
    if (offset == limit || line[offset] == ' ' || line[offset] == '\t') {
      return false;
    }
    long _ = sight.nanos(line, offset, limit, nowNanos, span);
    return span.isThere() && isStart(sight.sight().form(), line, offset);
  }

  private boolean isStart(int form, byte[] line, int offset) {
    int words = 0;
    for (int at = offset + 1; at < span.from(); at++) {
      words += line[at] == ' ' && line[at - 1] != ' ' ? 1 : 0;
    }
    if (firstWords == UNKNOWN) {
      firstWords = words;
      firstForm = form;
    }
    boolean access = line[span.from() - (words > 0 ? 1 : 0)] == '[' && line[span.from() + 2] == '/';
    return words == 0 || access || (words == firstWords && form == firstForm);
  }
}
