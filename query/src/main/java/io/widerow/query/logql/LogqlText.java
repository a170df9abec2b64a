package io.widerow.query.logql;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Writes expressions as LogQL, in a normal form: one blank between parts, texts in quotes,
/// brackets where precedence needs them. The text parses to the same expression.
public final class LogqlText {
  private static final List<String> SPANS =
      List.of("3600000000000h", "60000000000m", "1000000000s", "1000000ms", "1000us", "1ns");

  private LogqlText() {}

  public static String of(Expr expr) {
    return switch (expr) {
      case LogQuery query -> lines(query);
      case Metric metric -> metric(metric);
    };
  }

  private static String lines(LogQuery query) {
    return selector(query.matchers()) + stages(query.stages());
  }

  private static String selector(List<Matcher> matchers) {
    return matchers.stream().map(LogqlText::matcher).collect(Collectors.joining(", ", "{", "}"));
  }

  private static String matcher(Matcher matcher) {
    return matcher.name() + matcher.kind().sign + GoQuotes.quoted(matcher.text());
  }

  private static String stages(List<Stage> stages) {
    return stages.stream().map(stage -> " " + stage(stage)).collect(Collectors.joining());
  }

  private static String stage(Stage stage) {
    return switch (stage) {
      case Stage.LineFilter filter -> lineFilter(filter);
      case Stage.Json(var wanted) -> "| json" + extractions(wanted, true);
      case Stage.Logfmt logfmt ->
          "| logfmt"
              + (logfmt.strict() ? " --strict" : "")
              + (logfmt.keepsEmpty() ? " --keep-empty" : "")
              + extractions(logfmt.wanted(), false);
      case Stage.Regexp(var regex, _) -> "| regexp " + GoQuotes.quoted(regex.pattern());
      case Stage.PatternParser(var pieces) ->
          "| pattern "
              + GoQuotes.quoted(
                  pieces.stream()
                      .map(piece -> piece.isName() ? "<" + piece.text() + ">" : piece.text())
                      .collect(Collectors.joining()));
      case Stage.Unpack() -> "| unpack";
      case Stage.LabelFilter(var condition) -> "| " + condition(condition, false);
      case Stage.LineFormat(var template) -> "| line_format " + GoQuotes.quoted(template.text());
      case Stage.LabelFormat(var assignments) ->
          "| label_format "
              + assignments.stream().map(LogqlText::assignment).collect(Collectors.joining(", "));
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

  private static String lineFilter(Stage.LineFilter filter) {
    Stage.LinePart first = filter.parts().getFirst();
    String kind = first.regex() != null ? "~" : first.pattern() != null ? ">" : "=";
    return (filter.negated() ? "!" : "|")
        + kind
        + " "
        + filter.parts().stream()
            .map(part ->
                part.address() == null
                    ? GoQuotes.quoted(part.text())
                    : "ip(" + GoQuotes.quoted(part.text()) + ")")
            .collect(Collectors.joining(" or "));
  }

  private static String extractions(List<Stage.Extraction> wanted, boolean isPath) {
    return wanted.stream()
        .map(one -> {
          String from = isPath ? path(one.path()) : String.valueOf(one.path().getFirst());
          return " " + one.label() + "=" + GoQuotes.quoted(from);
        })
        .collect(Collectors.joining(","));
  }

  private static String path(List<Object> path) {
    return path.stream()
        .map(step -> step instanceof Integer ? "[" + step + "]" : "[\"" + step + "\"]")
        .collect(Collectors.joining());
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
        .collect(Collectors.joining(", "));
  }

  private static String condition(LabelCondition condition, boolean inside) {
    return switch (condition) {
      case LabelCondition.And(var parts) -> several(parts, " and ", inside);
      case LabelCondition.Or(var parts) -> several(parts, " or ", inside);
      case LabelCondition.Words(var matcher) -> matcher(matcher);
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

  private static String several(List<LabelCondition> parts, String between, boolean inside) {
    String all =
        parts.stream().map(part -> condition(part, true)).collect(Collectors.joining(between));
    return inside ? "(" + all + ")" : all;
  }

  private static String quantity(LabelCondition.Quantity quantity) {
    return switch (quantity.conversion()) {
      case NUMBER -> number(quantity.value());
      case DURATION -> span(Math.round(quantity.value() * 1e9));
      case BYTES -> number(quantity.value()) + "B";
    };
  }

  private static String number(double value) {
    return GoFormat.shown(value);
  }

  /// A duration in the largest unit of which it is a whole number.
  private static String span(long nanos) {
    for (String unit : SPANS) {
      long width = Long.parseLong(unit.replaceAll("\\D", ""));
      if (nanos != 0 && nanos % width == 0) {
        return nanos / width + unit.replaceAll("\\d", "");
      }
    }
    return "0s";
  }

  private static String metric(Metric metric) {
    return switch (metric) {
      case Metric.Literal(double value) -> number(value);
      case Metric.VectorOf(double value) -> "vector(" + number(value) + ")";
      case Metric.Range range -> range(range);
      case Metric.Aggregate aggregate ->
          aggregate.function().named()
              + grouping(aggregate.grouping())
              + "("
              + (aggregate.function().takesParameter() ? aggregate.parameter() + ", " : "")
              + metric(aggregate.inner())
              + ")";
      case Metric.LabelReplace replace ->
          "label_replace("
              + metric(replace.inner())
              + List.of(
                      replace.target(),
                      replace.replacement(),
                      replace.source(),
                      replace.regex().pattern())
                  .stream()
                  .map(text -> ", " + GoQuotes.quoted(text))
                  .collect(Collectors.joining())
              + ")";
      case Metric.Binary binary -> binary(binary);
    };
  }

  private static String range(Metric.Range range) {
    Stage.Unwrap unwrap = range.unwrap();
    String quantile =
        range.function() == Metric.RangeFunction.QUANTILE_OVER_TIME
            ? number(range.parameter()) + ", "
            : "";
    long offset = range.offsetNanos();
    return range.function().named()
        + "("
        + quantile
        + lines(range.lines())
        + (unwrap == null ? "" : " " + stage(unwrap))
        + stages(range.afterUnwrap())
        + " ["
        + span(range.rangeNanos())
        + "]"
        + (offset == 0 ? "" : " offset " + (offset < 0 ? "-" : "") + span(Math.abs(offset)))
        + ")"
        + grouping(range.grouping()).stripTrailing();
  }

  /// With a blank on either side; nothing without a grouping.
  private static String grouping(Metric.@Nullable Labels grouping) {
    if (grouping == null) {
      return "";
    }
    String word = grouping.without() ? "without (" : "by (";
    return " " + word + String.join(", ", grouping.names()) + ") ";
  }

  private static String binary(Metric.Binary binary) {
    Metric.Labels on = binary.on();
    Metric.Many many = binary.many();
    StringBuilder text = new StringBuilder(side(binary.left(), binary.operator(), true));
    text.append(' ').append(binary.operator().sign).append(binary.isBool() ? " bool" : "");
    if (on != null) {
      text.append(on.without() ? " ignoring (" : " on (");
      text.append(String.join(", ", on.names())).append(')');
    }
    if (many != null) {
      text.append(many.left() ? " group_left (" : " group_right (");
      text.append(String.join(", ", many.included())).append(')');
    }
    return text.append(' ').append(side(binary.right(), binary.operator(), false)).toString();
  }

  private static String side(Metric side, Metric.Operator operator, boolean left) {
    if (!(side instanceof Metric.Binary inner)) {
      return metric(side);
    }
    boolean rightFirst = operator == Metric.Operator.POWER;
    int least = operator.tightness + (left == rightFirst ? 1 : 0);
    return inner.operator().tightness >= least ? metric(side) : "(" + metric(side) + ")";
  }
}
