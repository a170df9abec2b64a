package io.widerow.query.fields;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.query.NameText;
import io.widerow.query.QueryBudget;
import io.widerow.query.QueryException;
import io.widerow.query.QueryMemory;
import io.widerow.query.RangeQuery;
import io.widerow.query.RangeReader;
import io.widerow.storage.EventCursor;
import io.widerow.storage.FilterEvaluation;
import io.widerow.storage.StoreView;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Counts the fields of the events of a range within a budget of time. The range is read in slices
/// of about as many events each, in an order that is even over the range at any moment (bit
/// reversal), so that what is left out at the end of the budget lies evenly over it:
///
/// ```
///   slices   0  1  2  3  4  5  6  7
///   read     1. 5. 3. 7. 2. 6. 4. 8.
/// ```
///
/// With a pick, its events are read first, for half of the budget, and then the rest.
///
/// - Threads: one; any thread may call [#cancel].
/// - Memory: the values of at most [#FIELDS_MAX] fields, counted in [QueryMemory] until [#close].
public final class FieldsScan implements AutoCloseable {
  static final int FIELDS_MAX = 1_000;
  private static final int LOOK_EVENTS = 1_024; // between two looks at the clock

  private final StoreView view;
  private final FieldsQuestion asked;
  private final QueryMemory memory;
  private final Map<AttributeName, FieldCounts> fields = new HashMap<>();
  private final FieldCounts types = new FieldCounts();
  private final AttributeValue scratch = new AttributeValue();
  private final EventView.AttributeVisitor visitor = this::attribute;
  private final @Nullable AttributeName only;
  private final long[] events = new long[2];
  private int column; // of the events that are being read
  private boolean more; // fields than are counted
  private long held;
  private volatile boolean cancelled;
  private volatile @Nullable RangeReader reader;

  /// @param view remains the caller's
  public FieldsScan(StoreView view, FieldsQuestion asked, QueryMemory memory) {
    this.view = view;
    this.asked = asked;
    this.memory = memory;
    String field = asked.field();
    this.only =
        field == null || NameText.isOwn(field) ? null : AttributeName.of(NameText.stored(field));
  }

  /// What was counted.
  ///
  /// @param rest events that were not picked
  /// @param picked events that were
  /// @param read how much of the range was read, 0 to 1; 1 when all was
  /// @param more whether there are more fields than are counted
  record Counted(
      Map<AttributeName, FieldCounts> fields,
      FieldCounts types,
      long rest,
      long picked,
      double read,
      boolean more) {}

  /// Ends the scan with [QueryException.Stopped] soon.
  public void cancel() {
    cancelled = true;
    RangeReader open = reader;
    if (open != null) {
      open.cancel();
    }
  }

  Counted run() {
    long start = System.nanoTime();
    FieldsQuestion.Pick pick = asked.pick();
    double read = 1;
    if (pick != null) {
      column = ValueCounts.PICKED;
      read = pass(asked.picked(pick), null, start + asked.budgetNanos() / 2);
    }
    column = ValueCounts.REST;
    read = Math.min(read, pass(asked.query(), pick, start + asked.budgetNanos()));
    return new Counted(
        fields, types, events[ValueCounts.REST], events[ValueCounts.PICKED], read, more);
  }

  /// Reads a range until a moment, and returns how much of it was read.
  ///
  /// @param without events that are left out; null for none
  private double pass(RangeQuery query, FieldsQuestion.@Nullable Pick without, long untilNanos) {
    TimeSlices slices = TimeSlices.of(view, query);
    double done = 0;
    for (int i = 0; i < slices.count(); i++) {
      RangeQuery slice = slices.inOrderOfReading(i);
      if (slice != null) {
        long scanned = read(slice, without, untilNanos);
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
  private long read(RangeQuery slice, FieldsQuestion.@Nullable Pick without, long untilNanos) {
    boolean[] over = new boolean[1];
    try (RangeReader open = RangeReader.open(view, slice, QueryBudget.DEFAULT, memory)) {
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
      open.inAnyOrder();
      int look = 0;
      try {
        while (open.nextWhenReady() == EventCursor.Step.EVENT) {
          EventView event = open.event();
          if (without == null
              || !without.mayHold(event)
              || !FilterEvaluation.keeps(without.filter(), event, scratch)) {
            add(event);
          }
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
      }
    } finally {
      reader = null;
    }
  }

  private void add(EventView event) {
    events[column]++;
    AttributeName wanted = only;
    if (wanted != null) {
      if (event.find(wanted, scratch)) {
        count(wanted, scratch);
      }
      return;
    }
    event.readType(scratch);
    types.add(scratch, column);
    hold(types.grown());
    if (asked.field() == null) {
      event.forEach(scratch, visitor);
    }
  }

  private void attribute(AttributeName name, AttributeValue value) {
    if (!name.equals(AttributeName.BODY)) { // texts, each its own
      count(name, value);
    }
  }

  private void count(AttributeName name, AttributeValue value) {
    FieldCounts counts = fields.get(name);
    if (counts == null) {
      if (fields.size() == FIELDS_MAX) {
        more = true;
        return;
      }
      counts = new FieldCounts();
      fields.put(name, counts);
    }
    counts.add(value, column);
    hold(counts.grown());
  }

  private void hold(long bytesMore) {
    if (bytesMore != 0) {
      held += bytesMore; // first, because refused bytes are counted too
      memory.hold(bytesMore);
    }
  }

  /// Gives its memory back.
  @Override
  public void close() {
    memory.hold(-held);
    held = 0;
  }
}
