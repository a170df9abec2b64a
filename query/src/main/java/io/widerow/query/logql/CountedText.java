package io.widerow.query.logql;

import java.util.function.LongConsumer;

/// A text that grows, whose characters are counted before they are made: when it has twice as many
/// as were counted last, and at the end.
///
/// - Threads: one.
final class CountedText {
  private final StringBuilder text = new StringBuilder();
  private final LongConsumer made;
  private long room; // characters for which there is no further count

  /// @param made receives the length that it will have; it may refuse by throwing
  CountedText(LongConsumer made) {
    this.made = made;
  }

  int length() {
    return text.length();
  }

  CountedText append(CharSequence more) {
    return append(more, 0, more.length());
  }

  CountedText append(CharSequence of, int from, int until) {
    count((long) until - from);
    text.append(of, from, until);
    return this;
  }

  CountedText append(char more) {
    count(1);
    text.append(more);
    return this;
  }

  CountedText repeat(char more, long times) {
    count(times);
    text.repeat(more, Math.toIntExact(times));
    return this;
  }

  /// Counts characters that are about to be added.
  void count(long more) {
    long length = text.length() + more;
    if (length > room) {
      made.accept(length);
      room = 2 * length;
    }
  }

  @Override
  public String toString() {
    made.accept(text.length());
    return text.toString();
  }
}
