package io.widerow.query.logql.run;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.event.StreamLabels;
import io.widerow.query.HeldMemory;
import io.widerow.query.QueryException;
import io.widerow.query.RangeQuery;
import io.widerow.query.RangeReader;
import io.widerow.query.ReadMode;
import io.widerow.query.aggregation.Field;
import io.widerow.query.logql.LogQuery;
import io.widerow.query.logql.LogqlNames;
import io.widerow.query.logql.Matcher;
import io.widerow.query.logql.Metric;
import io.widerow.query.logql.Metric.RangeFunction;
import io.widerow.query.logql.Stage;
import io.widerow.query.logql.line.EventLines;
import io.widerow.query.logql.line.LabelMapping;
import io.widerow.query.logql.line.Line;
import io.widerow.query.logql.line.Line.Category;
import io.widerow.query.logql.line.ParserHints;
import io.widerow.query.logql.line.Pipeline;
import io.widerow.rollup.RollupField;
import io.widerow.rollup.RollupFigure;
import io.widerow.storage.EventCursor.Step;
import io.widerow.storage.Filter;
import io.widerow.storage.FilterEvaluation;
import io.widerow.storage.Grouping;
import io.widerow.storage.sketch.AttributeFigures;
import io.widerow.storage.sketch.GroupedEvents;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The series of a range function. A window `(t - range, t]` has its step, and not its start, as in
/// Loki: of whole nanoseconds that is the half-open range from `t - range + 1` to `t + 1`.
///
/// When a function only counts, and the labels it needs are certain attributes, the store counts
/// events in groups and no line is looked at. Cells of whole minutes count the events at their
/// first nanosecond apart, because these belong to the window that ends there.
///
/// - Threads: one.
/// - Memory: that of the buckets of each series, counted by the execution.
final class RangeSamples {
  private final LogqlContext execution;
  private final Metric.Range range;
  private final Steps steps;
  private final SeriesNames seriesNames;
  private final LabelMapping labels;
  private final LogqlSelection selection;
  private final Pipeline pipeline;
  private final long widthNanos; // of a bucket
  private final long baseNanos; // start of the first bucket
  private final Map<LabelSet, Samples> samples = new HashMap<>();
  private final AttributeValue scratch = new AttributeValue();
  private @Nullable SortedMap<String, String> labelsLast;
  private @Nullable Samples samplesLast;

  /// @param names which labels make a series
  RangeSamples(LogqlContext execution, Metric.Range range, Steps steps, SeriesNames names) {
    this.execution = execution;
    this.range = range;
    this.steps = steps;
    this.seriesNames = names;
    this.widthNanos =
        steps.count() == 1 ? range.rangeNanos() : gcd(range.rangeNanos(), steps.stepNanos());
    this.baseNanos = steps.startNanos() - range.offsetNanos() - range.rangeNanos() + 1;
    this.labels = certain(execution.labels());
    this.selection = LogqlSelection.of(range.lines(), range.unwrap(), labels).decided();
    ParserHints hints = ParserHints.of(range, names.exact() ? names.names() : null);
    this.pipeline = new Pipeline(selection.query(), selection.searched(), hints);
  }

  /// Names of labels as they are, or, when only events decide which attributes they mean, with the
  /// attributes that the store knows of.
  private LabelMapping certain(LabelMapping names) {
    LogqlSelection open = LogqlSelection.of(range.lines(), range.unwrap(), names);
    RangeQuery query = open.range(baseNanos, untilNanos());
    boolean ofStreams = !seriesNames.exact();
    boolean unsure = open.attributes(otherNames(names)) == null;
    if (open.parses() || !(unsure || ofStreams) || query.fromNanos() >= query.untilNanos()) {
      return names;
    }
    Set<AttributeName> known = execution.attributeNames(query);
    if (ofStreams && (known == null || known.contains(StreamLabels.FIELD))) {
      return names.ofStreams(known, known == null ? Set.of() : known);
    }
    return known == null || !unsure ? names : names.knowing(known);
  }

  private long untilNanos() {
    return steps.at(steps.count() - 1) - range.offsetNanos() + 1;
  }

  private static long gcd(long one, long other) {
    return other == 0 ? one : gcd(other, one % other);
  }

  List<LogqlSeries> series() {
    long mark = execution.held();
    read();
    List<LogqlSeries> series = new ArrayList<>();
    long perStep = steps.stepNanos() / widthNanos;
    long perWindow = range.rangeNanos() / widthNanos;
    for (Map.Entry<LabelSet, Samples> each : new TreeMap<>(samples).entrySet()) {
      execution.check();
      LogqlSeries one = new LogqlSeries(each.getKey(), steps.count(), execution);
      long before = execution.held();
      execution.hold(each.getValue().windowBytes());
      each.getValue().complete();
      for (int i = 0; i < steps.count(); i++) {
        execution.check();
        long end = steps.at(i) - range.offsetNanos();
        each.getValue().evaluate(range, i * perStep, i * perStep + perWindow, end, i, one);
      }
      each.getValue().clear();
      execution.release(before);
      if (!one.isEmpty()) {
        series.add(one);
      }
    }
    if (range.function() == RangeFunction.ABSENT_OVER_TIME) {
      series = List.of(absent(series));
    }
    long bytes = 0;
    for (LogqlSeries one : series) {
      bytes += one.bytes();
    }
    execution.release(Math.min(execution.held(), mark + bytes));
    return series;
  }

  /// 1 at each step at which no series has a sample.
  private LogqlSeries absent(List<LogqlSeries> series) {
    TreeMap<String, String> labels = new TreeMap<>();
    Set<String> several = new HashSet<>();
    for (Matcher matcher : range.lines().matchers()) {
      boolean isFirst = several.add(matcher.name());
      if (isFirst && matcher.kind() == Matcher.Kind.EQUAL && !matcher.text().isEmpty()) {
        labels.put(matcher.name(), matcher.text());
      } else {
        labels.remove(matcher.name());
      }
    }
    LogqlSeries absent = new LogqlSeries(new LabelSet(labels), steps.count(), execution);
    for (int i = 0; i < steps.count(); i++) {
      int step = i;
      if (series.stream().noneMatch(one -> one.has(step))) {
        absent.set(i, 1);
      }
    }
    return absent;
  }

  private Set<String> otherNames(LabelMapping names) {
    Set<String> others = new LinkedHashSet<>(seriesNames.needed(names));
    Stage.Unwrap unwrap = range.unwrap();
    if (unwrap != null) {
      others.add(unwrap.label());
    }
    for (Stage stage : range.afterUnwrap()) {
      if (stage instanceof Stage.LabelFilter(var condition)) {
        condition.addNames(others);
      }
    }
    return others;
  }

  private boolean readsBytes() {
    return range.function().isOfBytes();
  }

  private void read() {
    RangeQuery query = selection.range(baseNanos, untilNanos());
    if (query.fromNanos() >= query.untilNanos()) {
      return;
    }
    Set<String> others = otherNames(labels);
    List<AttributeName> names = selection.attributes(others);
    boolean level = selection.needsLevel(others);
    DecidedEvents decided =
        names == null || !mode().anyOrder()
            ? null
            : DecidedEvents.of(range, labels, seriesNames.needed(labels));
    boolean looksAtLines = selection.looksAtLines() || readsBytes();
    EventLines lines = new EventLines(labels, names, level, execution.lineMemory());
    RangeQuery read =
        looksAtLines ? query : query.withFields(LogqlSelection.projection(names, level));
    if (decided != null) {
      readDecided(read, decided, lines);
      return;
    }
    if (names != null && !looksAtLines) {
      readEvents(read, names, lines, level);
      return;
    }
    try (RangeReader reader = execution.open(read, mode())) {
      while (reader.nextWhenReady() == Step.EVENT) {
        add(reader.event(), lines);
      }
    }
  }

  /// The mode in which each event is read. In order, segments that overlap hold a block each.
  private ReadMode mode() {
    return switch (range.function()) {
      case FIRST_OVER_TIME, LAST_OVER_TIME, RATE_COUNTER -> ReadMode.IN_ORDER;
      default -> ReadMode.ANY_ORDER;
    };
  }

  /// Reads events whose filters decide which are samples: the store aggregates them by the labels
  /// of series.
  ///
  /// @param lines shows those that only their lines decide
  private void readDecided(RangeQuery query, DecidedEvents decided, EventLines lines) {
    Set<String> others = seriesNames.needed(labels);
    LogqlSelection all = LogqlSelection.of(new LogQuery(List.of(), List.of()), labels);
    List<AttributeName> by = Objects.requireNonNull(all.attributes(others)); // some of all names
    boolean level = all.needsLevel(others);
    Stage.Unwrap unwrap = range.unwrap();
    EventCondition.NumberLabel number =
        unwrap == null ? null : EventCondition.NumberLabel.of(unwrap.label(), labels);
    Set<AttributeName> read = new LinkedHashSet<>(by);
    int figures = figures();
    Filter unsure = decided.unsure();
    Filter kept = decided.kept();
    if (unsure != null) {
      kept = LogqlPushdown.any(List.of(kept, new Filter.And(List.of(query.filter(), unsure))));
    }
    Grouping grouping = new Grouping(by, stepNanos());
    if (number != null || readsBytes()) {
      AttributeName sample = number == null ? AttributeName.BODY : number.names().getFirst();
      read.add(sample);
      grouping =
          figures == 0
              ? new Grouping(List.copyOf(read), stepNanos())
              : grouping.withFields(List.of(new RollupField(sample, figures)));
    }
    EventStages stages = EventStages.decided(decided.groups(), number, readsBytes());
    grouping = (level ? grouping.withLevel() : grouping).without(unsure);
    readGroups(query.withFilter(kept), stages, lines, by, grouping);
  }

  /// The bits of the aggregates of the store from which the function can be computed; 0 when there
  /// are none.
  private int figures() {
    return switch (range.function()) {
      case SUM_OVER_TIME, AVG_OVER_TIME, RATE, ABSENT_OVER_TIME -> RollupFigure.SUM.bit;
      case MIN_OVER_TIME -> RollupFigure.MIN.bit;
      case MAX_OVER_TIME -> RollupFigure.MAX.bit;
      case BYTES_OVER_TIME, BYTES_RATE -> RollupFigure.LENGTHS.bit;
      case QUANTILE_OVER_TIME -> RollupFigure.NUMBERS.bit;
      case STDDEV_OVER_TIME, STDVAR_OVER_TIME -> RollupFigure.NUMBERS.bit | RollupFigure.SUM.bit;
      default -> 0;
    };
  }

  /// The step of time in which the store may combine events: one, when there is one window.
  private long stepNanos() {
    return steps.count() == 1 ? 0 : widthNanos;
  }

  /// Reads events of which no line has to be shown.
  ///
  /// @param all the attributes that stages, series and the sample depend on
  /// @param level whether series or stages depend on the level
  private void readEvents(
      RangeQuery query, List<AttributeName> all, EventLines lines, boolean level) {
    EventStages stages = EventStages.of(range, selection.query().matchers(), labels);
    Set<String> others = stages.unwrapsLines() ? otherNames(labels) : seriesNames.needed(labels);
    List<AttributeName> names = alike(stages, others);
    boolean counts = range.unwrap() == null && stages.tests().isEmpty();
    Grouping alike = new Grouping(counts ? names : all, stepNanos());
    readGroups(query, stages, lines, names, level ? alike.withLevel() : alike);
  }

  /// Reads events in groups, each of which has one series.
  ///
  /// @param lines shows single events
  /// @param names the attributes that the series depends on
  /// @param grouping how the store may combine events, without the start of its steps
  private void readGroups(
      RangeQuery query,
      EventStages stages,
      EventLines lines,
      List<AttributeName> names,
      Grouping grouping) {
    Set<String> others = stages.unwrapsLines() ? otherNames(labels) : seriesNames.needed(labels);
    List<Field> by = new ArrayList<>();
    if (others.contains(LabelMapping.SERVICE) || !stages.same().stages().isEmpty()) {
      by.add(Field.TYPE);
    } else {
      grouping = grouping.withAnyType();
    }
    if (grouping.level()) {
      by.add(Field.LEVEL);
    }
    names.forEach(name -> by.add(Field.attribute(name)));
    boolean counts = range.unwrap() == null && stages.tests().isEmpty() && !stages.measures();
    ReadMode mode = mode();
    if (mode.anyOrder()) { // a sample may stand for others of its bucket, which have its value
      mode = ReadMode.grouped(grouping.withSteps(stepNanos(), baseNanos));
    }
    try (HeldMemory groups = new HeldMemory(execution.memory())) {
      EventLines shown = new EventLines(labels, names, grouping.level(), execution.lineMemory());
      EventSamples quick = new EventSamples(this, stages, shown, by, groups);
      Grouping cells = grouping.withSteps(widthNanos, baseNanos).withCells();
      boolean ofMinutes = counts && steps.count() > 1 && cells.isOfMinutes(); // else blocks count
      if (ofMinutes && cells.startsAfterMinutes()) {
        long last = untilNanos() - 1;
        RangeQuery minutes = query.withRange(baseNanos - 1, last);
        readEvents(minutes, ReadMode.grouped(cells), quick, lines, baseNanos);
        readEvents(query.withRange(last, last + 1), mode, quick, lines);
      } else {
        readEvents(query, ofMinutes ? ReadMode.grouped(cells) : mode, quick, lines);
      }
    }
  }

  private void readEvents(RangeQuery query, ReadMode mode, EventSamples quick, EventLines lines) {
    readEvents(query, mode, quick, lines, Long.MIN_VALUE);
  }

  /// @param leastNanos events before this are left out
  private void readEvents(
      RangeQuery query, ReadMode mode, EventSamples quick, EventLines lines, long leastNanos) {
    Filter apart = mode.grouping() == null ? null : mode.grouping().apart();
    try (RangeReader reader = execution.open(query, mode)) {
      while (reader.nextWhenReady() == Step.EVENT) {
        EventView event = reader.event();
        if (event.timeNanos() >= leastNanos
            && (isApart(event, apart) || !quick.add(event, event.weight()))) {
          add(event, lines);
        }
      }
    }
  }

  private boolean isApart(EventView event, @Nullable Filter apart) {
    return apart != null
        && !(event instanceof GroupedEvents)
        && FilterEvaluation.keeps(apart, event, scratch);
  }

  /// The attributes in which events must agree to be alike for their series and the stages that
  /// look at no number of each.
  ///
  /// @param others labels that series and `unwrap` need
  private List<AttributeName> alike(EventStages stages, Set<String> others) {
    List<AttributeName> names = LogqlSelection.of(stages.same(), labels).attributes(others);
    return Objects.requireNonNull(names); // they are among those of all stages
  }

  /// False between two windows, when steps are longer than these.
  private boolean isInWindow(long timeNanos) {
    return steps.count() == 1
        || Math.floorMod(timeNanos - baseNanos, steps.stepNanos()) < range.rangeNanos();
  }

  private void add(EventView event, EventLines lines) {
    if (!isInWindow(event.timeNanos())) {
      return;
    }
    Line line = lines.show(event);
    if (!pipeline.run(line)) {
      return;
    }
    double value = 1;
    if (readsBytes()) {
      value = line.bytes();
    } else if (range.unwrap() != null) {
      Double number = unwrapped(line);
      if (number == null) {
        return;
      }
      value = number;
    }
    if (line.fails()) {
      throw failed(line);
    }
    add(samplesOf(line), line.timeNanos(), value, event.weight());
  }

  /// Adds a sample to a series.
  void add(Samples of, long timeNanos, double value, long weight) {
    long bytes = of.add(bucket(timeNanos), timeNanos, value, weight);
    if (bytes > 0) {
      execution.hold(bytes);
    }
  }

  /// The bucket of an event, or of a group of the store, which has the time of any of its events.
  private long bucket(long timeNanos) {
    return steps.count() == 1 ? 0 : Math.floorDiv(timeNanos - baseNanos, widthNanos);
  }

  /// Adds the samples of a group of the store to a series.
  void add(Samples of, long timeNanos, AttributeFigures figures) {
    long bytes = of.add(bucket(timeNanos), figures);
    if (bytes > 0) {
      execution.hold(bytes);
    }
  }

  /// The samples of the series that a line is in.
  Samples samplesOf(Line line) {
    Stage.Unwrap unwrap = range.unwrap();
    SortedMap<String, String> key = seriesNames.key(line, unwrap == null ? "" : unwrap.label());
    Samples of = samplesLast;
    if (of == null || !key.equals(labelsLast)) {
      of = samples(key);
      samplesLast = of;
      labelsLast = key;
    }
    return of;
  }

  private Samples samples(SortedMap<String, String> key) {
    LabelSet of = new LabelSet(key);
    Samples known = samples.get(of);
    if (known != null) {
      return known;
    }
    int most = execution.limits().seriesMax();
    if (samples.size() == most) {
      throw new QueryException.Refused(
          "query",
          "maximum number of series (%d) reached for a single query; sum by fewer labels or select"
                  .formatted(most)
              + " fewer streams (loki-max-series)");
    }
    execution.hold(of.bytes());
    Samples made = new Samples(range);
    samples.put(of, made);
    return made;
  }

  /// The number of a line; null when it has none.
  @Nullable Double unwrapped(Line line) {
    Stage.Unwrap unwrap = Objects.requireNonNull(range.unwrap());
    String text = line.get(unwrap.label());
    if (text == null || text.isEmpty()) {
      return null;
    }
    Double number = Pipeline.number(unwrap.conversion(), text);
    if (number == null) {
      Pipeline.fail(line, unwrap.conversion(), text);
    }
    for (Stage stage : range.afterUnwrap()) {
      if (!Pipeline.run(stage, line)) {
        return null;
      }
    }
    return number == null ? Double.valueOf(0) : number;
  }

  /// The same message as Loki's, so that users find the solution.
  private QueryException failed(Line line) {
    TreeMap<String, String> known = new TreeMap<>(line.labels(Category.STREAM, Category.PARSED));
    for (Matcher matcher : range.lines().matchers()) {
      boolean decided = !selection.query().matchers().contains(matcher);
      if (decided && labels.attributes().contains(AttributeName.of(matcher.name()))) {
        known.putIfAbsent(matcher.name(), matcher.text());
      }
    }
    LabelSet series = new LabelSet(known);
    String error = line.get(LogqlNames.ERROR);
    return new QueryException.Refused(
        "query",
        "pipeline error: '%s' for series: '%s'. Use a label filter to intentionally skip this"
                .formatted(error, series)
            + " error. (e.g | __error__!=\"%s\")".formatted(error));
  }
}
