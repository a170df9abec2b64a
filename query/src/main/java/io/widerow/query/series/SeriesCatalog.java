package io.widerow.query.series;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.event.TypeGlob;
import io.widerow.query.QueryExecution;
import io.widerow.query.RangeQuery;
import io.widerow.query.RangeReader;
import io.widerow.query.TypeGlobs;
import io.widerow.query.logql.Matcher;
import io.widerow.query.series.SeriesScan.Range;
import io.widerow.query.survey.BudgetedScan;
import io.widerow.storage.EventCursor.Step;
import io.widerow.storage.Filter;
import io.widerow.storage.Filters;
import io.widerow.storage.TypeInfo;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;

/// The series, labels and label values of a range. Names of metrics come from what the store knows
/// of its blocks. Anything else is read, in slices that lie evenly over the range, until the time
/// is over: series last, so that a part of a long range has nearly all of them.
///
/// - Threads: one; any thread may call [#cancel].
/// - Memory: the found labels, counted by the execution.
public final class SeriesCatalog {
  private final QueryExecution execution;
  private final Range range;
  private final long untilNanos;
  private final BudgetedScan scan;
  private final AttributeValue scratch = new AttributeValue();
  private double read = 1;

  /// @param budgetNanos how long it may read
  public SeriesCatalog(QueryExecution execution, Range range, long budgetNanos) {
    this.execution = execution;
    this.range = range;
    this.untilNanos = System.nanoTime() + budgetNanos;
    this.scan = new BudgetedScan(execution.view(), execution.memory());
  }

  /// Ends the reading soon, with an exception.
  public void cancel() {
    scan.cancel();
    execution.cancel();
  }

  /// The share of the range that was read, 0 to 1.
  public double read() {
    return read;
  }

  /// The series that one of some selectors keeps, in the order of their labels.
  public SortedSet<Labels> series(List<SeriesSelector> selectors) {
    SortedSet<Labels> all = new TreeSet<>();
    for (SeriesSelector selector : selectors) {
      SeriesSet found = new SeriesSet(execution, selector, false);
      SeriesTable table = new SeriesTable(execution, selector, found);
      read(selector, table::note);
      found.sorted().forEach(series -> all.add(series.labels()));
    }
    return all;
  }

  /// The names of their labels.
  public SortedSet<String> names(List<SeriesSelector> selectors) {
    SortedSet<String> names = new TreeSet<>();
    series(selectors).forEach(each -> each.all().forEach(label -> names.add(label.name())));
    return names;
  }

  /// The values of one of their labels.
  public SortedSet<String> values(String label, List<SeriesSelector> selectors) {
    SortedSet<String> values = new TreeSet<>();
    boolean ofNames =
        label.equals(Labels.NAME) && selectors.stream().allMatch(SeriesCatalog::isOfNames);
    for (Labels series : ofNames ? metrics(selectors) : series(selectors)) {
      String value = series.get(label);
      if (!value.isEmpty()) {
        values.add(value);
      }
    }
    return values;
  }

  private static boolean isOfNames(SeriesSelector selector) {
    return selector.matchers().stream().map(Matcher::name).allMatch(Labels.NAME::equals);
  }

  /// One series or more of each metric: of each type, the first sample, the first histogram, and
  /// the first event with each attribute that may be a field.
  private SortedSet<Labels> metrics(List<SeriesSelector> selectors) {
    SortedSet<Labels> all = new TreeSet<>();
    for (SeriesSelector selector : selectors) {
      SeriesSet found = new SeriesSet(execution, selector, false);
      SeriesTable table = new SeriesTable(execution, selector, found);
      RangeQuery query = range.query(execution, selector);
      if (query != null) {
        for (TypeInfo type :
            execution.view().types(name -> Filters.mayKeepType(query.filter(), name))) {
          noteFirsts(query.withTypes(new TypeGlobs(List.of(TypeGlob.of(type.type())))), table);
        }
      }
      found.sorted().forEach(series -> all.add(series.labels()));
    }
    return all;
  }

  private void noteFirsts(RangeQuery ofType, SeriesTable table) {
    Set<AttributeName> seen = new HashSet<>();
    noteFirst(ofType, SeriesSelector.HISTOGRAM, seen, table);
    noteFirst(ofType, new Filter.Not(SeriesSelector.HISTOGRAM), seen, table);
    Set<AttributeName> names = execution.attributeNames(ofType);
    if (names == null) {
      read = Math.min(read, scan.read(ofType, untilNanos, table::note));
      return;
    }
    for (AttributeName name : names) {
      if (!seen.contains(name)) {
        noteFirst(ofType, new Filter.Exists(name), seen, table);
      }
    }
  }

  private void noteFirst(
      RangeQuery query, Filter kind, Set<AttributeName> seen, SeriesTable table) {
    RangeQuery first = query.withFilter(new Filter.And(List.of(query.filter(), kind))).withLimit(1);
    try (RangeReader reader = execution.open(first)) {
      if (reader.nextWhenReady() == Step.EVENT) {
        table.note(reader.event());
        reader.event().forEach(scratch, (name, _) -> seen.add(name));
      }
    }
  }

  private void read(SeriesSelector selector, Consumer<EventView> each) {
    RangeQuery query = range.query(execution, selector);
    if (query != null) {
      read = Math.min(read, scan.read(query, untilNanos, each));
    }
  }
}
