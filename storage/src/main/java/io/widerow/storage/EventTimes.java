package io.widerow.storage;

import org.jspecify.annotations.Nullable;

/// The times of a block's events, for columns that say them again: most lines of a log begin with
/// the time that is their event's time too, and need not keep it twice.
///
/// - Threads: one.
/// - Memory: borrows the block's id times.
final class EventTimes {
  private static final long DAY_SECONDS = PieceFormat.TIME_LIMIT;
  private static final long TICKS_PER_MILLI = 10_000;
  private static final long TICKS_PER_SECOND = 1_000 * TICKS_PER_MILLI;

  private long[] idTimes = new long[0];
  private int @Nullable [] rows;

  /// Begins with a block.
  ///
  /// @param newIdTimes by row; ticks of 100 ns since a midnight
  EventTimes of(long[] newIdTimes) {
    idTimes = newIdTimes;
    rows = null;
    return this;
  }

  /// Goes on with a column.
  ///
  /// @param newRows the rows of its values; null when each row has one
  void follow(int @Nullable [] newRows) {
    rows = newRows;
  }

  /// One more than the greatest time of day of a form.
  static long limit(int form) {
    return form == PieceFormat.TIME ? DAY_SECONDS : 1_000 * DAY_SECONDS;
  }

  /// True for the forms of texts that may say the time of an event.
  static boolean isTime(int form) {
    return form == PieceFormat.TIME || form == PieceFormat.TIME_MILLIS;
  }

  /// A number that is less than `limit` beyond `[least, least + limit)`, brought there by whole
  /// days.
  static long wrapped(long number, long least, long limit) {
    return number < least ? number + limit : number >= least + limit ? number - limit : number;
  }

  /// The time of day, in UTC, of the event that has a value of the column.
  ///
  /// @return seconds or milliseconds, as the form has them
  long ofDay(int value, int form) {
    long time = idTimes[rows == null ? value : rows[value]];
    return form == PieceFormat.TIME
        ? time / TICKS_PER_SECOND % DAY_SECONDS
        : time / TICKS_PER_MILLI % (1_000 * DAY_SECONDS);
  }
}
