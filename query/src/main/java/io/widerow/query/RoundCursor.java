package io.widerow.query;

import io.widerow.event.EventId;
import io.widerow.event.EventOrder;
import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.storage.EventCursor;
import io.widerow.storage.EventSlice;
import io.widerow.storage.Scan;
import io.widerow.storage.ScanStatistics;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.StoreView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A merge of more partitions than may be open at once. It reads them in rounds. Each round opens
/// the partitions set by set, and copies the first events of all of them that fit its memory. The
/// next round begins behind the last one of these.
///
/// ```
///   set 1      a b . e . . . | k ...
///   set 2      . . c . . g . | h ...
///   set 3      . . . . f . . | j ...        round 1: a b c e f g     round 2: from h on
/// ```
///
/// All partitions of a type are in one set, where the latest write of an id hides the others.
///
/// - Order: that of [EventOrder], or its reverse.
/// - Threads: one.
/// - Memory: the open cursors of a set, which the caller counts, and the copies of a round, told to
///   the scan's watch. Does not own the view.
final class RoundCursor implements EventCursor {
  private static final int BYTES_MIN = 256 << 10;
  private static final int BYTES_MAX = 8 << 20;
  private static final int ORDER_BYTES = 24; // of the place of a copy

  private final StoreView view;
  private final List<List<PartitionKey>> sets;
  private final Scan scan;
  private final long eventsMax;
  private final Runnable check;
  private final ScanWatch watch;
  private EventSlice copies = new EventSlice();
  private Integer[] order = {}; // of the copies
  private int shown; // one more than the place in the order
  private @Nullable EventCursor cursor; // of the set that is read
  private int set;
  private int bytes; // of the copies of this round
  private boolean cut; // events behind the limit of this round are left
  private @Nullable Token after; // the last event of the round before
  private @Nullable Token limit; // no later event is in this round
  private boolean closed;
  private long held;
  private ScanStatistics finished = ScanStatistics.NONE;

  /// @param sets from [#sets]
  /// @param eventsMax the maximum number of wanted events; more are shown when the caller continues
  /// @param check is called before a set is opened, and may throw
  RoundCursor(
      StoreView view, List<List<PartitionKey>> sets, Scan scan, long eventsMax, Runnable check) {
    this.view = view;
    this.sets = sets;
    this.scan = scan;
    this.eventsMax = Math.max(1, eventsMax);
    this.check = check;
    this.watch = scan.watch();
    begin();
  }

  /// Sets of partitions that may be open at once. All partitions of a type are in one set, so that
  /// a set may have more of them than that.
  ///
  /// @param most partitions in a set
  static List<List<PartitionKey>> sets(List<PartitionKey> partitions, int most) {
    List<PartitionKey> byType = new ArrayList<>(partitions);
    byType.sort(Comparator.comparing(PartitionKey::type));
    List<List<PartitionKey>> sets = new ArrayList<>();
    int from = 0;
    int typeFrom = 0; // where the type begins
    for (int at = 1; at <= byType.size(); at++) {
      boolean typeEnds =
          at == byType.size() || !byType.get(at).type().equals(byType.get(typeFrom).type());
      if (typeEnds && at - from > most && typeFrom > from) {
        sets.add(byType.subList(from, typeFrom));
        from = typeFrom;
      }
      typeFrom = typeEnds ? at : typeFrom;
    }
    sets.add(byType.subList(from, byType.size()));
    return sets;
  }

  private void begin() {
    copies.clear();
    order = new Integer[0];
    shown = 0;
    set = 0;
    cut = false;
    limit = null;
    bytes = Math.clamp(watch.memory().sliceBytes() / 2, BYTES_MIN, BYTES_MAX);
  }

  @Override
  public Step next() {
    while (true) {
      if (set < sets.size()) {
        if (closed) {
          return Step.END;
        }
        if (!readRound()) {
          return Step.PENDING;
        }
      }
      if (shown < order.length) {
        copies.show(order[shown++]);
        return Step.EVENT;
      }
      if (!cut || closed) {
        return Step.END;
      }
      copies.show(order[order.length - 1]);
      after = Token.of(copies);
      begin();
    }
  }

  /// Reads the sets that are left. False when events have not arrived yet.
  private boolean readRound() {
    while (set < sets.size()) {
      EventCursor open = cursor;
      if (open == null) {
        check.run();
        open = view.open(sets.get(set), rest());
        cursor = open;
      }
      switch (open.next()) {
        case PENDING -> {
          return false;
        }
        case END -> endSet();
        case EVENT -> take(open.event());
      }
    }
    sort();
    return true;
  }

  /// The scan from where the round begins.
  private Scan rest() {
    Token start = after;
    if (start == null) {
      return scan;
    }
    EventId from = start.id();
    return scan.descending()
        ? scan.withRange(scan.from(), from.next())
        : scan.withRange(from, scan.until());
  }

  private void take(EventView event) {
    Token start = after;
    if (start != null && compare(event, start) <= 0) {
      return;
    }
    Token end = limit;
    if (end != null && compare(event, end) > 0) {
      cut = true;
      endSet(); // all that follow come later too
      return;
    }
    copies.add(event);
    if (copies.eventBytes() >= 2 * bytes || copies.count() / 2 >= eventsMax) {
      keepFirst();
    }
    hold();
  }

  private int compare(EventView event, Token with) {
    int order = EventOrder.compare(event, with.id().time(), with.id().tail(), with.type());
    return scan.descending() ? -order : order;
  }

  private void endSet() {
    EventCursor open = cursor;
    cursor = null;
    set++;
    if (open != null) {
      finished = finished.plus(open.statistics());
      open.close();
    }
  }

  /// Keeps the first half of the copies. No later event is wanted in this round.
  private void keepFirst() {
    if (copies.count() < 2) {
      return;
    }
    sort();
    EventSlice first = new EventSlice();
    long most = Math.min(eventsMax, copies.count() - 1);
    for (int i = 0; i < most && (i == 0 || first.eventBytes() < bytes); i++) {
      copies.show(order[i]);
      first.add(copies);
    }
    first.show(first.count() - 1);
    limit = Token.of(first);
    cut = true;
    copies = first;
  }

  private void sort() {
    order = new Integer[copies.count()];
    Arrays.setAll(order, i -> i);
    Arrays.sort(order, this::comparePlaces);
  }

  private int comparePlaces(int one, int other) {
    copies.show(other);
    long time = copies.idTime();
    long tail = copies.idTail();
    String type = copies.type();
    copies.show(one);
    int order = EventOrder.compare(copies, time, tail, type);
    return scan.descending() ? -order : order;
  }

  private void hold() {
    long more = copies.heldBytes() + (long) ORDER_BYTES * copies.count() - held;
    if (more != 0) {
      held += more; // first, because refused bytes are counted too
      watch.holds(more);
    }
  }

  @Override
  public CompletableFuture<Void> ready() {
    EventCursor open = cursor;
    return open == null ? CompletableFuture.completedFuture(null) : open.ready();
  }

  @Override
  public EventView event() {
    return copies;
  }

  @Override
  public ScanStatistics statistics() {
    EventCursor open = cursor;
    return open == null ? finished : finished.plus(open.statistics());
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      endSet();
      set = sets.size();
      watch.holds(-held);
      held = 0;
    }
  }
}
