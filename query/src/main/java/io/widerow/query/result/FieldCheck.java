package io.widerow.query.result;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.event.Level;
import io.widerow.event.NearestName;
import io.widerow.event.PartitionKey;
import io.widerow.query.NameText;
import io.widerow.query.PartitionSpans;
import io.widerow.query.QueryException;
import io.widerow.query.RangeQuery;
import io.widerow.query.aggregation.Aggregate;
import io.widerow.query.aggregation.Cell;
import io.widerow.query.aggregation.StatsQuery;
import io.widerow.query.output.EventWriter;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.output.TextWriter;
import io.widerow.storage.Filters;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Warns of fields that a query names and no event of its range has, such as misspelt ones. It
/// looks up names in block directories and open rows, never in events, and only for fields that are
/// missing in the result: fields of a filter that keeps no event, and fields that no event or row
/// shows. A survey, an alert and a rollup look up all fields that they name.
///
/// - Threads: one.
/// - Memory: borrows the view.
public final class FieldCheck {
  private static final Duration TIME_MAX = Duration.ofMillis(500);
  private static final int WARNINGS_MAX = 5;
  private static final int PARTITIONS_MAX = 100_000; // 16 MB in a list

  private static final String NO_LEVEL =
      "no event of the range has the attribute level; a level without quotes, as in"
          + " level = error, tests the level of the events";

  private final StoreView view;
  private final RangeQuery query;
  private final Set<AttributeName> unseen = new LinkedHashSet<>(); // wanted, in no event so far
  private final AttributeValue scratch = new AttributeValue();
  private boolean any;

  /// @param view remains the caller's, and open
  /// @param fields attributes that events are shown with; null for all
  public FieldCheck(StoreView view, RangeQuery query, @Nullable List<AttributeName> fields) {
    this.view = view;
    this.query = query;
    if (fields != null) {
      unseen.addAll(fields);
      unseen.removeIf(name -> NameText.isOwn(name.toString()));
    }
  }

  /// Takes an event of the result.
  public void event(EventView event) {
    any = true;
    if (!unseen.isEmpty()) {
      for (var names = unseen.iterator(); names.hasNext(); ) { // a lambda would be garbage
        if (event.find(names.next(), scratch)) {
          names.remove();
        }
      }
    }
  }

  /// A writer that takes each event of a result, too.
  public EventWriter seeing(EventWriter writer) {
    return new CheckedResult(writer, this, false);
  }

  /// The warnings about a result of events.
  public List<String> ofEvents() {
    Set<AttributeName> names = new LinkedHashSet<>(unseen);
    if (!any) {
      names.addAll(Filters.named(query.filter()));
    }
    return of(view, query, names);
  }

  /// The warnings about rows of aggregates.
  public List<String> ofRows(StatsQuery figures, List<List<Cell>> rows) {
    Set<AttributeName> names = new LinkedHashSet<>();
    int column = figures.everyNanos() == 0 ? 0 : 1;
    boolean isEmpty = true;
    for (AttributeName name : figures.by()) {
      if (isMissing(rows, column++)) {
        names.add(name);
      }
    }
    for (Aggregate measure : figures.columnAggregates()) {
      boolean isMissing = isMissing(rows, column++);
      AttributeName name = measure == null ? null : measure.name();
      isEmpty &= isMissing;
      if (isMissing && name != null) {
        names.add(name);
      }
    }
    if (isEmpty) {
      names.addAll(Filters.named(query.filter()));
    }
    names.remove(Level.FIELD); // the level of events is no attribute
    return of(view, query, stored(names));
  }

  private static boolean isMissing(List<List<Cell>> rows, int column) {
    return rows.stream()
        .map(row -> row.get(column))
        .allMatch(cell -> cell.kind() == Cell.Kind.MISSING || cell.text().equals("0"));
  }

  private static Set<AttributeName> stored(Collection<AttributeName> shown) {
    Set<AttributeName> stored = new LinkedHashSet<>();
    shown.forEach(name -> stored.add(NameText.stored(name)));
    return stored;
  }

  /// The fields that aggregates name: what they are of, and what they group by.
  public static Set<AttributeName> named(StatsQuery figures) {
    Set<AttributeName> names = new LinkedHashSet<>(figures.by());
    for (Aggregate measure : figures.measures()) {
      AttributeName name = measure.name();
      if (name != null) {
        names.add(name);
      }
      if (measure.where() != null) {
        names.addAll(Filters.named(measure.where().filter()));
      }
    }
    names.remove(Level.FIELD);
    return stored(names);
  }

  /// A warning for each attribute that no event in the time and types of a range has; none when
  /// that is not known soon.
  ///
  /// @param names as they are stored
  public static List<String> of(StoreView view, RangeQuery query, Collection<AttributeName> names) {
    Set<String> asked = new TreeSet<>();
    names.forEach(name -> asked.add(name.toString()));
    asked.removeIf(NameText::isOwn);
    if (query.derived() != null) { // others may be made of what events have
      Set<AttributeName> stored = Filters.named(query.filter());
      asked.removeIf(name -> !stored.contains(AttributeName.of(name)));
    }
    Set<String> known = asked.isEmpty() ? null : known(view, query);
    if (known == null || known.isEmpty()) {
      return List.of(); // without events there is no field to be misspelt
    }
    List<String> warnings = new ArrayList<>();
    for (String name : asked) {
      if (!known.contains(name) && warnings.size() < WARNINGS_MAX) {
        warnings.add(name.equals(Level.FIELD.toString()) ? NO_LEVEL : sentence(name, known));
      }
    }
    return warnings;
  }

  /// The same for a query that follows events: a warning for each attribute that no event of the
  /// last day has.
  public static List<String> ofLastDay(
      StoreView view, RangeQuery query, Collection<AttributeName> names, long nowNanos) {
    long dayAgo = nowNanos - Duration.ofDays(1).toNanos();
    return of(view, query.withRange(dayAgo, Long.MAX_VALUE), names);
  }

  /// The warning about a field.
  ///
  /// @param known the fields of the range
  public static String sentence(String name, Collection<String> known) {
    String shown = TextWriter.escaped(NameText.shown(name));
    String nearest = NearestName.of(name, known);
    return "no event of the range has the field %s; %s"
        .formatted(
            shown,
            nearest == null
                ? "widerow explore fields lists the fields of a range"
                : "the nearest is " + TextWriter.escaped(NameText.shown(nearest)));
  }

  /// The attributes that the events in the time and types of a range have, as they are stored.
  ///
  /// @return null when that is not known within half a second or in 100,000 partitions, and of a
  ///   store that keeps no names
  public static @Nullable Set<String> known(StoreView view, RangeQuery query) {
    long limit = System.nanoTime() + TIME_MAX.toNanos();
    Runnable check =
        () -> {
          if (System.nanoTime() - limit > 0) {
            throw new QueryException.Stopped("names of fields are not known soon");
          }
        };
    List<PartitionKey> partitions = new ArrayList<>();
    try {
      PartitionSpans.forEach(
          view,
          type -> query.types().test(type) && Filters.mayKeepType(query.filter(), type),
          query.fromNanos(),
          query.untilNanos(),
          span -> {
            check.run();
            span.forEach(partition -> partitions.add(partition.key()));
            if (partitions.size() > PARTITIONS_MAX) {
              throw new QueryException.Stopped("too many partitions to look for names");
            }
          });
      Set<AttributeName> found =
          view.attributeNames(partitions, query.toScan().withWatch(new ScanWatch(check)));
      if (found == null) {
        return null;
      }
      Set<String> names = new TreeSet<>();
      found.forEach(name -> names.add(name.toString()));
      return names;
    } catch (QueryException.Stopped | StorageException unknown) {
      return null; // the query itself fails when what it reads is damaged
    }
  }

  /// A line with warnings; empty when there are none.
  public static String line(List<String> warnings) {
    OutputBuffer line = new OutputBuffer(1 << 8);
    putLine(warnings, line);
    return line.toString();
  }

  /// Writes a line with warnings, unless there are none.
  public static void putLine(List<String> warnings, OutputBuffer out) {
    if (warnings.isEmpty()) {
      return;
    }
    String comma = "{\"warnings\":[\"";
    for (String warning : warnings) {
      out.put(comma);
      out.putJson(warning);
      comma = "\",\"";
    }
    out.put("\"]}\n");
  }
}
