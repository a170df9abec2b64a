package io.widerow.query.fields;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.query.HeldMemory;
import io.widerow.query.NameText;
import io.widerow.query.PartitionSpans;
import io.widerow.query.QueryException;
import io.widerow.query.QueryMemory;
import io.widerow.query.RangeQuery;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.survey.BudgetedScan;
import io.widerow.query.survey.ChosenPartitions;
import io.widerow.query.survey.Json;
import io.widerow.query.survey.SkippedDamage;
import io.widerow.query.survey.Survey;
import io.widerow.storage.EventCursor;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.StoreView;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Counts the fields of the events of one or two ranges within a budget of time.
///
/// - Sealed blocks are counted from their columns, see [SealedFields]; of the other events, open
///   rows are read first, and then partitions where one event may replace another, evenly, see
///   [BudgetedScan].
/// - Of two ranges the first one takes half of the budget at most.
///
/// - Threads: one; any thread may call [#cancel].
/// - Memory: that of a [FieldTable], counted in [QueryMemory] until [#close].
final class FieldsScan implements Survey {
  static final int FIELDS_MAX = FieldTable.FIELDS_MAX;

  private static final int LOOK_EVENTS = 1_024; // between two looks at the clock

  private final StoreView view;
  private final KnownFields known;
  private final List<Part> parts;
  private final boolean allFields;
  private final long budgetNanos;
  private final BiConsumer<Counted, OutputBuffer> answer;
  private final QueryMemory memory;
  private final SkippedDamage damage;
  private final FieldTable table = new FieldTable();
  private final AttributeValue scratch = new AttributeValue();
  private final EventView.AttributeVisitor visitor = this::attribute;
  private final @Nullable AttributeName only;
  private int column; // of the events that are being read
  private final HeldMemory held;
  private volatile boolean cancelled;
  private volatile @Nullable BudgetedScan scan;

  /// Some of the events.
  ///
  /// @param column in which they are counted
  record Part(RangeQuery query, int column) {}

  /// @param view remains the caller's
  /// @param known the earlier counts
  /// @param field the only requested field, as results show it; null for all
  /// @param skipsDamage whether it skips parts that cannot be read
  /// @param answer writes the counts
  FieldsScan(
      StoreView view,
      KnownFields known,
      List<Part> parts,
      @Nullable String field,
      long budgetNanos,
      boolean skipsDamage,
      QueryMemory memory,
      BiConsumer<Counted, OutputBuffer> answer) {
    this.answer = answer;
    this.damage = new SkippedDamage(skipsDamage, memory);
    this.view = view;
    this.known = known;
    this.parts = parts;
    this.allFields = field == null;
    this.budgetNanos = budgetNanos;
    this.memory = memory;
    this.held = new HeldMemory(memory);
    this.only =
        field == null || NameText.isOwn(field) ? null : AttributeName.of(NameText.stored(field));
  }

  /// The counts.
  ///
  /// @param rest events that were not picked
  /// @param picked events that were
  /// @param read how much of the range was read, 0 to 1; 1 when all was
  /// @param more whether there are more fields than are counted
  /// @param damage the parts that could not be read
  record Counted(
      Map<AttributeName, FieldCounts> fields,
      FieldCounts types,
      long rest,
      long picked,
      double read,
      boolean more,
      SkippedDamage damage) {
    /// Writes how much of the events and of their fields was counted.
    void putHowMuch(OutputBuffer out) {
      out.put(Json.exact(read, damage));
      if (more) {
        out.put(",\"fieldsMax\":" + FIELDS_MAX);
      }
    }
  }

  @Override
  public void cancel() {
    cancelled = true;
    BudgetedScan running = scan;
    if (running != null) {
      running.cancel();
    }
  }

  private void check() {
    if (cancelled) {
      throw new QueryException.Stopped("the query was cancelled");
    }
  }

  @Override
  public void write(OutputBuffer out) {
    answer.accept(run(), out);
  }

  private Counted run() {
    long start = System.nanoTime();
    double read = 1;
    for (int i = 0; i < parts.size(); i++) {
      check();
      Part part = parts.get(i);
      column = part.column;
      read = Math.min(read, read(part, start + budgetNanos * (i + 1) / parts.size()));
    }
    return new Counted(
        table.fields(),
        table.types(),
        table.events(ValueCounts.REST),
        table.events(ValueCounts.PICKED),
        read,
        table.hasMore(),
        damage);
  }

  /// Returns how much of a part was read, 0 to 1.
  private double read(Part part, long untilNanos) {
    RangeQuery query = part.query;
    if (query.derived() != null) { // of each event, not of columns
      return readEvents(view, query, untilNanos, this::add);
    }
    List<PartitionInfo> partitions = new ArrayList<>();
    PartitionSpans.forEach(
        view,
        query,
        more -> {
          hold(PartitionSpans.BYTES * more.size());
          partitions.addAll(more);
        });
    ScanWatch watch = damage.watch();
    Scan range =
        Scan.ofTime(query.fromNanos(), query.untilNanos())
            .withFilter(query.filter())
            .withWatch(watch);
    List<PartitionKey> keys = partitions.stream().map(PartitionInfo::key).toList();
    try (StoreView.SealedValues values = view.sealedValues(keys, range)) {
      return values == null
          ? readEvents(view, query, untilNanos, this::add)
          : readSealed(values, partitions, query, range, untilNanos);
    } finally {
      damage.add(watch.unread());
    }
  }

  /// Adds the cached counts, reads events for half of the remaining time, and then reads blocks.
  private double readSealed(
      StoreView.SealedValues values,
      List<PartitionInfo> partitions,
      RangeQuery query,
      Scan range,
      long untilNanos) {
    Set<PartitionKey> others = values.others();
    double sealed = 0;
    for (StoreView.Part part : values.parts()) {
      sealed += part.events();
    }
    double all = 0;
    double ofOthers = 0;
    for (PartitionInfo info : partitions) {
      all += info.events();
      ofOthers += others.contains(info.key()) ? info.events() : 0;
    }
    SealedFields blocks =
        new SealedFields(values, known, only, allFields, table, column, this::hold);
    double counted = blocks.addKnown();
    long now = System.nanoTime();
    long middleNanos = counted < sealed ? now + (untilNanos - now) / 2 : untilNanos;
    double opened = readRows(values, range, middleNanos);
    double read =
        others.isEmpty()
            ? 1
            : readEvents(new ChosenPartitions(view, others), query, middleNanos, this::add);
    counted = blocks.read(untilNanos, this::check);
    if (counted >= sealed && opened >= 0 && read >= 1) {
      return 1;
    }
    double rows = Math.max(0, all - ofOthers - sealed);
    double done = counted + (opened < 0 ? Math.min(rows, -opened) : rows) + read * ofOthers;
    return all == 0 ? 0 : Math.clamp(done / all, 0, 0.9999);
  }

  /// Reads the events of open rows until a moment. Returns how many these are, as a negative number
  /// when some are left.
  private double readRows(StoreView.SealedValues values, Scan range, long untilNanos) {
    long events = 0;
    try (EventCursor rows = values.openRows(range)) {
      while (rows != null && rows.next() == EventCursor.Step.EVENT) {
        add(rows.event());
        if (++events % LOOK_EVENTS == 0) {
          check();
          if (System.nanoTime() - untilNanos > 0) {
            return -events;
          }
        }
      }
    }
    return events;
  }

  private double readEvents(
      StoreView of, RangeQuery query, long untilNanos, Consumer<EventView> each) {
    BudgetedScan reading = new BudgetedScan(of, memory, damage);
    scan = reading;
    if (cancelled) {
      reading.cancel();
    }
    return reading.read(query, untilNanos, each);
  }

  private void add(EventView event) {
    table.events(column, 1);
    AttributeName wanted = only;
    if (wanted != null) {
      if (event.find(wanted, scratch)) {
        table.value(wanted, scratch, column, 1);
      }
    } else {
      event.readType(scratch);
      table.type(scratch, column, 1);
      if (allFields) {
        event.forEach(scratch, visitor);
      }
    }
    hold(table.takeGrown());
  }

  private void attribute(AttributeName name, AttributeValue value) {
    if (!name.equals(AttributeName.BODY)) { // texts, each its own
      table.value(name, value, column, 1);
    }
  }

  private void hold(long bytesMore) {
    if (bytesMore != 0) {
      held.accept(bytesMore);
    }
  }

  @Override
  public List<ScanWatch.Unread> unread() {
    return damage.parts();
  }

  @Override
  public void close() {
    held.close();
    damage.close();
  }
}
