package io.widerow.query;

import io.widerow.event.EventBatch;
import io.widerow.event.EventId;
import io.widerow.event.EventOrder;
import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.event.RecordView;
import io.widerow.storage.Arrivals;
import io.widerow.storage.EventCursor;
import io.widerow.storage.FilterEvaluation;
import io.widerow.storage.LaneArrivals;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.ScanStatistics;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.StoreView;
import io.widerow.storage.TypeInfo;
import io.widerow.storage.cursor.MergeCursor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// A store view for tests: the records of one batch, and a list of their offsets for each
/// partition.
public final class MemoryView implements StoreView {
  final EventBatch batch = new EventBatch(1 << 12, 1 << 26);
  private final Map<PartitionKey, List<Long>> rows = new TreeMap<>();
  int planned; // number of calls of partitions()
  int opened;
  int closed;

  /// Puts the event at `offset`, the one built last, into a partition.
  void place(PartitionKey key, long offset) {
    rows.computeIfAbsent(key, _ -> new ArrayList<>()).add(offset);
  }

  RecordView show(long offset) {
    return new RecordView().show(batch.memory(), offset);
  }

  static Comparator<EventView> order() {
    return (a, b) -> EventOrder.compare(a, b.idTime(), b.idTail(), b.type());
  }

  @Override
  public Arrivals arrivals() {
    return new LaneArrivals(0, List.of(0L));
  }

  @Override
  public boolean isExpired(String type, long timeNanos) {
    return false;
  }

  @Override
  public List<PartitionInfo> partitions(
      Predicate<String> types, long fromNanos, long untilNanos, @Nullable Arrivals since) {
    planned++;
    List<PartitionInfo> infos = new ArrayList<>();
    rows.forEach((key, offsets) -> {
      if (types.test(key.type()) && key.fromNanos() < untilNanos && key.untilNanos() > fromNanos) {
        infos.add(new PartitionInfo(key, offsets.size(), key.fromNanos(), key.untilNanos() - 1));
      }
    });
    return infos;
  }

  @Override
  public List<TypeInfo> types(Predicate<String> types) {
    if (rows.isEmpty()) {
      return List.of();
    }
    throw new UnsupportedOperationException("tested on stores");
  }

  /// A day, because no bucket crosses the ends of a day.
  @Override
  public @Nullable Span firstSpan(long fromNanos, long untilNanos, boolean descending) {
    long day = PartitionKey.MINUTES_PER_DAY * PartitionKey.NANOS_PER_MINUTE;
    var days =
        rows.keySet().stream()
            .filter(key -> key.fromNanos() < untilNanos && key.untilNanos() > fromNanos)
            .mapToLong(key -> Math.floorDiv(key.fromNanos(), day))
            .summaryStatistics();
    long first = descending ? days.getMax() : days.getMin();
    return days.getCount() == 0 ? null : new Span(first * day, (first + 1) * day);
  }

  @Override
  public EventCursor open(List<PartitionKey> partitions, Scan scan) {
    opened++;
    List<EventCursor> inputs = new ArrayList<>();
    for (PartitionKey key : partitions) {
      inputs.add(new ListCursor(rows.getOrDefault(key, List.of()), scan));
    }
    return MergeCursor.of(inputs, scan.descending());
  }

  @Override
  public void close() {
    if (!rows.isEmpty()) { // without events it may be asked again
      batch.close();
    }
  }

  /// A partition's events, sorted and filtered on opening.
  private final class ListCursor implements EventCursor {
    private final List<Long> offsets;
    private final RecordView event = show(0);
    private final ScanWatch watch;
    private int at = -1;

    ListCursor(List<Long> all, Scan scan) {
      watch = scan.watch();
      Comparator<Long> order = (a, b) -> order().compare(show(a), show(b));
      offsets =
          all.stream()
              .filter(offset -> wanted(show(offset), scan))
              .sorted(scan.descending() ? order.reversed() : order)
              .toList();
    }

    private static boolean wanted(RecordView view, Scan scan) {
      EventId id = view.id();
      return id.compareTo(scan.from()) >= 0
          && id.compareTo(scan.until()) < 0
          && FilterEvaluation.keeps(scan.filter(), view, new io.widerow.event.AttributeValue());
    }

    @Override
    public Step next() {
      at++;
      if (at >= offsets.size()) {
        return Step.END;
      }
      event.show(batch.memory(), offsets.get(at));
      watch.event();
      return Step.EVENT;
    }

    @Override
    public EventView event() {
      return event;
    }

    @Override
    public ScanStatistics statistics() {
      return new ScanStatistics(0, 0, 0, at + 1, at + 1);
    }

    @Override
    public void close() {
      closed++;
    }
  }
}
