package io.widerow.query.logql.run;

import io.widerow.event.AttributeName;
import io.widerow.event.FoldedText;
import io.widerow.event.StreamLabels;
import io.widerow.event.Text;
import io.widerow.query.QueryException;
import io.widerow.query.logql.LabelCondition;
import io.widerow.query.logql.LogQuery;
import io.widerow.query.logql.Matcher;
import io.widerow.query.logql.Stage;
import io.widerow.query.logql.line.LabelMapping;
import io.widerow.storage.Filter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;

/// The filter that keeps the events which a log query selects, and no other, for a deletion: the
/// store must be able to write it down, so that it takes no regular expression but a list of texts,
/// and no stage but filters of lines and of labels. A line filter looks at bodies; an event without
/// one is not deleted by it.
///
/// - Threads: one.
public final class DeletionFilter {
  private static final Filter EVERYTHING = new Filter.Everything();
  private static final Pattern TEXTS = Pattern.compile("[^\\\\.+*?()\\[\\]{}^$]*");
  private static final String ANY_CASE = "(?i)";

  private final LabelMapping labels;

  private DeletionFilter(LabelMapping labels) {
    this.labels = labels;
  }

  /// @param labels that know the attributes of the events
  /// @throws QueryException.Refused when the query has a part that no deletion can have
  public static Filter of(LogQuery query, LabelMapping labels) {
    DeletionFilter filters = new DeletionFilter(labels);
    List<Filter> parts = new ArrayList<>();
    query.matchers().forEach(matcher -> parts.add(filters.of(matcher)));
    for (Stage stage : query.stages()) {
      parts.add(
          switch (stage) {
            case Stage.LineFilter line -> ofLine(line);
            case Stage.LabelFilter(LabelCondition condition) -> filters.of(condition);
            default -> throw refused("a stage other than a filter of lines or labels");
          });
    }
    return LogqlPushdown.all(parts);
  }

  private static QueryException.Refused refused(String what) {
    return new QueryException.Refused("query", "a deletion takes no such query, it has " + what);
  }

  private Filter of(LabelCondition condition) {
    return switch (condition) {
      case LabelCondition.And(var parts) ->
          LogqlPushdown.all(parts.stream().map(this::of).toList());
      case LabelCondition.Or(var parts) -> LogqlPushdown.any(parts.stream().map(this::of).toList());
      case LabelCondition.Words(var matcher) -> of(matcher);
      case LabelCondition.Quantity _, LabelCondition.Address _ ->
          throw refused("a comparison of a number or an address");
    };
  }

  private Filter of(Matcher matcher) {
    String name = matcher.name();
    Function<String, Filter> equal =
        switch (name) {
          case LabelMapping.SERVICE -> text -> LogqlPushdown.ofType(equal(name, text));
          case LabelMapping.DETECTED_LEVEL -> text -> LogqlPushdown.ofLevel(equal(name, text));
          default -> text -> ofLabel(name, text);
        };
    Filter found;
    if (matcher.regex() == null) {
      found = equal.apply(matcher.text());
    } else if (matcher.text().equals(".+")) {
      found = new Filter.Not(equal.apply(""));
    } else if (matcher.text().equals(".*")) {
      found = EVERYTHING;
    } else {
      found = LogqlPushdown.any(texts(matcher.text()).stream().map(equal).toList());
    }
    return matcher.kind().isNegative() ? new Filter.Not(found) : found;
  }

  private static Matcher equal(String name, String text) {
    return new Matcher(name, Matcher.Kind.EQUAL, text, null);
  }

  /// The texts of an expression such as `a|b`.
  private static List<String> texts(String expression) {
    if (!TEXTS.matcher(expression).matches()) {
      throw refused("the regular expression " + expression + "; it may be texts with | between");
    }
    return List.of(expression.split("\\|", -1));
  }

  /// Events whose label has this text: the first of its attributes that an event has decides.
  private Filter ofLabel(String label, String text) {
    List<AttributeName> names = labels.attributes(label);
    if (names == null) {
      throw refused("the label " + label + ", which is not the same attribute in all events");
    }
    List<Filter> any = new ArrayList<>();
    List<Filter> none = new ArrayList<>();
    for (AttributeName name : names) {
      if (name.equals(StreamLabels.FIELD)) {
        continue;
      }
      String metadata = StreamLabels.METADATA_PREFIX + label;
      if (!labels.shown(name).equals(label) && !name.toString().equals(metadata)) {
        throw refused("the label " + label + ", which is not the same attribute in all events");
      }
      List<Filter> first = new ArrayList<>(none);
      first.add(hasText(name, text));
      any.add(LogqlPushdown.all(first));
      none.add(new Filter.Not(new Filter.Exists(name)));
    }
    if (text.isEmpty()) {
      any.add(LogqlPushdown.all(none));
    }
    return new Filter.Or(any);
  }

  /// Events whose attribute is this text, or a number that shows as it.
  private static Filter hasText(AttributeName name, String text) {
    Filter same = LogqlPushdown.equal(name, text);
    Filter.Literal number = LogqlPushdown.number(text);
    if (number == null || !LogqlPushdown.isShown(number, text)) {
      return same;
    }
    Filter isText =
        new Filter.Compare(
            name, Filter.Comparison.GREATER_OR_EQUAL, new Filter.Literal.Word(Text.of("")));
    Filter equal = new Filter.Compare(name, Filter.Comparison.EQUAL, number);
    return new Filter.Or(List.of(same, new Filter.And(List.of(new Filter.Not(isText), equal))));
  }

  private static Filter ofLine(Stage.LineFilter line) {
    if (line.keepsAll()) {
      return EVERYTHING;
    }
    List<Filter> any = new ArrayList<>();
    for (Stage.LinePart part : line.parts()) {
      if (!part.isText()) {
        throw refused("an address or a pattern as a line filter");
      }
      String text = part.text();
      if (part.regex() == null) {
        any.add(text.isEmpty() ? EVERYTHING : contains(text));
      } else if (text.startsWith(ANY_CASE)) {
        texts(text.substring(ANY_CASE.length()))
            .forEach(each ->
                any.add(
                    each.isEmpty()
                        ? EVERYTHING
                        : new Filter.ContainsFolded(AttributeName.BODY, FoldedText.of(each))));
      } else {
        texts(text).forEach(each -> any.add(each.isEmpty() ? EVERYTHING : contains(each)));
      }
    }
    Filter found = LogqlPushdown.any(any);
    return new Filter.And(
        List.of(LogqlPushdown.IS_BODY, line.negated() ? new Filter.Not(found) : found));
  }

  private static Filter contains(String text) {
    return new Filter.Contains(AttributeName.BODY, Text.of(text));
  }
}
