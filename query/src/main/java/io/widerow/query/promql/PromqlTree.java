package io.widerow.query.promql;

import io.widerow.query.promql.PromqlExpr.Aggregate;
import io.widerow.query.promql.PromqlExpr.At;
import io.widerow.query.promql.PromqlExpr.Binary;
import io.widerow.query.promql.PromqlExpr.Call;
import io.widerow.query.promql.PromqlExpr.Matching;
import io.widerow.query.promql.PromqlExpr.Selector;
import io.widerow.query.promql.PromqlExpr.Subquery;
import io.widerow.query.promql.PromqlExpr.Timing;
import io.widerow.query.promql.PromqlExpr.ValueType;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// An expression as a tree of maps and lists, as Prometheus' `parse_query` has it. Numbers are
/// whole, durations in milliseconds.
///
/// Source: prometheus/prometheus `docs/querying/api.md`.
///
/// - Threads: any.
public final class PromqlTree {
  private PromqlTree() {}

  /// The tree of an expression.
  public static Map<String, @Nullable Object> of(PromqlExpr expr) {
    Map<String, @Nullable Object> tree = new TreeMap<>();
    switch (expr) {
      case PromqlExpr.NumberLiteral(double value, var _, var _) -> {
        tree.put("type", "numberLiteral");
        tree.put("val", GoNumber.plain(value));
      }
      case PromqlExpr.TextLiteral(String text, var _) -> {
        tree.put("type", "stringLiteral");
        tree.put("val", text);
      }
      case Selector selector -> selector("vectorSelector", selector, tree);
      case PromqlExpr.Range(Selector of, var range, var _) -> {
        selector("matrixSelector", of, tree);
        tree.put("range", millis(range));
      }
      case Subquery(var of, var range, var step, var timing, var _) -> {
        tree.put("type", "subquery");
        tree.put("expr", of(of));
        tree.put("range", millis(range));
        tree.put("step", step == null ? 0L : millis(step));
        timing(timing, tree);
      }
      case Call call -> call(call, tree);
      case Aggregate aggregate -> {
        tree.put("type", "aggregation");
        tree.put("op", aggregate.operator().name().toLowerCase(Locale.ROOT));
        tree.put("expr", of(aggregate.of()));
        PromqlExpr parameter = aggregate.parameter();
        tree.put("param", parameter == null ? null : of(parameter));
        tree.put("grouping", aggregate.labels());
        tree.put("without", aggregate.without());
      }
      case Binary binary -> binary(binary, tree);
      case PromqlExpr.Signed(boolean negative, var of, var _) -> {
        tree.put("type", "unaryExpr");
        tree.put("op", negative ? "-" : "+");
        tree.put("expr", of(of));
      }
      case PromqlExpr.Parentheses(var of, var _) -> {
        tree.put("type", "parenExpr");
        tree.put("expr", of(of));
      }
    }
    return tree;
  }

  private static void selector(String type, Selector selector, Map<String, @Nullable Object> tree) {
    tree.put("type", type);
    tree.put("name", selector.name());
    tree.put(
        "matchers",
        selector.matchers().stream()
            .map(each ->
                new TreeMap<>(
                    Map.of("name", each.name(), "value", each.text(), "type", each.kind().sign)))
            .toList());
    tree.put("anchored", false);
    tree.put("smoothed", false);
    timing(selector.timing(), tree);
  }

  private static void timing(Timing timing, Map<String, @Nullable Object> tree) {
    PromqlExpr offset = timing.offset();
    At at = timing.at();
    tree.put("offset", offset == null ? 0L : millis(offset));
    tree.put("timestamp", at instanceof At.Time(long millis) ? millis : null);
    tree.put("startOrEnd", at instanceof At.Start ? "start" : at instanceof At.End ? "end" : null);
  }

  /// The length of a duration; 0 for one that is computed when the query runs.
  private static long millis(PromqlExpr duration) {
    return switch (duration.bare()) {
      case PromqlExpr.NumberLiteral(double seconds, var _, var _) -> Math.round(seconds * 1e3);
      case PromqlExpr.Signed(boolean negative, var of, var _) ->
          negative ? -millis(of) : millis(of);
      default -> 0;
    };
  }

  private static void call(Call call, Map<String, @Nullable Object> tree) {
    PromqlFunction function = call.function();
    Map<String, @Nullable Object> of = new TreeMap<>();
    of.put("name", function.text);
    of.put("argTypes", function.arguments.stream().map(PromqlTree::name).toList());
    of.put("returnType", name(function.result));
    of.put("variadic", (long) function.optional);
    tree.put("type", "call");
    tree.put("func", of);
    tree.put("args", call.arguments().stream().map(PromqlTree::of).toList());
  }

  private static String name(ValueType type) {
    return switch (type) {
      case SCALAR -> "scalar";
      case VECTOR -> "vector";
      case MATRIX -> "matrix";
      case STRING -> "string";
    };
  }

  private static void binary(Binary binary, Map<String, @Nullable Object> tree) {
    tree.put("type", "binaryExpr");
    tree.put("op", binary.operator().sign);
    tree.put("lhs", of(binary.left()));
    tree.put("rhs", of(binary.right()));
    tree.put("bool", binary.bool());
    Matching matching = binary.matching();
    if (matching == null) {
      tree.put("matching", null);
      return;
    }
    Map<String, @Nullable Object> filled = new HashMap<>();
    filled.put("lhs", null);
    filled.put("rhs", null);
    Map<String, @Nullable Object> of = new TreeMap<>();
    of.put("card", matching.cardinality().name().toLowerCase(Locale.ROOT).replace('_', '-'));
    of.put("labels", List.copyOf(matching.labels()));
    of.put("on", matching.on());
    of.put("include", List.copyOf(matching.include()));
    of.put("fillValues", filled);
    tree.put("matching", of);
  }
}
