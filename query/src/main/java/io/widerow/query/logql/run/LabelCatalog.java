package io.widerow.query.logql.run;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.event.StreamLabels;
import io.widerow.event.Text;
import io.widerow.query.PartitionSpans;
import io.widerow.query.RangeQuery;
import io.widerow.query.RangeReader;
import io.widerow.query.ReadMode;
import io.widerow.query.Token;
import io.widerow.query.TypeGlobs;
import io.widerow.query.fields.FieldValues;
import io.widerow.query.logql.LogQuery;
import io.widerow.query.logql.Matcher;
import io.widerow.query.logql.line.EventLines;
import io.widerow.query.logql.line.LabelMapping;
import io.widerow.query.logql.line.Line;
import io.widerow.query.logql.line.Line.Category;
import io.widerow.query.logql.line.Pipeline;
import io.widerow.query.survey.ChosenPartitions;
import io.widerow.storage.EventCursor.Step;
import io.widerow.storage.Filter;
import io.widerow.storage.Grouping;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreView;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Finds the labels, values and streams in a range. Bodies are not read: names and values of whole
/// types come from sealed blocks, see [FieldValues]. For the rest the store counts events in groups
/// of equal labels, and shows one event of each group.
///
/// - Threads: one.
/// - Memory: the names and values found, counted by the execution.
public final class LabelCatalog {
  private static final long TEXT_BYTES = 96;

  private final LogqlContext execution;
  private final long fromNanos;
  private final long untilNanos;

  /// A half-open range, in nanoseconds since the Unix epoch.
  public LabelCatalog(LogqlContext execution, long fromNanos, long untilNanos) {
    this.execution = execution;
    this.fromNanos = fromNanos;
    this.untilNanos = untilNanos;
  }

  /// Names of labels that streams of a selector have.
  public SortedSet<String> labels(List<Matcher> matchers) {
    SortedSet<String> found = new TreeSet<>();
    LogQuery all = new LogQuery(matchers, List.of());
    LogqlSelection selection = LogqlSelection.of(all, execution.labels());
    RangeQuery query = selection.range(fromNanos, untilNanos);
    if (query.fromNanos() >= query.untilNanos()) {
      return found;
    }
    List<PartitionKey> partitions = execution.partitions(query);
    Set<AttributeName> left = new LinkedHashSet<>(execution.labels().attributes());
    left.addAll(pushed(partitions, query));
    Set<AttributeName> known = execution.attributeNames(partitions, query);
    if (known != null) {
      left.retainAll(known); // skip names that no block has
    }
    Pipeline pipeline = new Pipeline(all, 0);
    EventLines lines = new EventLines(execution.labels(), null, true, execution.lineMemory());
    SortedSet<String> told = isOfTypes(matchers) ? told(partitions, query, left) : null;
    if (told != null) {
      found.addAll(told);
    } else {
      @Nullable Token after = null;
      do {
        after = left.isEmpty() ? null : next(selection, pipeline, lines, left, after, found);
      } while (after != null);
    }
    if (!found.isEmpty() || anyEvent(selection, pipeline, lines)) {
      found.add(LabelMapping.SERVICE);
    }
    return found;
  }

  private static boolean isOfTypes(List<Matcher> matchers) {
    return matchers.stream().allMatch(matcher -> matcher.name().equals(LabelMapping.SERVICE));
  }

  /// The labels that some attributes are, from sealed blocks, open rows, and the events of the rest
  /// in groups. Null when a scan is needed: for bytes the result depends on the events that it
  /// reads.
  private @Nullable SortedSet<String> told(
      List<PartitionKey> partitions, RangeQuery query, Set<AttributeName> wanted) {
    SortedSet<String> found = new TreeSet<>();
    Set<AttributeName> left = new LinkedHashSet<>(wanted);
    Set<AttributeName> bytes = new HashSet<>();
    FieldValues.Visitor visitor =
        (name, value) -> {
          boolean isText = value.kind().isText() && value.length() > 0;
          boolean has = isText && value.kind() == AttributeKind.STRING;
          if (has) {
            found.add(execution.labels().shown(name));
          } else if (isText) {
            bytes.add(name);
          }
          return !has;
        };
    try (FieldValues values = execution.values(partitions, query)) {
      if (values == null) {
        return null;
      }
      values.readSealed(left, visitor, execution::check, execution::hold);
      values.readOpen(left, scan(query, left), visitor);
      readOthers(values.others(), query, left, visitor);
      bytes.retainAll(left);
      if (values.hasSealed()) {
        found.add(LabelMapping.SERVICE);
      }
      return bytes.isEmpty() ? found : null;
    }
  }

  /// The attributes that are labels of pushed streams.
  private Set<AttributeName> pushed(List<PartitionKey> partitions, RangeQuery query) {
    Set<AttributeName> names = new TreeSet<>();
    FieldValues.Visitor visitor =
        (_, value) -> {
          for (String label : StreamLabels.names(value.toString())) {
            names.add(StreamLabels.attribute(label));
          }
          return true;
        };
    Set<AttributeName> field = Set.of(StreamLabels.FIELD);
    try (FieldValues values = execution.values(partitions, query)) {
      if (values == null) {
        readOthers(new HashSet<>(partitions), query, new HashSet<>(field), visitor);
        return names;
      }
      values.readSealed(new HashSet<>(field), visitor, execution::check, execution::hold);
      values.readOpen(new HashSet<>(field), scan(query, field), visitor);
      readOthers(values.others(), query, new HashSet<>(field), visitor);
    }
    execution.hold(TEXT_BYTES * names.size());
    return names;
  }

  private void readOthers(
      Set<PartitionKey> others,
      RangeQuery query,
      Set<AttributeName> left,
      FieldValues.Visitor visitor) {
    if (others.isEmpty() || left.isEmpty()) {
      return;
    }
    List<AttributeName> names = List.copyOf(left);
    Filter filter = new Filter.And(List.of(query.filter(), any(left, Filter.Exists::new)));
    StoreView unread = new ChosenPartitions(execution.view(), others);
    AttributeValue scratch = new AttributeValue();
    try (RangeReader reader =
        execution.open(
            unread,
            query.withFields(names).withFilter(filter),
            ReadMode.grouped(new Grouping(names, 0)))) {
      while (!left.isEmpty() && reader.nextWhenReady() == Step.EVENT) {
        EventView event = reader.event();
        left.removeIf(name -> event.find(name, scratch) && !visitor.value(name, scratch));
      }
    }
  }

  /// A scan of open rows for attributes: one event for each combination of their values.
  private Scan scan(RangeQuery query, Set<AttributeName> wanted) {
    List<AttributeName> names = List.copyOf(wanted);
    return execution
        .scan(query.withFields(names).withFilter(any(wanted, Filter.Exists::new)))
        .withFold(new Grouping(names, 0));
  }

  private static Filter any(Set<AttributeName> names, Function<AttributeName, Filter> has) {
    return new Filter.Or(names.stream().map(has).toList());
  }

  /// Finds the next event with a label that is not found yet. Null when there is none.
  private @Nullable Token next(
      LogqlSelection selection,
      Pipeline pipeline,
      EventLines lines,
      Set<AttributeName> left,
      @Nullable Token after,
      SortedSet<String> found) {
    Filter filter = new Filter.And(List.of(selection.filter(), any(left, LabelCatalog::isText)));
    RangeQuery query = selection.range(fromNanos, untilNanos).withFilter(filter).withAfter(after);
    try (RangeReader reader = execution.open(query)) {
      while (reader.nextWhenReady() == Step.EVENT) {
        Line line = lines.show(reader.event());
        if (pipeline.run(line) && note(reader.event(), left, found)) {
          return Token.of(reader.event());
        }
      }
      return null;
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

  private boolean anyEvent(LogqlSelection selection, Pipeline pipeline, EventLines lines) {
    try (RangeReader reader = execution.open(selection.range(fromNanos, untilNanos))) {
      while (reader.nextWhenReady() == Step.EVENT) {
        if (pipeline.run(lines.show(reader.event()))) {
          return true;
        }
      }
      return false;
    }
  }

  /// The values of a label, or of any other attribute, among the streams of a selector.
  public SortedSet<String> values(String label, List<Matcher> matchers) {
    SortedSet<String> values = new TreeSet<>();
    boolean ofTypes = isOfTypes(matchers);
    if (ofTypes && label.equals(LabelMapping.SERVICE)) {
      for (String type : types()) {
        if (matchers.stream().allMatch(matcher -> matcher.test(type))) {
          values.add(type);
        }
      }
      return values;
    }
    StoreView rest = ofTypes ? addTold(label, matchers, values) : execution.view();
    read(
        rest,
        matchers,
        Set.of(label),
        false,
        line -> {
          String value = line.get(label);
          if (value != null) {
            add(value, values);
          }
        });
    return values;
  }

  private void add(String value, SortedSet<String> values) {
    if (!value.isEmpty() && !values.contains(value)) {
      execution.hold(TEXT_BYTES + 2L * value.length());
      values.add(value);
    }
  }

  /// Adds the values of a label in sealed blocks and open rows. Returns a view of the partitions
  /// whose events must be looked at.
  private StoreView addTold(String label, List<Matcher> matchers, SortedSet<String> to) {
    StoreView all = execution.view();
    RangeQuery query =
        LogqlSelection.of(new LogQuery(matchers, List.of()), execution.labels())
            .range(fromNanos, untilNanos);
    boolean isOwn = label.startsWith("__") || label.equals(LabelMapping.DETECTED_LEVEL);
    if (isOwn || query.fromNanos() >= query.untilNanos()) {
      return all;
    }
    List<PartitionKey> partitions = execution.partitions(query);
    Set<AttributeName> present = execution.attributeNames(partitions, query);
    if (present == null) {
      return all;
    }
    Set<AttributeName> names = new HashSet<>(attributes(label, present));
    if (names.isEmpty()) {
      return new ChosenPartitions(all, Set.of());
    }
    boolean isOne = names.stream().allMatch(name -> execution.labels().shown(name).equals(label));
    if (names.size() > 1 || !isOne) { // the label of an event depends on which of them it has
      return all;
    }
    SortedSet<String> told = new TreeSet<>();
    boolean[] unsure = {false};
    FieldValues.Visitor visitor =
        (_, value) -> {
          unsure[0] |= !isSure(value);
          String text = EventLines.text(value);
          if (!told.contains(text)) {
            execution.hold(TEXT_BYTES + 2L * text.length());
            told.add(text);
          }
          return !unsure[0];
        };
    try (FieldValues values = execution.values(partitions, query)) {
      if (values == null) {
        return all;
      }
      values.readSealed(names, visitor, execution::check, execution::hold);
      values.readOpen(names, scan(query, names), visitor);
      if (unsure[0]) {
        return all;
      }
      told.forEach(value -> add(value, to));
      return new ChosenPartitions(all, values.others());
    }
  }

  /// Which of some attributes a label may mean.
  private List<AttributeName> attributes(String label, Set<AttributeName> present) {
    List<AttributeName> names = execution.labels().knowing(present).attributes(label);
    return names == null ? List.of() : names.stream().filter(present::contains).toList();
  }

  /// False for a value that groups may hide behind an equal one that shows differently: bytes
  /// behind a text, and a whole number of one kind behind that of another.
  private static boolean isSure(AttributeValue value) {
    return switch (value.kind()) {
      case STRING, BOOLEAN -> true;
      case LONG, DOUBLE -> Math.abs(value.asDouble()) < EventLines.WHOLE_LIMIT;
      case BYTES -> false;
    };
  }

  /// The types that may have events in the range.
  SortedSet<String> types() {
    SortedSet<String> types = new TreeSet<>();
    PartitionSpans.forEach(
        execution.view(),
        TypeGlobs.ALL,
        fromNanos,
        untilNanos,
        partitions -> {
          int before = types.size();
          for (PartitionInfo info : partitions) {
            if (info.timeFirstNanos() < untilNanos && info.timeLastNanos() >= fromNanos) {
              types.add(info.key().type());
            }
          }
          execution.hold(TEXT_BYTES * (types.size() - before));
        });
    return types;
  }

  /// The streams of a selector.
  public SortedSet<LabelSet> streams(List<Matcher> matchers) {
    SortedSet<LabelSet> streams = new TreeSet<>();
    SortedMap<String, String> last = new TreeMap<>();
    read(
        execution.view(),
        matchers,
        Set.of(),
        true,
        line -> {
          SortedMap<String, String> labels = line.labels(Category.STREAM);
          if (!labels.equals(last)) {
            last.clear();
            last.putAll(labels);
            LabelSet stream = new LabelSet(labels);
            if (!streams.contains(stream)) {
              execution.hold(stream.bytes());
              streams.add(stream);
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
        execution.hold(TEXT_BYTES);
        values.computeIfAbsent(label.getKey(), _ -> new TreeSet<>()).add(label.getValue());
      }
    }
    SortedMap<String, Integer> cardinalities = new TreeMap<>();
    values.forEach((label, of) -> cardinalities.put(label, of.size()));
    return cardinalities;
  }

  /// Shows one event of each group of events with equal values of the needed labels.
  ///
  /// @param view the view to read
  /// @param others labels needed besides those of the matchers
  /// @param allLabels whether the labels of streams are needed too
  private void read(
      StoreView view,
      List<Matcher> matchers,
      Set<String> others,
      boolean allLabels,
      Consumer<Line> seen) {
    LogQuery all = new LogQuery(matchers, List.of());
    RangeQuery query = LogqlSelection.of(all, execution.labels()).range(fromNanos, untilNanos);
    if (query.fromNanos() >= query.untilNanos()) {
      return;
    }
    LabelMapping labels = execution.labels();
    Set<AttributeName> known = null;
    if (allLabels) {
      List<PartitionKey> partitions = execution.partitions(query);
      known = execution.attributeNames(partitions, query);
      if (known == null || known.contains(StreamLabels.FIELD)) {
        labels = labels.ofStreams(known, pushed(partitions, query)); // names that pushed ones have
      }
    }
    LogqlSelection selection = LogqlSelection.of(all, labels);
    Pipeline pipeline = new Pipeline(all, 0);
    Set<String> needed = new LinkedHashSet<>(others);
    if (allLabels) {
      needed.addAll(labels.labels());
    }
    List<AttributeName> names = selection.attributes(needed);
    boolean level = selection.needsLevel(needed);
    EventLines lines = new EventLines(labels, names, level, execution.lineMemory());
    ReadMode mode = ReadMode.IN_ORDER;
    if (names != null) {
      List<AttributeName> there = new ArrayList<>(names);
      if (known != null) {
        there.retainAll(known);
      }
      Grouping alike = new Grouping(there, 0);
      mode = ReadMode.grouped(level ? alike.withLevel() : alike);
    }
    try (RangeReader reader =
        execution.open(view, query.withFields(LogqlSelection.projection(names, level)), mode)) {
      while (reader.nextWhenReady() == Step.EVENT) {
        Line line = lines.show(reader.event());
        if (pipeline.run(line)) {
          seen.accept(line);
        }
      }
    }
  }
}
