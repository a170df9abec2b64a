package io.widerow.query.figures;

import io.widerow.event.AttributeName;
import io.widerow.query.NameText;
import io.widerow.query.QueryException;
import io.widerow.query.TimeText;
import io.widerow.storage.Grouping;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The aggregates of a query and their grouping: `stats=count,p99(ms)`, `by=status,host`,
/// `every=5m`.
///
/// @param measures the aggregates, at least one
/// @param by attributes to group by
/// @param everyNanos width of a time step in nanoseconds; 0 for no grouping by time
public record StatsQuery(List<Aggregate> measures, List<AttributeName> by, long everyNanos) {
  public StatsQuery {
    measures = List.copyOf(measures);
    by = List.copyOf(by);
  }

  /// @return null when no aggregates are asked for
  public static @Nullable StatsQuery parse(
      @Nullable String stats, @Nullable String by, @Nullable String every) {
    if (stats == null) {
      if (by != null || every != null) {
        throw new QueryException.Refused("stats", "by and every need it; add --stats count");
      }
      return null;
    }
    List<Aggregate> measures = Aggregate.parse(stats);
    List<AttributeName> names = by == null ? List.of() : NameText.parseList("by", by);
    return new StatsQuery(measures, names, every == null ? 0 : TimeText.positive("every", every));
  }

  /// The attributes that it reads (projection). Never empty, because an empty projection means all.
  public List<AttributeName> fields() {
    Set<AttributeName> fields = new LinkedHashSet<>(by);
    for (Aggregate measure : measures) {
      AttributeName name = measure.name();
      if (name != null) {
        fields.add(name);
      }
    }
    if (fields.isEmpty()) {
      fields.add(Aggregation.TYPE);
    }
    return List.copyOf(fields);
  }

  /// The grouping for a scan that counts events of a group instead of returning each (aggregation
  /// pushdown); null when the aggregates need each event. The group tells whether an event has an
  /// attribute, but not its value as a number.
  public @Nullable Grouping fold() {
    for (Aggregate measure : measures) {
      AttributeName name = measure.name();
      if (measure.kind() != Aggregate.Kind.COUNT || (name != null && !by.contains(name))) {
        return null;
      }
    }
    return new Grouping(by, everyNanos);
  }

  /// The column names: `ts` when grouped by time, then the attributes, then the aggregates.
  public List<String> heads() {
    List<String> heads = new ArrayList<>();
    if (everyNanos != 0) {
      heads.add("ts");
    }
    by.forEach(name -> heads.add(name.toString()));
    measures.forEach(measure -> heads.add(measure.toString()));
    return heads;
  }

  /// Number of leading text columns; the others are numbers or empty.
  public int textColumns() {
    return by.size() + (everyNanos == 0 ? 0 : 1);
  }
}
