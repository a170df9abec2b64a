package io.widerow.query.logql;

import java.math.BigDecimal;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Writes expressions as LogQL, in the form that Loki gives them. The text parses to the same
/// expression; where Loki's own would not, it differs: brackets that precedence needs, durations
/// below a millisecond, numbers with more digits, empty groupings.
public final class LogqlText {
  private LogqlText() {}

  /// The expression in one line.
  public static String of(Expr expr) {
    return switch (expr) {
      case LogQuery query -> lines(query);
      case Metric metric -> metric(metric);
    };
  }

  private static String lines(LogQuery query) {
    return selector(query.matchers()) + stages(query.stages());
  }

  static String selector(List<Matcher> matchers) {
    return matchers.stream().map(LogqlText::matcher).collect(Collectors.joining(", ", "{", "}"));
  }

  private static String matcher(Matcher matcher) {
    return matcher.name() + matcher.kind().sign + GoQuotes.quoted(matcher.text());
  }

  private static String stages(List<Stage> stages) {
    return stages.stream().map(stage -> " " + stage(stage)).collect(Collectors.joining());
  }

  static String stage(Stage stage) {
    return switch (stage) {
      case Stage.LineFilter filter -> String.join(" ", lineFilters(filter));
      case Stage.Json(var wanted) -> "| json" + extractions(wanted);
      case Stage.Logfmt logfmt ->
          "| logfmt"
              + (logfmt.strict() ? " --strict" : "")
              + (logfmt.keepsEmpty() ? " --keep-empty" : "")
              + extractions(logfmt.wanted());
      case Stage.Regexp(var regex, _) -> "| regexp " + GoQuotes.quoted(regex.pattern());
      case Stage.PatternParser(var pieces) ->
          "| pattern "
              + GoQuotes.quoted(
                  pieces.stream()
                      .map(piece -> piece.isName() ? "<" + piece.text() + ">" : piece.text())
                      .collect(Collectors.joining()));
      case Stage.Unpack() -> "| unpack";
      case Stage.LabelFilter(var condition) -> "| " + condition(condition);
      case Stage.LineFormat(var template) -> "| line_format " + GoQuotes.quoted(template.text());
      case Stage.LabelFormat(var assignments) ->
          "| label_format "
              + assignments.stream().map(LogqlText::assignment).collect(Collectors.joining(","));
      case Stage.Drop(var names) -> "| drop " + nameTests(names);
      case Stage.Keep(var names) -> "| keep " + nameTests(names);
      case Stage.Decolorize() -> "| decolorize";
      case Stage.Unwrap(String label, var conversion) ->
          "| unwrap "
              + switch (conversion) {
                case NUMBER -> label;
                case DURATION -> "duration(" + label + ")";
                case BYTES -> "bytes(" + label + ")";
              };
    };
  }

  /// The filter as Loki sees it: `!= "a" or "b"` is `!= "a" != "b"`.
  static List<String> lineFilters(Stage.LineFilter filter) {
    Stage.LinePart first = filter.parts().getFirst();
    String kind = first.regex() != null ? "~" : first.pattern() != null ? ">" : "=";
    String sign = (filter.negated() ? "!" : "|") + kind + " ";
    List<String> parts = filter.parts().stream().map(LogqlText::linePart).toList();
    return filter.negated()
        ? parts.stream().map(part -> sign + part).toList()
        : List.of(sign + String.join(" or ", parts));
  }

  private static String linePart(Stage.LinePart part) {
    String text = GoQuotes.quoted(part.text());
    return part.address() == null ? text : "ip(" + text + ")";
  }

  private static String extractions(List<Stage.Extraction> wanted) {
    String all =
        wanted.stream()
            .map(one -> one.label() + "=" + GoQuotes.quoted(one.from()))
            .collect(Collectors.joining(","));
    return all.isEmpty() ? "" : " " + all;
  }

  private static String assignment(Stage.Assignment assignment) {
    Template template = assignment.template();
    return assignment.label()
        + "="
        + (template == null ? assignment.from() : GoQuotes.quoted(template.text()));
  }

  private static String nameTests(List<Stage.NameTest> names) {
    return names.stream()
        .map(test -> {
          Matcher matcher = test.matcher();
          return matcher == null ? test.name() : matcher(matcher);
        })
        .collect(Collectors.joining(","));
  }

  private static String condition(LabelCondition condition) {
    return switch (condition) {
      case LabelCondition.And(var parts) -> several(parts, " , ");
      case LabelCondition.Or(var parts) -> several(parts, " or ");
      case LabelCondition.Words(var matcher) -> words(matcher);
      case LabelCondition.Address address ->
          address.label()
              + (address.negated() ? "!=" : "=")
              + "ip("
              + GoQuotes.quoted(address.address().text())
              + ")";
      case LabelCondition.Quantity quantity ->
          quantity.label() + quantity.sign().text + quantity(quantity);
    };
  }

  private static String several(List<LabelCondition> parts, String between) {
    return parts.stream()
        .map(LogqlText::condition)
        .collect(Collectors.joining(between, "( ", " )"));
  }

  /// Loki shows an expression that it cannot reduce to texts without escapes.
  private static String words(Matcher matcher) {
    String text = matcher.text();
    boolean isRaw = matcher.regex() != null && !isOfTexts(text) && text.indexOf('`') < 0;
    return isRaw ? matcher.name() + matcher.kind().sign + "`" + text + "`" : matcher(matcher);
  }

  /// True for an expression of alternatives and `.*` and `.+` only.
  private static boolean isOfTexts(String regex) {
    String rest = regex.replaceAll("\\.[*+]", "").replaceAll("\\(\\?[:i]+\\)?|[()|]", "");
    return rest.chars().noneMatch(c -> ".\\+*?[]{}^$".indexOf(c) >= 0);
  }

  private static String quantity(LabelCondition.Quantity quantity) {
    double value = quantity.value();
    return switch (quantity.conversion()) {
      case NUMBER -> plain(value);
      case DURATION -> GoDuration.shown(Math.round(value * 1e9));
      case BYTES -> bytes(value);
    };
  }

  private static String plain(double value) {
    return Double.isFinite(value)
        ? new BigDecimal(Double.toString(value)).stripTrailingZeros().toPlainString()
        : number(value);
  }

  /// A size as Loki shortens it, when that is the same size.
  private static String bytes(double value) {
    String units = "kMGTP";
    double left = value;
    String unit = "B";
    for (int i = 0; i < units.length() && left >= 1_000; i++) {
      left /= 1_000;
      unit = units.charAt(i) + "B";
    }
    boolean isShort = left < 10 && !unit.equals("B");
    String text = GoFormat.fixed(Math.floor(left * 10 + 0.5) / 10, isShort ? 1 : 0) + unit;
    Double same = Units.bytes(text);
    return same != null && same == value ? text : plain(value) + "B";
  }

  /// LogQL has no words for the numbers that are none.
  static String number(double value) {
    return Double.isNaN(value)
        ? "(0 / 0)"
        : Double.isInfinite(value) ? (value > 0 ? "(2 ^ 1024)" : "(0 - 2 ^ 1024)") : shown(value);
  }

  private static String shown(double value) {
    return GoFormat.shown(value);
  }

  private static String metric(Metric metric) {
    return switch (metric) {
      case Metric.Literal(double value) -> number(value);
      case Metric.VectorOf(double value) -> "vector(" + vector(value) + ")";
      case Metric.Range range -> range(range);
      case Metric.Aggregate aggregate ->
          aggregate.function().named()
              + grouping(aggregate, ",")
              + "("
              + (aggregate.function().takesParameter() ? aggregate.parameter() + "," : "")
              + metric(aggregate.inner())
              + ")";
      case Metric.LabelReplace replace ->
          "label_replace("
              + metric(replace.inner())
              + texts(replace).stream().map(text -> "," + text).collect(Collectors.joining())
              + ")";
      case Metric.Binary binary ->
          "(%s %s %s)"
              .formatted(metric(binary.left()), operator(binary, ","), metric(binary.right()));
    };
  }

  private static String vector(double value) {
    String fixed = GoFormat.fixed(value, 6);
    Double same = Units.number(fixed);
    return same != null && same == value ? fixed : shown(value);
  }

  static List<String> texts(Metric.LabelReplace replace) {
    return Stream.of(
            replace.target(), replace.replacement(), replace.source(), replace.regex().pattern())
        .map(GoQuotes::quoted)
        .toList();
  }

  private static String range(Metric.Range range) {
    Stage.Unwrap unwrap = range.unwrap();
    long offset = range.offsetNanos();
    return range.function().named()
        + "("
        + (isOfQuantile(range) ? plain(range.parameter()) + "," : "")
        + lines(range.lines())
        + (unwrap == null ? "" : " " + stage(unwrap))
        + stages(range.afterUnwrap())
        + "["
        + GoDuration.ofPrometheus(range.rangeNanos())
        + "]"
        + (offset == 0 ? "" : " offset " + GoDuration.shown(offset))
        + ")"
        + grouping(range, ",");
  }

  static boolean isOfQuantile(Metric.Range range) {
    return range.function() == Metric.RangeFunction.QUANTILE_OVER_TIME;
  }

  /// A grouping by nothing is that of an aggregation without one, and not that of a range.
  static String grouping(Metric metric, String comma) {
    Metric.Labels grouping =
        switch (metric) {
          case Metric.Range range -> range.grouping();
          case Metric.Aggregate aggregate -> aggregate.grouping();
          default -> null;
        };
    if (grouping == null
        || (metric instanceof Metric.Aggregate
            && !grouping.without()
            && grouping.names().isEmpty())) {
      return "";
    }
    return labels(grouping.without() ? " without" : " by", grouping.names(), comma);
  }

  private static String labels(String word, List<String> names, String comma) {
    return word + " (" + String.join(comma, names) + ")";
  }

  static String operator(Metric.Binary binary, String comma) {
    Metric.Labels on = binary.on();
    Metric.Many many = binary.many();
    StringBuilder text = new StringBuilder(binary.operator().sign);
    text.append(binary.isBool() ? " bool" : "");
    if (on != null) {
      text.append(labels(on.without() ? " ignoring" : " on", on.names(), comma));
    }
    if (many != null) {
      String side = many.left() ? " group_left" : " group_right";
      text.append(labels(side, many.included(), comma));
    }
    return text.toString();
  }
}
