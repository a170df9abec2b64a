package io.widerow.query.survey;

import io.widerow.event.EventView;
import io.widerow.query.QueryBudget;
import io.widerow.query.QueryException;
import io.widerow.query.QueryMemory;
import io.widerow.query.RangeQuery;
import io.widerow.query.RangeReader;
import io.widerow.storage.EventCursor;
import io.widerow.storage.StoreView;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Reads ranges until a moment. A range is read in slices of about as many events each, in an order
/// that is even over the range at any moment (bit reversal), so that the unread slices are spread
/// evenly over it:
///
/// ```
///   slices   0  1  2  3  4  5  6  7
///   read     1. 5. 3. 7. 2. 6. 4. 8.
/// ```
///
/// - Threads: one; any thread may call [#cancel].
public final class BudgetedScan {
  private static final int LOOK_EVENTS = 1_024; // between two looks at the clock

  private final StoreView view;
  private final QueryMemory memory;
  private final SkippedDamage damage;
  private volatile boolean cancelled;
  private volatile @Nullable RangeReader reader;

  /// A scan that damage ends.
  ///
  /// @param view remains the caller's
  public BudgetedScan(StoreView view, QueryMemory memory) {
    this(view, memory, new SkippedDamage(false, memory));
  }

  /// @param view remains the caller's
  /// @param damage the treatment of damage
  public BudgetedScan(StoreView view, QueryMemory memory, SkippedDamage damage) {
    this.damage = damage;
    this.view = view;
    this.memory = memory;
  }

  /// Ends the scan with [QueryException.Stopped] soon.
  public void cancel() {
    cancelled = true;
    RangeReader open = reader;
    if (open != null) {
      open.cancel();
    }
  }

  /// Reads a range, and returns how much of it was read: 1 for all of it.
  ///
  /// @param untilNanos when to end, by [System#nanoTime]
  /// @param each takes the events, in any order
  public double read(RangeQuery query, long untilNanos, Consumer<EventView> each) {
    SurveyTimeSlices slices = SurveyTimeSlices.of(view, query);
    double done = 0;
    for (int i = 0; i < slices.count(); i++) {
      RangeQuery slice = slices.inOrderOfReading(i);
      if (slice != null) {
        long scanned = readSlice(slice, untilNanos, each);
        if (scanned >= 0) {
          double part = slices.eventsEach() == 0 ? 0 : scanned / slices.eventsEach();
          return (done + Math.min(0.99, part)) / slices.count();
        }
      }
      done++;
    }
    return 1;
  }

  /// @return -1 when the slice was read to its end, else how many of its events were looked at
  private long readSlice(RangeQuery slice, long untilNanos, Consumer<EventView> each) {
    boolean[] over = new boolean[1];
    try (RangeReader open =
        RangeReader.open(view, slice, damage.mode(), QueryBudget.DEFAULT, memory)) {
      open.onProgress(() -> {
        if (System.nanoTime() > untilNanos) {
          over[0] = true;
          open.cancel();
        }
      });
      reader = open;
      if (cancelled) {
        open.cancel();
      }
      int look = 0;
      try {
        while (open.nextWhenReady() == EventCursor.Step.EVENT) {
          each.accept(open.event());
          if (++look % LOOK_EVENTS == 0 && System.nanoTime() > untilNanos) {
            return open.eventsScanned();
          }
        }
        return -1;
      } catch (QueryException.Stopped stopped) {
        if (!over[0] || cancelled) {
          throw stopped;
        }
        return open.eventsScanned();
      } finally {
        damage.add(open.unread());
      }
    } finally {
      reader = null;
    }
  }
}
