package io.widerow.query.logql.line;

import io.widerow.query.QueryException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/// Heap memory for the texts and labels of one line after the other. Stages reserve it before they
/// make a text; the next line gives it back. A part of it stays reserved, so that short lines do
/// not touch the count that all queries share.
///
/// - Threads: one.
public final class LineMemory {
  private static final long KEPT_BYTES = 128 << 10;

  /// Of a label: its slots, its place in an index, and the heads of its texts.
  private static final long LABEL_BYTES = 192;

  private final long nowNanos = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
  private final long textBytesMax;
  private final LongConsumer memory;
  private final Runnable check;
  private long used;
  private long reserved;

  /// @param textBytesMax bytes of a text that a stage makes
  /// @param memory receives reserved bytes, and released bytes as a negative number; it may refuse
  ///   by throwing
  /// @param check throws when the query must end
  public LineMemory(long textBytesMax, LongConsumer memory, Runnable check) {
    this.textBytesMax = textBytesMax;
    this.memory = memory;
    this.check = check;
  }

  /// Memory without a limit, for lines that are no query's.
  public static LineMemory unlimited() {
    return new LineMemory(Long.MAX_VALUE, _ -> {}, () -> {});
  }

  /// The time of the query, nanoseconds since the Unix epoch.
  long nowNanos() {
    return nowNanos;
  }

  /// A text for a regular expression.
  public CharSequence watched(String text) {
    return WatchedText.of(text, check);
  }

  /// Starts with another line.
  public void begin() {
    used = 0;
    if (reserved > KEPT_BYTES) {
      memory.accept(KEPT_BYTES - reserved);
      reserved = KEPT_BYTES;
    }
  }

  void reserve(long bytes) {
    used += bytes;
    if (used > reserved) {
      long more = Math.max(used, KEPT_BYTES) - reserved;
      reserved += more;
      memory.accept(more);
    }
  }

  /// Reserves texts of so many characters together.
  void reserveText(long chars) {
    reserve(Character.BYTES * chars);
  }

  /// Reserves a text that is built: its builder, and the text itself.
  void reserveBuilt(long chars) {
    reserve(2 * Character.BYTES * chars);
  }

  /// Reserves a text that a stage makes of others: stages may multiply it without end.
  ///
  /// @throws QueryException.OverBudget when it is longer than one may be
  public void reserveMade(long chars) {
    if (chars > textBytesMax) {
      throw new QueryException.OverBudget(
          "bytes of a formatted text (logql-text-bytes)",
          textBytesMax,
          chars,
          "format shorter texts");
    }
    reserveBuilt(chars);
  }

  void reserveLabels(long count) {
    reserve(LABEL_BYTES * count);
  }
}
