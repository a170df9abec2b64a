package io.widerow.query.logql.run;

import io.widerow.event.AttributeName;
import io.widerow.event.LevelAttribute;
import io.widerow.query.RangeQuery;
import io.widerow.query.logql.LabelCondition;
import io.widerow.query.logql.LogQuery;
import io.widerow.query.logql.LogqlNames;
import io.widerow.query.logql.Matcher;
import io.widerow.query.logql.Stage;
import io.widerow.query.logql.Template;
import io.widerow.query.logql.line.LabelMapping;
import io.widerow.storage.Filter;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The part of a log query that the store evaluates: the filter that leaves out as much as it can,
/// and the attributes that have to be read.
///
/// - Threads: any; immutable.
final class LogqlSelection {
  private final LogQuery query;
  private final LogQuery undecided; // without the matchers that the filter decides
  private final LabelMapping labels;
  private final Filter filter;
  private final int searched;

  private LogqlSelection(
      LogQuery query, LogQuery undecided, LabelMapping labels, Filter filter, int searched) {
    this.query = query;
    this.undecided = undecided;
    this.labels = labels;
    this.filter = filter;
    this.searched = searched;
  }

  static LogqlSelection of(LogQuery query, LabelMapping labels) {
    return of(query, null, labels);
  }

  /// @param unwrap the label that events must have at last; null for none
  static LogqlSelection of(LogQuery query, Stage.@Nullable Unwrap unwrap, LabelMapping labels) {
    List<Filter> parts = new ArrayList<>();
    List<Matcher> undecided = new ArrayList<>();
    ConditionFilters conditions = new ConditionFilters(labels);
    for (Matcher matcher : query.matchers()) {
      Filter deciding = conditions.deciding(matcher);
      parts.add(deciding == null ? conditions.of(matcher) : deciding);
      if (deciding == null) {
        undecided.add(matcher);
      }
    }
    int searched = searched(query.stages());
    List<Stage.LineFilter> lines = new ArrayList<>();
    boolean labelsChanged = false;
    for (int i = 0; i < query.stages().size(); i++) {
      switch (query.stages().get(i)) {
        case Stage.LineFilter line -> {
          if (i < searched) {
            lines.add(line);
          }
        }
        case Stage.LabelFilter(LabelCondition condition) -> {
          if (!labelsChanged) {
            parts.add(conditions.of(condition));
          }
        }
        case Stage.LineFormat _, Stage.Decolorize _ -> {}
        default -> labelsChanged = true;
      }
    }
    if (unwrap != null && !labelsChanged) {
      parts.add(conditions.has(unwrap.label()));
    }
    parts.add(LogqlPushdown.ofLines(lines));
    return new LogqlSelection(
        query, new LogQuery(undecided, query.stages()), labels, LogqlPushdown.all(parts), searched);
  }

  /// The same for events that the filter has passed: matchers that it decides are not tested again,
  /// and their labels are not read.
  LogqlSelection decided() {
    return new LogqlSelection(undecided, undecided, labels, filter, searched);
  }

  /// Returns the query that is tested.
  LogQuery query() {
    return query;
  }

  /// The number of first stages that do not change the stored line, up to a filter that only lines
  /// decide.
  private static int searched(List<Stage> stages) {
    for (int i = 0; i < stages.size(); i++) {
      switch (stages.get(i)) {
        case Stage.LineFilter(_, var parts)
            when !parts.stream().allMatch(Stage.LinePart::isText) -> {
          return i;
        }
        case Stage.LineFormat _, Stage.Unpack _, Stage.Decolorize _ -> {
          return i;
        }
        default -> {}
      }
    }
    return stages.size();
  }

  /// True when each event with a body that the filter keeps is kept, with its line as stored.
  boolean keepsAllAsStored() {
    return query.matchers().isEmpty()
        && searched == query.stages().size()
        && query.stages().stream().allMatch(stage -> stage instanceof Stage.LineFilter);
  }

  Filter filter() {
    return filter;
  }

  /// So many of the first stages hold line filters that the store applies to events with a body.
  int searched() {
    return searched;
  }

  /// The range of events to read.
  RangeQuery range(long fromNanos, long untilNanos) {
    return RangeQuery.ALL.withRange(fromNanos, untilNanos).withFilter(filter);
  }

  /// True when a stage looks at the line itself.
  boolean looksAtLines() {
    return parses()
        || query.stages().stream()
            .anyMatch(stage -> stage instanceof Stage.LineFilter filter && !filter.keepsAll());
  }

  /// True when a stage makes labels of the line, or changes it.
  boolean parses() {
    for (Stage stage : query.stages()) {
      switch (stage) {
        case Stage.LabelFilter _, Stage.Drop _, Stage.Keep _, Stage.LabelFormat _ -> {}
        case Stage.LineFilter _ -> {}
        default -> {
          return true;
        }
      }
    }
    return false;
  }

  /// The attributes that matchers, stages and other names need; null when it can be any.
  ///
  /// @param others names of further labels
  @Nullable List<AttributeName> attributes(Set<String> others) {
    if (parses()) {
      return null;
    }
    List<AttributeName> deciding = labels.deciding();
    if (deciding == null) {
      return null;
    }
    Set<AttributeName> names = new LinkedHashSet<>(deciding);
    for (String name : wanted(others)) {
      List<AttributeName> known = labels.attributes(name);
      if (name.equals(Template.LINE) || (known == null && !name.startsWith(LogqlNames.ERROR))) {
        return null;
      }
      if (known != null) {
        names.addAll(known);
      }
    }
    return List.copyOf(names);
  }

  /// The labels that matchers, stages and others need.
  private Set<String> wanted(Set<String> others) {
    Set<String> wanted = new LinkedHashSet<>(others);
    query.matchers().forEach(matcher -> wanted.add(matcher.name()));
    query.stages().forEach(stage -> stage.addNames(wanted));
    return wanted;
  }

  /// The projection for these attributes, and for the level where that is needed; null for all.
  ///
  /// @param names null for all
  static @Nullable List<AttributeName> projection(
      @Nullable List<AttributeName> names, boolean level) {
    if (names == null) {
      return null;
    }
    Set<AttributeName> read = new LinkedHashSet<>(names);
    if (level) {
      read.addAll(LevelAttribute.READ);
    }
    return read.isEmpty() ? List.of(AttributeName.of("type")) : List.copyOf(read);
  }

  /// True when the detected level is needed.
  boolean needsLevel(Set<String> others) {
    return parses() || wanted(others).contains(LabelMapping.DETECTED_LEVEL);
  }
}
