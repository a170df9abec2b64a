package io.widerow.ingest.decode;

/// The bytes of a line that are its time, or that stand for it and are not understood.
///
/// - Threads: one.
public final class TimeSpan {
  private int from;
  private int until;

  /// Forgets the bytes.
  public void clear() {
    set(0, 0);
  }

  void set(int newFrom, int newUntil) {
    from = newFrom;
    until = newUntil;
  }

  void set(TimeSpan other) {
    set(other.from, other.until);
  }

  /// Whether the line has such bytes.
  public boolean isThere() {
    return until > from;
  }

  /// Offset of the first byte.
  public int from() {
    return from;
  }

  /// Offset after the last byte.
  public int until() {
    return until;
  }

  /// Number of bytes.
  public int length() {
    return until - from;
  }
}
