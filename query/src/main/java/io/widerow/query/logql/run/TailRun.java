package io.widerow.query.logql.run;

import io.widerow.event.TimeUuid;
import io.widerow.query.QueryException;
import io.widerow.query.RangeQuery;
import io.widerow.query.RangeReader;
import io.widerow.query.Token;
import io.widerow.query.logql.LogQuery;
import io.widerow.storage.Arrivals;
import io.widerow.storage.EventCursor.Step;
import org.jspecify.annotations.Nullable;

/// Follows the lines of a query: first the newest ones, then in each call the lines since the last
/// one, in order, and late lines. Each line is shown once. The last shown line is a position in the
/// order of events and in the order of arrival, so that a slow reader delays the next call and
/// loses nothing, unless retention overtakes it.
///
/// - Threads: one.
public final class TailRun {
  /// Lines of a message.
  private static final int MESSAGE_LINES = 1_000;

  private final LogQuery query;
  private final boolean categorized;
  private final long startNanos;
  private @Nullable Token shown;
  private long shownNanos = Long.MIN_VALUE; // the instant that this is before
  private @Nullable Arrivals arrived;

  /// Takes a message.
  @FunctionalInterface
  public interface Messages {
    /// @param droppedNanos the time up to which lines are missing; null when none are
    /// @return false when the reader has gone
    boolean write(StreamEntries entries, @Nullable Long droppedNanos);
  }

  /// @param startNanos no line before this is shown, nanoseconds since the Unix epoch
  /// @param categorized whether labels, metadata and parsed labels are separated
  public TailRun(LogQuery query, long startNanos, boolean categorized) {
    this.query = query;
    this.startNanos = startNanos;
    this.categorized = categorized;
  }

  /// Shows the newest lines before the tick of an instant, oldest first.
  public boolean begin(LogqlContext execution, long nowNanos, long limit, Messages out) {
    long untilNanos = tick(nowNanos);
    StreamEntries newest = new StreamEntries(execution, categorized);
    new LogRun(execution, query, newest).read(startNanos, untilNanos, true, limit);
    newest.reverse();
    moved(execution, untilNanos);
    return newest.count() == 0 || out.write(newest, null);
  }

  /// Start of the tick of 100 ns. Within one, times and the order of events are not the same.
  private static long tick(long nanos) {
    return nanos - Math.floorMod(nanos, TimeUuid.NANOS_PER_TICK);
  }

  private void moved(LogqlContext execution, long untilNanos) {
    shown = Token.before(untilNanos);
    shownNanos = untilNanos;
    arrived = execution.view().arrivals();
  }

  /// Shows the lines since the last call that are before the tick of an instant, or before the tick
  /// of an earlier call: a clock that is set back does not move the end of the shown lines back.
  ///
  /// @return false when the reader has disconnected
  public boolean next(LogqlContext execution, long nowNanos, Messages out) {
    long untilNanos = Math.max(tick(nowNanos), shownNanos);
    LogqlSelection selection = LogqlSelection.of(query, execution.labels());
    RangeQuery range = selection.range(startNanos, untilNanos).withAfter(shown).withSince(arrived);
    boolean there = true;
    try {
      there = range.fromNanos() >= range.untilNanos() || read(execution, selection, range, out);
    } catch (QueryException.Expired gone) {
      there = out.write(new StreamEntries(execution, categorized), untilNanos);
    }
    moved(execution, untilNanos);
    return there;
  }

  private boolean read(
      LogqlContext execution, LogqlSelection selection, RangeQuery range, Messages out) {
    KeptLines kept = new KeptLines(execution, selection);
    long mark = execution.held();
    StreamEntries entries = new StreamEntries(execution, categorized);
    try (RangeReader reader = execution.open(range)) {
      while (reader.nextWhenReady() == Step.EVENT) {
        boolean _ = kept.add(reader.event(), entries);
        if (entries.count() == MESSAGE_LINES) {
          if (!out.write(entries, null)) {
            return false;
          }
          execution.release(mark);
          entries = new StreamEntries(execution, categorized);
        }
      }
    }
    return entries.count() == 0 || out.write(entries, null);
  }
}
