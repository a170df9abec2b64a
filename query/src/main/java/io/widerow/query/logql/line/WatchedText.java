package io.widerow.query.logql.line;

/// A long text that a regular expression reads: the query may end while it does.
///
/// - Threads: one.
final class WatchedText implements CharSequence {
  private static final int CHARS_BETWEEN = 1 << 12;

  /// A shorter text is read in a moment.
  private static final int SHORT_CHARS = 1 << 14;

  private final String text;
  private final Runnable check;
  private int left = CHARS_BETWEEN;

  private WatchedText(String text, Runnable check) {
    this.text = text;
    this.check = check;
  }

  /// @param check throws when the query must end
  static CharSequence of(String text, Runnable check) {
    return text.length() <= SHORT_CHARS ? text : new WatchedText(text, check);
  }

  @Override
  public char charAt(int index) {
    if (--left == 0) {
      left = CHARS_BETWEEN;
      check.run();
    }
    return text.charAt(index);
  }

  @Override
  public int length() {
    return text.length();
  }

  @Override
  public CharSequence subSequence(int start, int end) {
    return text.substring(start, end);
  }

  @Override
  public String toString() {
    return text;
  }
}
