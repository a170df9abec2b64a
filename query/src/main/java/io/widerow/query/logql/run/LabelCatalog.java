package io.widerow.query.logql.run;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.event.Text;
import io.widerow.query.RangeQuery;
import io.widerow.query.RangeReader;
import io.widerow.query.Token;
import io.widerow.query.TypeGlobs;
import io.widerow.query.logql.LogQuery;
import io.widerow.query.logql.Matcher;
import io.widerow.query.logql.line.EventLines;
import io.widerow.query.logql.line.LabelNames;
import io.widerow.query.logql.line.Line;
import io.widerow.query.logql.line.Line.Category;
import io.widerow.query.logql.line.Pipeline;
import io.widerow.storage.EventCursor.Step;
import io.widerow.storage.Filter;
import io.widerow.storage.Grouping;
import io.widerow.storage.PartitionInfo;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Which labels, values and streams there are in a range. Bodies are not read: the store counts
/// events in groups of equal labels, and shows one of each.
///
/// - Threads: one.
/// - Memory: what is found, told to the execution.
public final class LabelCatalog {
  private static final long TEXT_BYTES = 96;

  private final Execution execution;
  private final long fromNanos;
  private final long untilNanos;

  /// A half-open range, in nanoseconds since the Unix epoch.
  public LabelCatalog(Execution execution, long fromNanos, long untilNanos) {
    this.execution = execution;
    this.fromNanos = fromNanos;
    this.untilNanos = untilNanos;
  }

  /// Names of labels that streams of a selector have.
  public SortedSet<String> labels(List<Matcher> matchers) {
    SortedSet<String> found = new TreeSet<>();
    Set<AttributeName> left = new LinkedHashSet<>(execution.labels().attributes());
    Selection selection = Selection.of(new LogQuery(matchers, List.of()), execution.labels());
    Set<AttributeName> known =
        fromNanos < untilNanos
            ? execution.attributeNames(selection.range(fromNanos, untilNanos))
            : null;
    if (known != null) {
      left.retainAll(known); // nobody looks for what no block has
    }
    Pipeline pipeline = new Pipeline(new LogQuery(matchers, List.of()), 0);
    EventLines lines = new EventLines(execution.labels(), null, true);
    @Nullable Token after = null;
    while (!left.isEmpty()) {
      after = next(selection, pipeline, lines, left, after, found);
      if (after == null) {
        break;
      }
    }
    if (!found.isEmpty() || anyEvent(selection, pipeline, lines)) {
      found.add(LabelNames.SERVICE);
    }
    return found;
  }

  /// Finds the next event with a label that is not found yet. Null when there is none.
  private @Nullable Token next(
      Selection selection,
      Pipeline pipeline,
      EventLines lines,
      Set<AttributeName> left,
      @Nullable Token after,
      SortedSet<String> found) {
    List<Filter> any = left.stream().map(LabelCatalog::isText).toList();
    Filter filter = new Filter.And(List.of(selection.filter(), new Filter.Or(any)));
    RangeQuery query = selection.range(fromNanos, untilNanos).withFilter(filter).withAfter(after);
    if (query.fromNanos() >= query.untilNanos()) {
      return null;
    }
    RangeReader reader = execution.open(query);
    try {
      while (reader.nextWhenReady() == Step.EVENT) {
        Line line = lines.show(reader.event());
        if (pipeline.run(line) && note(reader.event(), left, found)) {
          return Token.of(reader.event());
        }
      }
      return null;
    } finally {
      execution.close(reader);
    }
  }

  private static Filter isText(AttributeName name) {
    return new Filter.Compare(
        name, Filter.Comparison.GREATER_OR_EQUAL, new Filter.Literal.Word(Text.of("")));
  }

  private boolean note(EventView event, Set<AttributeName> left, SortedSet<String> found) {
    AttributeValue scratch = new AttributeValue();
    return left.removeIf(name -> {
      boolean has = event.find(name, scratch) && scratch.kind().isText() && scratch.length() > 0;
      if (has) {
        found.add(execution.labels().shown(name));
      }
      return has;
    });
  }

  private boolean anyEvent(Selection selection, Pipeline pipeline, EventLines lines) {
    RangeQuery query = selection.range(fromNanos, untilNanos);
    if (query.fromNanos() >= query.untilNanos()) {
      return false;
    }
    RangeReader reader = execution.open(query);
    try {
      while (reader.nextWhenReady() == Step.EVENT) {
        if (pipeline.run(lines.show(reader.event()))) {
          return true;
        }
      }
      return false;
    } finally {
      execution.close(reader);
    }
  }

  /// The values of a label, or of any other attribute, among the streams of a selector.
  public SortedSet<String> values(String label, List<Matcher> matchers) {
    SortedSet<String> values = new TreeSet<>();
    boolean ofTypes =
        label.equals(LabelNames.SERVICE)
            && matchers.stream().allMatch(matcher -> matcher.name().equals(LabelNames.SERVICE));
    if (ofTypes) {
      for (String type : types()) {
        if (matchers.stream().allMatch(matcher -> matcher.test(type))) {
          values.add(type);
        }
      }
      return values;
    }
    read(
        matchers,
        Set.of(label),
        false,
        line -> {
          String value = line.get(label);
          if (value != null && !value.isEmpty() && values.add(value)) {
            execution.hold(TEXT_BYTES + 2L * value.length());
          }
        });
    return values;
  }

  /// The types that may have events in the range.
  SortedSet<String> types() {
    SortedSet<String> types = new TreeSet<>();
    for (PartitionInfo info : execution.view().partitions(TypeGlobs.ALL, fromNanos, untilNanos)) {
      if (info.timeFirstNanos() < untilNanos && info.timeLastNanos() >= fromNanos) {
        types.add(info.key().type());
      }
    }
    return types;
  }

  /// The streams of a selector.
  public SortedSet<LabelSet> streams(List<Matcher> matchers) {
    SortedSet<LabelSet> streams = new TreeSet<>();
    SortedMap<String, String> last = new TreeMap<>();
    read(
        matchers,
        Set.of(),
        true,
        line -> {
          SortedMap<String, String> labels = line.labels(Category.STREAM);
          if (!labels.equals(last)) {
            last.clear();
            last.putAll(labels);
            LabelSet stream = new LabelSet(labels);
            if (streams.add(stream)) {
              execution.hold(stream.bytes());
            }
          }
        });
    return streams;
  }

  /// For each label that streams of a selector have, how many values it has.
  public SortedMap<String, Integer> cardinalities(List<Matcher> matchers) {
    SortedMap<String, Set<String>> values = new TreeMap<>();
    for (LabelSet stream : streams(matchers)) {
      for (Map.Entry<String, String> label : stream.labels().entrySet()) {
        values.computeIfAbsent(label.getKey(), _ -> new TreeSet<>()).add(label.getValue());
      }
    }
    SortedMap<String, Integer> cardinalities = new TreeMap<>();
    values.forEach((label, of) -> cardinalities.put(label, of.size()));
    return cardinalities;
  }

  /// Shows one event of each group of those that agree in the labels that are needed.
  ///
  /// @param others labels needed besides those of the matchers
  /// @param allLabels whether the labels of streams are needed too
  private void read(
      List<Matcher> matchers, Set<String> others, boolean allLabels, Consumer<Line> seen) {
    LogQuery all = new LogQuery(matchers, List.of());
    Selection selection = Selection.of(all, execution.labels());
    Pipeline pipeline = new Pipeline(all, 0);
    Set<String> needed = new LinkedHashSet<>(others);
    if (allLabels) {
      needed.addAll(execution.labels().labels());
    }
    List<AttributeName> names = selection.attributes(needed);
    EventLines lines = new EventLines(execution.labels(), names, selection.needsLevel(needed));
    RangeQuery query = selection.range(fromNanos, untilNanos);
    if (query.fromNanos() >= query.untilNanos()) {
      return;
    }
    List<AttributeName> projection = null;
    if (names != null) {
      projection = names.isEmpty() ? List.of(AttributeName.of("type")) : new ArrayList<>(names);
    }
    RangeReader reader = execution.open(query.withFields(projection));
    try {
      if (names != null) {
        reader.inAnyOrder(new Grouping(names, 0));
      }
      while (reader.nextWhenReady() == Step.EVENT) {
        Line line = lines.show(reader.event());
        if (pipeline.run(line)) {
          seen.accept(line);
        }
      }
    } finally {
      execution.close(reader);
    }
  }
}
