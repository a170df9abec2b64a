package io.widerow.storage.aggregate;

import io.widerow.storage.Filter;
import io.widerow.storage.live.RetentionSnapshot;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// The earliest time of each type that a view shows. A view shows retained events. For a query that
/// stored aggregates can serve, it also shows expired buckets for as long as their aggregates are
/// retained.
///
/// - Threads: any.
public final class AggregateHorizon {
  private final RetentionSnapshot kept;
  private final @Nullable RollupChoice choice; // null when only events count
  private final Filter filter;
  private final Map<String, Long> keepNanos = new ConcurrentHashMap<>(); // by type

  private AggregateHorizon(RetentionSnapshot kept, @Nullable RollupChoice choice, Filter filter) {
    this.kept = kept;
    this.choice = choice;
    this.filter = filter;
  }

  /// The horizon of retention alone.
  public static AggregateHorizon of(RetentionSnapshot kept) {
    return new AggregateHorizon(kept, null, new Filter.Everything());
  }

  /// The same for a query.
  ///
  /// @param choice null when only events count
  public AggregateHorizon with(@Nullable RollupChoice choice, Filter filter) {
    return new AggregateHorizon(kept, choice, filter);
  }

  @Nullable RollupChoice choice() {
    return choice;
  }

  Filter filter() {
    return filter;
  }

  private long keepNanos(String type) {
    RollupChoice of = choice;
    return of == null ? 0 : keepNanos.computeIfAbsent(type, name -> of.keepNanos(name, filter));
  }

  /// True when aggregates of a bucket of a type serve the query, and are still retained.
  ///
  /// @param untilNanos end of the bucket
  boolean hasFigures(String type, long untilNanos) {
    long keep = keepNanos(type);
    return keep > 0 && untilNanos + keep > kept.nowNanos();
  }

  /// True when aggregates of a bucket of a type were kept for as long as promised.
  ///
  /// @param untilNanos end of the bucket
  /// @param saidNanos how long it was said that they are kept, when their events went
  boolean isOver(String type, long untilNanos, long saidNanos) {
    long keep = keepNanos(type);
    return untilNanos + (keep > 0 ? keep : saidNanos) <= kept.nowNanos();
  }

  /// True when nothing is shown of a bucket of a type.
  ///
  /// @param untilNanos end of the bucket
  public boolean isPast(String type, long untilNanos) {
    return kept.isPast(type, untilNanos) && !hasFigures(type, untilNanos);
  }

  /// The least time that is shown of a type, see [RetentionSnapshot#keptFromNanos].
  public long keptFromNanos(String type, long widthNanos) {
    long from = kept.keptFromNanos(type, widthNanos);
    long keep = keepNanos(type);
    return keep == 0
        ? from
        : Math.min(from, Math.floorDiv(kept.nowNanos() - keep, widthNanos) * widthNanos);
  }
}
