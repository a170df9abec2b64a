package io.widerow.storage.text;

import org.jspecify.annotations.Nullable;

/// Event times of a block, for columns that repeat them: most lines of a log begin with the time of
/// their event, which need not be stored twice.
///
/// - Threads: one.
/// - Memory: borrows the block's id times.
public final class EventTimes {
  private static final long DAY_SECONDS = PieceFormat.TIME_LIMIT;
  private static final long TICKS_PER_MILLI = 10_000;
  private static final long TICKS_PER_SECOND = 1_000 * TICKS_PER_MILLI;

  private long[] idTimes = new long[0];
  private int @Nullable [] rows;

  /// Starts a block.
  ///
  /// @param newIdTimes by row; ticks of 100 ns since a midnight
  public EventTimes of(long[] newIdTimes) {
    idTimes = newIdTimes;
    rows = null;
    return this;
  }

  /// Starts a column.
  ///
  /// @param newRows the rows of its values; null when every row has one
  public void follow(int @Nullable [] newRows) {
    rows = newRows;
  }

  /// One more than the greatest time of day of a form, in the form's unit.
  static long limit(int form) {
    return form == PieceFormat.TIME ? DAY_SECONDS : 1_000 * DAY_SECONDS;
  }

  /// True for the forms of text that may be the time of an event.
  static boolean isTime(int form) {
    return form == PieceFormat.TIME || form == PieceFormat.TIME_MILLIS;
  }

  /// Moves a number into `[least, least + limit)` by a whole day. It must be less than `limit`
  /// outside.
  static long wrapped(long number, long least, long limit) {
    return number < least ? number + limit : number >= least + limit ? number - limit : number;
  }

  /// The time of day, in UTC, of the event with this value of the column.
  ///
  /// @return seconds or milliseconds, as in the form
  long ofDay(int value, int form) {
    long time = idTimes[rows == null ? value : rows[value]];
    return form == PieceFormat.TIME
        ? time / TICKS_PER_SECOND % DAY_SECONDS
        : time / TICKS_PER_MILLI % (1_000 * DAY_SECONDS);
  }
}
