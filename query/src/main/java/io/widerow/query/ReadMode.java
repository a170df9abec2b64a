package io.widerow.query;

import io.widerow.rollup.RollupRequest;
import io.widerow.storage.Grouping;
import org.jspecify.annotations.Nullable;

/// How a [RangeReader] reads the events of a query.
///
/// @param anyOrder whether the events of each group of the plan may come in any order, which is
///   cheaper; the other ways to read fewer events require it
/// @param grouping of a count (aggregation pushdown): one event may then stand for several of its
///   group, see [io.widerow.event.EventView#weight]; null when the caller needs each event
/// @param rollup the aggregates that rollups may supply, see
///   [io.widerow.storage.StoreView#openFigures]; null when they may not
/// @param kept whether aggregates that outlive their events are read; null when they are not
/// @param skipsDamage whether damaged parts are skipped, see [RangeReader#unread]; else damage ends
///   the query. For events with ids of their own an older write may then be shown, when the latest
///   write is in a damaged part
public record ReadMode(
    boolean anyOrder,
    @Nullable Grouping grouping,
    @Nullable RollupRequest rollup,
    @Nullable Kept kept,
    boolean skipsDamage) {
  /// Each event, in order; damage ends the query.
  public static final ReadMode IN_ORDER = new ReadMode(false, null, null, null, false);

  /// Each event, in any order; damage ends the query.
  public static final ReadMode ANY_ORDER = new ReadMode(true, null, null, null, false);

  /// Aggregates that outlive their events.
  ///
  /// @param asked the aggregates that they may supply; null when only events count: then they are
  ///   missing from the result, see [RangeReader#missingMinutes]
  public record Kept(@Nullable RollupRequest asked) {}

  public ReadMode {
    if (!anyOrder && (grouping != null || rollup != null || kept != null)) {
      throw new IllegalArgumentException("a reader in order reads each event");
    }
  }

  /// For a grouped count; null when the caller needs each event.
  public static ReadMode grouped(@Nullable Grouping grouping) {
    return new ReadMode(true, grouping, null, null, false);
  }

  public ReadMode withRollup(@Nullable RollupRequest newRollup) {
    return new ReadMode(anyOrder, grouping, newRollup, kept, skipsDamage);
  }

  public ReadMode withKept(Kept newKept) {
    return new ReadMode(anyOrder, grouping, rollup, newKept, skipsDamage);
  }

  public ReadMode withDamageSkipped(boolean skipped) {
    return new ReadMode(anyOrder, grouping, rollup, kept, skipped);
  }

  /// The mode in which a query can be read: one with a limit or a position gets each event in
  /// order; of one with fields that are made of events, each event is read, or one for all that
  /// have the same fields.
  ReadMode of(RangeQuery query) {
    boolean whole =
        query.limit() == Long.MAX_VALUE && query.after() == null && query.since() == null;
    DerivedFields derived = query.derived();
    if (derived != null) {
      Grouping same = whole && grouping != null ? derived.grouping(grouping) : null;
      boolean any = anyOrder && query.limit() == Long.MAX_VALUE && query.after() == null;
      ReadMode mode = same != null ? grouped(same) : any ? ANY_ORDER : IN_ORDER;
      return mode.withDamageSkipped(skipsDamage);
    }
    return whole ? this : IN_ORDER.withDamageSkipped(skipsDamage);
  }

  /// True when one event may stand for many. It then has the id of any of them.
  boolean combinesEvents() {
    return grouping != null || rollup != null || kept != null;
  }
}
