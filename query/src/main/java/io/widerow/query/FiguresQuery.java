package io.widerow.query;

import io.widerow.event.AttributeName;
import io.widerow.storage.Fold;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Which figures are asked for: `stats=count,p99(ms)`, `by=status,host`, `every=5m`.
///
/// @param measures at least one
/// @param by attributes to group by
/// @param everyNanos width of a step of time; 0 for one step of all time
record FiguresQuery(List<Measure> measures, List<AttributeName> by, long everyNanos) {
  FiguresQuery {
    measures = List.copyOf(measures);
    by = List.copyOf(by);
  }

  /// @return null when no figures are asked for
  static @Nullable FiguresQuery parse(
      @Nullable String stats, @Nullable String by, @Nullable String every) {
    if (stats == null) {
      if (by != null || every != null) {
        throw new QueryException.Refused("stats", "by and every group figures; add --stats count");
      }
      return null;
    }
    List<Measure> measures = Measure.parse(stats);
    List<AttributeName> names = by == null ? List.of() : NameText.parseList("by", by);
    return new FiguresQuery(measures, names, every == null ? 0 : TimeText.positive("every", every));
  }

  /// The attributes that it looks at, and one that stands for none: none at all would mean all.
  List<AttributeName> fields() {
    Set<AttributeName> fields = new LinkedHashSet<>(by);
    for (Measure measure : measures) {
      AttributeName name = measure.name();
      if (name != null) {
        fields.add(name);
      }
    }
    if (fields.isEmpty()) {
      fields.add(Statistics.TYPE);
    }
    return List.copyOf(fields);
  }

  /// Which events are alike to these figures; null when each must be looked at. Whether an event
  /// has an attribute is told by its group, but not which number it has.
  @Nullable Fold fold() {
    for (Measure measure : measures) {
      AttributeName name = measure.name();
      if (measure.kind() != Measure.Kind.COUNT || (name != null && !by.contains(name))) {
        return null;
      }
    }
    return new Fold(by, everyNanos);
  }

  /// The heads of the columns: `ts` when there are steps, the attributes, the measures.
  List<String> heads() {
    List<String> heads = new ArrayList<>();
    if (everyNanos != 0) {
      heads.add("ts");
    }
    by.forEach(name -> heads.add(name.toString()));
    measures.forEach(measure -> heads.add(measure.toString()));
    return heads;
  }

  /// How many columns from the left are texts; the others are numbers or empty.
  int textColumns() {
    return by.size() + (everyNanos == 0 ? 0 : 1);
  }
}
