package io.widerow.query.logql.run;

import io.widerow.query.logql.run.PlainMetric.Sample;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/// An operation between sums of the same series, by several labels and by fewer: many-to-one, with
/// a label of the one side.
///
/// ```
///   sum by (env, level) (X) / on (env) group_left (zone)
///       label_replace(sum by (env) (X), "zone", "z-$1", "env", "(.*)")
/// ```
final class PlainPairs {
  private final String operator; // empty for no operation
  private final boolean manyRight;
  private final boolean included;

  PlainPairs(SplittableRandom random) {
    String[] operators = {"+", "-", "*", "/", ">", "> bool", "and", "unless"};
    operator = random.nextInt(5) == 0 ? operators[random.nextInt(operators.length)] : "";
    boolean sets = operator.equals("and") || operator.equals("unless");
    manyRight = !sets && !operator.startsWith(">") && random.nextBoolean();
    included = !sets && random.nextBoolean();
  }

  boolean isNone() {
    return operator.isEmpty();
  }

  private boolean isOfSets() {
    return operator.equals("and") || operator.equals("unless");
  }

  /// @param inner the series
  String text(String inner) {
    String many = "sum by (env, level) (" + inner + ")";
    String one =
        "label_replace(sum by (env) (" + inner + "), \"zone\", \"z-$1\", \"env\", \"(.*)\")";
    String group = manyRight ? " group_right" : " group_left";
    String matching = " on (env)" + (isOfSets() ? "" : group + (included ? " (zone) " : " ()"));
    return manyRight
        ? one + " " + operator + matching + " " + many
        : many + " " + operator + matching + " " + one + (isOfSets() ? " > 3" : "");
  }

  Collection<Sample> of(List<Sample> inner) {
    Map<Map<String, String>, Double> many = sums(inner, "env", "level");
    Map<Map<String, String>, Double> ones = sums(inner, "env");
    List<Sample> result = new ArrayList<>();
    many.forEach((labels, value) -> {
      Map<String, String> key = new TreeMap<>(labels);
      key.remove("level");
      double one = ones.getOrDefault(key, Double.NaN);
      Map<String, String> made = new TreeMap<>(labels);
      if (included) {
        made.put("zone", "z-" + labels.getOrDefault("env", ""));
      }
      switch (operator) {
        case "and" -> add(one > 3, labels, value, result);
        case "unless" -> add(!(one > 3), labels, value, result);
        case ">" -> add(value > one, made, value, result);
        case "> bool" -> result.add(new Sample(made, value > one ? 1 : 0));
        default ->
            result.add(new Sample(made, manyRight ? number(one, value) : number(value, one)));
      }
    });
    return result;
  }

  private static void add(
      boolean holds, Map<String, String> labels, double value, List<Sample> result) {
    if (holds) {
      result.add(new Sample(labels, value));
    }
  }

  private double number(double left, double right) {
    return switch (operator) {
      case "+" -> left + right;
      case "-" -> left - right;
      case "*" -> left * right;
      default -> right == 0 ? Double.NaN : left / right;
    };
  }

  private static Map<Map<String, String>, Double> sums(List<Sample> inner, String... by) {
    Map<Map<String, String>, Double> sums = new TreeMap<>(PlainMetric::order);
    for (Sample sample : inner) {
      Map<String, String> key = new TreeMap<>(sample.labels());
      key.keySet().retainAll(List.of(by));
      sums.merge(key, sample.value(), Double::sum);
    }
    return sums;
  }
}
