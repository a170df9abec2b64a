package io.widerow.query.series;

import io.widerow.event.AttributeName;
import io.widerow.event.Text;
import io.widerow.query.RangeQuery;
import io.widerow.query.logql.Matcher;
import io.widerow.storage.Filter;
import io.widerow.storage.Filter.Comparison;
import io.widerow.storage.Filter.Literal;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Selects the series whose labels pass all matchers. The store is asked for a filter that keeps
/// every event of them, and leaves out as many others as it can; what it shows is tested again by
/// its labels.
///
/// @param matchers of labels; a label that is not there has the text `""`
/// @param logLabels the attributes that are labels of events that are neither samples nor
///   measurements: these, and those that the matchers name
public record SeriesSelector(List<Matcher> matchers, Set<AttributeName> logLabels) {
  /// The suffixes of the names of the series of a histogram or a summary.
  static final List<String> SUFFIXES = List.of("", "_bucket", "_count", "_sum");

  /// Labels that histograms and summaries have without an attribute.
  static final Set<String> MADE = Set.of("le", "quantile");

  /// What stands before a label whose name is taken: by the name of the metric, or by one of
  /// [#MADE].
  static final String EXPORTED = "exported_";

  /// The prefix that remote write puts before the name of a label that is used.
  static final String PREFIX = "label.";

  private static final AttributeName COUNT = AttributeName.of("count");

  /// Events that may be histograms or summaries.
  static final Filter HISTOGRAM = new Filter.Exists(COUNT);

  /// Events that may be samples.
  static final Filter SAMPLES =
      new Filter.Or(
          List.of(
              new Filter.Exists(AttributeName.of("value")),
              new Filter.Exists(AttributeName.of("stale")),
              HISTOGRAM));

  public SeriesSelector {
    matchers = List.copyOf(matchers);
    Set<AttributeName> all = attributes(matchers.stream().map(Matcher::name).toList());
    all.addAll(logLabels);
    logLabels = Set.copyOf(all);
  }

  /// @param matchers of labels
  public SeriesSelector(List<Matcher> matchers) {
    this(matchers, Set.of());
  }

  /// The attribute of a name; null when no attribute can have it.
  public static @Nullable AttributeName attribute(String name) {
    try {
      return AttributeName.of(name);
    } catch (IllegalArgumentException none) {
      return null;
    }
  }

  /// The attributes of some names, as far as attributes can have them.
  public static Set<AttributeName> attributes(Collection<String> names) {
    Set<AttributeName> attributes = new HashSet<>();
    for (String name : names) {
      AttributeName attribute = attribute(name);
      if (attribute != null) {
        attributes.add(attribute);
      }
    }
    return attributes;
  }

  /// The events to read.
  ///
  /// @param names all attributes that they may have; null when nobody knows
  RangeQuery range(RangeQuery bounds, @Nullable Set<AttributeName> names) {
    return bounds.withFilter(new SeriesFilter(matchers, names).filter());
  }

  static Filter isText(AttributeName name) {
    return new Filter.Compare(name, Comparison.GREATER_OR_EQUAL, new Literal.Word(Text.of("")));
  }

  static Filter is(AttributeName name, String text) {
    return new Filter.Compare(name, Comparison.EQUAL, new Literal.Word(Text.of(text)));
  }
}
