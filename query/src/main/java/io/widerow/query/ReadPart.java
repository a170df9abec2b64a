package io.widerow.query;

import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.storage.Arrivals;
import io.widerow.storage.Scan;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.StoreView;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A part of a result, which a [RangeReader] reads after the part before it.
///
/// @param kind decides which of the scanned events are in the part
/// @param query the query, whose position and bounds decide
/// @param bounds the bounds of the query
/// @param plan the partitions to read
/// @param scan the scan of each partition
/// @param assigned the scan of partitions in which the store assigned every id; null for `scan`
record ReadPart(
    Kind kind,
    RangeQuery query,
    TickBounds bounds,
    RangePlan plan,
    Scan scan,
    @Nullable Scan assigned) {
  /// Kinds of parts.
  enum Kind {
    /// Events at or before the query's position that arrived since the last query.
    LATE,
    /// A range that may cut a tick of 100 ns: the time of each event decides.
    CUT,
    /// A tick that the range cuts, of types some of whose events brought their own ids: the same.
    TICK,
    /// A range for whose events counts and rollups may answer. Of types whose events brought their
    /// own ids, these are its whole ticks.
    WHOLE
  }

  /// Partitions that are read together.
  ///
  /// @param scan that of each
  record Read(List<PartitionKey> keys, Scan scan) {}

  /// The parts of a query in the order of reading.
  ///
  /// When one event may stand for many, it has the id of any of them. Where events brought their
  /// own ids, the ticks that the range cuts are then parts of their own, and are read event by
  /// event.
  ///
  /// @param mode one of [ReadMode#of] the query
  static Queue<ReadPart> of(StoreView view, RangeQuery query, ReadMode mode, ScanWatch watch) {
    TickBounds bounds = TickBounds.of(query);
    Queue<ReadPart> parts = new ArrayDeque<>();
    Token after = query.after();
    Arrivals since = query.since();
    if (after != null && since != null) {
      RangeQuery late = query.late(after);
      Scan scan = late.toScan();
      parts.add(
          new ReadPart(
              Kind.LATE,
              query,
              bounds,
              RangePlan.of(view, late, since),
              scan.withRange(scan.from(), after.id().next()).withSince(since).withWatch(watch),
              null));
    }
    boolean splits = bounds.cutsAny() && mode.combinesEvents();
    Kind kind = bounds.cutsAny() && !splits ? Kind.CUT : Kind.WHOLE;
    Scan scan = (splits ? bounds.whole(query) : query).toScan();
    parts.add(
        new ReadPart(
            kind,
            query,
            bounds,
            RangePlan.of(view, query),
            scan.withWatch(watch).withFold(mode.grouping()),
            splits ? query.ofAssigned().withWatch(watch).withFold(mode.grouping()) : null));
    if (splits) {
      for (RangeQuery tick : bounds.cut(query)) {
        Scan of = tick.toScan().withWatch(watch);
        parts.add(new ReadPart(Kind.TICK, query, bounds, RangePlan.of(view, tick), of, null));
      }
    }
    return parts;
  }

  boolean isLate() {
    return kind == Kind.LATE;
  }

  /// What is to be read of a group of its plan.
  List<Read> reads(StoreView view, RangePlan.Group group) {
    List<PartitionKey> keys = group.keys();
    Scan exact = assigned;
    if (exact == null && kind != Kind.TICK) {
      return List.of(new Read(keys, group.within(scan)));
    }
    Set<String> types = view.typesOfOwnIds(keys);
    List<Read> reads = new ArrayList<>();
    List<PartitionKey> own = keys.stream().filter(key -> types.contains(key.type())).toList();
    if (exact != null && own.size() < keys.size()) {
      List<PartitionKey> others = keys.stream().filter(key -> !types.contains(key.type())).toList();
      reads.add(new Read(others, group.within(exact)));
    }
    if (!own.isEmpty()) {
      reads.add(new Read(own, group.within(scan)));
    }
    return reads;
  }

  /// False for the few scanned events that are outside the part.
  boolean contains(EventView event) {
    return switch (kind) {
      case LATE -> isUpToPosition(event) && bounds.isFrom(event);
      case CUT, TICK -> bounds.contain(event);
      case WHOLE -> true;
    };
  }

  /// False for the few events with the position's id that come after it.
  private boolean isUpToPosition(EventView event) {
    Token after = query.after();
    return after != null && !after.isBefore(event, false);
  }
}
