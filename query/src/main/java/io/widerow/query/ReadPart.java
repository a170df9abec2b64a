package io.widerow.query;

import io.widerow.event.EventView;
import io.widerow.storage.Arrivals;
import io.widerow.storage.Scan;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.StoreView;
import java.util.ArrayDeque;
import java.util.Queue;

/// A part of a result, which a [RangeReader] reads after the part before it.
///
/// @param kind decides which of the scanned events are in the part
/// @param query the query, whose position and bounds decide
/// @param bounds the bounds of the query
/// @param plan the partitions to read
/// @param scan the scan of each partition
record ReadPart(Kind kind, RangeQuery query, TickBounds bounds, RangePlan plan, Scan scan) {
  /// Kinds of parts.
  enum Kind {
    /// Events at or before the query's position that arrived since the last query.
    LATE,
    /// A range that may cut a tick of 100 ns: the time of each event decides.
    CUT,
    /// A range of whole ticks, for whose events counts and rollups may answer.
    WHOLE
  }

  /// The parts of a query in the order of reading.
  ///
  /// When one event may stand for many, it has the id of any of them. The ticks that the range cuts
  /// are then parts of their own, and are read event by event.
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
              scan.withRange(scan.from(), after.id().next()).withSince(since).withWatch(watch)));
    }
    boolean splits = bounds.cutsAny() && mode.combinesEvents();
    RangeQuery most = splits ? bounds.whole(query) : query;
    Kind kind = bounds.cutsAny() && !splits ? Kind.CUT : Kind.WHOLE;
    Scan scan = most.toScan().withWatch(watch).withFold(mode.grouping());
    parts.add(new ReadPart(kind, query, bounds, RangePlan.of(view, most), scan));
    if (splits) {
      for (RangeQuery tick : bounds.cut(query)) {
        Scan ofTick = tick.toScan().withWatch(watch);
        parts.add(new ReadPart(Kind.CUT, query, bounds, RangePlan.of(view, tick), ofTick));
      }
    }
    return parts;
  }

  boolean isLate() {
    return kind == Kind.LATE;
  }

  /// False for the few scanned events that are outside the part.
  boolean contains(EventView event) {
    return switch (kind) {
      case LATE -> isUpToPosition(event) && bounds.isFrom(event);
      case CUT -> bounds.contain(event);
      case WHOLE -> true;
    };
  }

  /// False for the few events with the position's id that come after it.
  private boolean isUpToPosition(EventView event) {
    Token after = query.after();
    return after != null && !after.isBefore(event, false);
  }
}
