package io.widerow.query.series;

import com.google.re2j.Pattern;
import io.widerow.event.AttributeName;
import io.widerow.event.EventLayout;
import io.widerow.event.Text;
import io.widerow.event.Utf8;
import io.widerow.query.RangeQuery;
import io.widerow.query.RegexText;
import io.widerow.query.logql.LogqlNames;
import io.widerow.query.logql.Matcher;
import io.widerow.storage.Filter;
import io.widerow.storage.Filter.Comparison;
import io.widerow.storage.Filter.Literal;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// Selects the series whose labels pass all matchers. The store is asked for a filter that keeps
/// every event of them, and leaves out as many others as it can; what it shows is tested again by
/// its labels.
///
/// @param matchers of labels; a label that is not there has the text `""`
public record SeriesSelector(List<Matcher> matchers) {
  /// The suffixes of the names of the series of a histogram or a summary.
  static final List<String> SUFFIXES = List.of("", "_bucket", "_count", "_sum");

  /// Labels that histograms and summaries have without an attribute.
  static final Set<String> MADE = Set.of("le", "quantile");

  /// What stands before a label whose name is taken: by the name of the metric, or by one of
  /// [#MADE].
  static final String EXPORTED = "exported_";

  /// The prefix that remote write puts before the name of a label that is used.
  static final String PREFIX = "label.";

  private static final AttributeName VALUE = AttributeName.of("value");
  private static final AttributeName STALE = AttributeName.of("stale");
  private static final AttributeName COUNT = AttributeName.of("count");

  /// Events that may be histograms or summaries.
  static final Filter HISTOGRAM = new Filter.Exists(COUNT);

  private static final AttributeName TYPE = AttributeName.of("type");

  /// Events that may be samples.
  private static final Filter SAMPLES =
      new Filter.Or(
          List.of(new Filter.Exists(VALUE), new Filter.Exists(STALE), new Filter.Exists(COUNT)));

  public SeriesSelector {
    matchers = List.copyOf(matchers);
  }

  /// True when a series with these labels is wanted.
  boolean keeps(Labels labels) {
    return keeps(labels, labels);
  }

  /// True when a series is wanted by its labels as sent, or as they show.
  boolean keeps(Labels sent, Labels shown) {
    for (Matcher matcher : matchers) {
      if (!keeps(matcher, sent.get(matcher.name()), shown.get(matcher.name()))) {
        return false;
      }
    }
    return true;
  }

  /// @param sent empty without the label, then it is `shown` if that is there
  private static boolean keeps(Matcher matcher, String sent, String shown) {
    if (sent.isEmpty() || shown.isEmpty()) {
      return matcher.test(sent + shown);
    }
    return (matcher.finds(sent) || matcher.finds(shown)) != matcher.kind().isNegative();
  }

  /// The events to read.
  ///
  /// @param fromNanos start (inclusive), nanoseconds since the Unix epoch
  /// @param untilNanos end (exclusive), nanoseconds since the Unix epoch
  RangeQuery range(long fromNanos, long untilNanos) {
    return RangeQuery.ALL.withRange(fromNanos, untilNanos).withFilter(filter());
  }

  private Filter filter() {
    List<Filter> parts = new ArrayList<>();
    List<Matcher> ofNames =
        matchers.stream().filter(matcher -> matcher.name().equals(Labels.NAME)).toList();
    if (!ofNames.isEmpty()) {
      parts.add(new Filter.OfType(new Filter.Matches(TYPE, new NameTest(ofNames))));
    }
    parts.add(SAMPLES);
    for (Matcher matcher : matchers) {
      if (!matcher.name().equals(Labels.NAME) && isAttribute(matcher.name())) {
        parts.add(ofLabel(matcher));
      }
    }
    return new Filter.And(parts);
  }

  private static boolean isAttribute(String name) {
    return LogqlNames.isLabel(name)
        && PREFIX.length() + name.length() <= EventLayout.NAME_BYTES_MAX
        && !name.startsWith(EXPORTED);
  }

  /// Tests the name of a type, and the names of the series that a histogram of it has.
  private record NameTest(List<Matcher> matchers) implements Filter.TextTest {
    @Override
    public boolean keeps(MemorySegment memory, long offset, int length) {
      byte[] utf8 = RegexText.bytes(memory, offset, length);
      String sent = new String(utf8, StandardCharsets.UTF_8);
      String shown = LogqlNames.metric(sent);
      for (String suffix : SUFFIXES) {
        if (matchers.stream().allMatch(each -> keeps(each, sent + suffix, shown + suffix))) {
          return true;
        }
      }
      return false;
    }

    private static boolean keeps(Matcher matcher, String sent, String shown) {
      return SeriesSelector.keeps(matcher, sent, shown);
    }
  }

  private static Filter ofLabel(Matcher matcher) {
    if (!Utf8.isEncodable(matcher.text())) {
      return new Filter.Everything();
    }
    AttributeName name = AttributeName.of(matcher.name());
    if (matcher.test("")) { // only the attribute of this very name decides that it does not pass
      return Role.of(matcher.name()) == Role.LABEL
          ? new Filter.Not(ofText(matcher, name, false))
          : new Filter.Everything();
    }
    AttributeName renamed = AttributeName.of(PREFIX + matcher.name());
    Filter isText = isText(name);
    List<Filter> any = new ArrayList<>();
    any.add(ofText(matcher, name, true));
    any.add(ofText(matcher, renamed, true));
    any.add(new Filter.And(List.of(new Filter.Exists(name), new Filter.Not(isText))));
    if (matcher.name().contains("_")) { // another attribute may show as this label
      any.add(new Filter.Not(new Filter.Or(List.of(isText, isText(renamed)))));
    }
    if (MADE.contains(matcher.name())) {
      any.add(new Filter.Exists(COUNT));
    }
    return new Filter.Or(any);
  }

  private static Filter isText(AttributeName name) {
    return new Filter.Compare(name, Comparison.GREATER_OR_EQUAL, new Literal.Word(Text.of("")));
  }

  /// Keeps events whose attribute is a text that passes, or does not pass, a matcher.
  private static Filter ofText(Matcher matcher, AttributeName name, boolean passes) {
    Pattern regex = matcher.regex();
    Filter found =
        regex == null
            ? new Filter.Compare(name, Comparison.EQUAL, new Literal.Word(Text.of(matcher.text())))
            : new Filter.Matches(name, RegexText.whole(regex));
    return matcher.kind().isNegative() == passes
        ? new Filter.And(List.of(isText(name), new Filter.Not(found)))
        : found;
  }
}
