package io.widerow.query.promql.run;

import io.widerow.query.promql.PromqlException;
import io.widerow.query.promql.PromqlExpr.Binary;
import io.widerow.query.promql.PromqlExpr.Cardinality;
import io.widerow.query.promql.PromqlExpr.Matching;
import io.widerow.query.series.Labels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// A binary operation of two vectors: which of their series belong together, decided step by step.
///
/// ```
///   left     {a="1", x="p"}   {a="1", x="q"}   {a="2"}
///   on (a)   a="1"            a="1"            a="2"         a group for each
///   right    {a="1"}                           {a="2"}
/// ```
///
/// - Threads: one.
final class Matches {
  private final Binary of;
  private final Matching matching;
  private final Pairs pairs;
  private final int steps;
  private final List<Row> left;
  private final List<Row> right;
  private final int[] leftGroups;
  private final int[] rightGroups;
  private final Map<Labels, Integer> groups = new HashMap<>();

  Matches(Binary of, List<Row> left, List<Row> right, int steps, Annotations annotations) {
    this.pairs = new Pairs(of, annotations);
    this.of = of;
    this.matching = Objects.requireNonNull(of.matching());
    this.left = left;
    this.right = right;
    this.steps = steps;
    this.leftGroups = groups(left);
    this.rightGroups = groups(right);
  }

  private int[] groups(List<Row> rows) {
    return rows.stream()
        .mapToInt(row -> groups.computeIfAbsent(key(row.labels()), _ -> groups.size()))
        .toArray();
  }

  private Labels key(Labels labels) {
    return matching.on()
        ? LabelEdits.only(labels, matching.labels())
        : LabelEdits.unnamed(LabelEdits.without(labels, matching.labels()));
  }

  List<Row> run() {
    return switch (of.operator()) {
      case AND -> kept(true);
      case UNLESS -> kept(false);
      case OR -> either();
      default -> paired();
    };
  }

  /// Which groups have a value at a step.
  private boolean[] present(List<Row> rows, int[] its, int step) {
    boolean[] present = new boolean[groups.size()];
    for (int i = 0; i < its.length; i++) {
      present[its[i]] |= rows.get(i).has(step);
    }
    return present;
  }

  private List<Row> kept(boolean wanted) {
    List<Row> result = new ArrayList<>();
    left.forEach(row -> result.add(Row.empty(row.labels(), steps)));
    for (int step = 0; step < steps; step++) {
      boolean[] present = present(right, rightGroups, step);
      for (int i = 0; i < leftGroups.length; i++) {
        if (present[leftGroups[i]] == wanted) {
          result.get(i).copy(left.get(i), step);
        }
      }
    }
    return result;
  }

  private List<Row> either() {
    List<Row> result = new ArrayList<>(left);
    List<Row> others = new ArrayList<>();
    right.forEach(row -> others.add(Row.empty(row.labels(), steps)));
    for (int step = 0; step < steps; step++) {
      boolean[] present = present(left, leftGroups, step);
      for (int i = 0; i < rightGroups.length; i++) {
        if (!present[rightGroups[i]]) {
          others.get(i).copy(right.get(i), step);
        }
      }
    }
    result.addAll(others);
    return result;
  }

  private List<Row> paired() {
    boolean swapped = matching.cardinality() == Cardinality.ONE_TO_MANY;
    List<Row> many = swapped ? right : left;
    List<Row> one = swapped ? left : right;
    int[] manyGroups = swapped ? rightGroups : leftGroups;
    int[] oneGroups = swapped ? leftGroups : rightGroups;
    Map<Labels, Row> result = new LinkedHashMap<>();
    Map<Long, Labels> labels = new HashMap<>();
    boolean isOneToOne = matching.cardinality() == Cardinality.ONE_TO_ONE;
    for (int step = 0; step < steps; step++) {
      int[] partners = partners(one, oneGroups, step, hasAny(many, step), swapped);
      boolean[] matched = new boolean[groups.size()];
      for (int i = 0; i < manyGroups.length; i++) {
        int group = manyGroups[i];
        Row row = many.get(i);
        if (!row.has(step) || partners[group] < 0) {
          continue;
        }
        if (isOneToOne && matched[group]) {
          throw refused(
              "multiple matches for labels: many-to-one matching must be explicit"
                  + " (group_left/group_right)");
        }
        matched[group] = true;
        Row partner = one.get(partners[group]);
        put(row, partner, step, swapped, i * (1L << 32) + partners[group], labels, result);
      }
    }
    return List.copyOf(result.values());
  }

  private void put(
      Row row,
      Row partner,
      int step,
      boolean swapped,
      long pair,
      Map<Long, Labels> known,
      Map<Labels, Row> result) {
    Row first = swapped ? partner : row;
    Row second = swapped ? row : partner;
    double kept = first.value(step);
    Row made = Row.empty(LabelEdits.NONE, 1);
    pairs.put(
        made, 0, kept, first.histogram(step), second.value(step), second.histogram(step), kept);
    if (!made.has(0)) {
      return;
    }
    Labels labels = known.computeIfAbsent(pair, _ -> labels(row.labels(), partner.labels()));
    Row to = result.computeIfAbsent(labels, _ -> Row.empty(labels, steps));
    if (to.has(step)) {
      throw refused(
          matching.cardinality() == Cardinality.ONE_TO_ONE
              ? "multiple matches for labels: many-to-one matching must be explicit"
                  + " (group_left/group_right)"
              : "multiple matches for labels: grouping labels must ensure unique matches");
    }
    to.copy(made, 0, step);
  }

  private static boolean hasAny(List<Row> rows, int step) {
    return rows.stream().anyMatch(row -> row.has(step));
  }

  /// The series of the "one" side of each group; -1 for none.
  private int[] partners(
      List<Row> one, int[] its, int step, boolean othersHaveAny, boolean swapped) {
    int[] partners = new int[groups.size()];
    Arrays.fill(partners, -1);
    if (!othersHaveAny) {
      return partners;
    }
    for (int i = 0; i < its.length; i++) {
      if (!one.get(i).has(step)) {
        continue;
      }
      if (partners[its[i]] >= 0) {
        throw twice(one.get(i), one.get(partners[its[i]]), swapped);
      }
      partners[its[i]] = i;
    }
    return partners;
  }

  private PromqlException twice(Row row, Row before, boolean swapped) {
    return refused(
        ("found duplicate series for the match group %s on the %s hand-side of the operation: [%s,"
                + " %s];many-to-many matching not allowed: matching labels must be unique on one"
                + " side")
            .formatted(
                LabelEdits.text(key(row.labels())),
                swapped ? "left" : "right",
                LabelEdits.text(before.labels()),
                LabelEdits.text(row.labels())));
  }

  private Labels labels(Labels many, Labels one) {
    Labels labels = Operators.renames(of.operator(), of.bool()) ? LabelEdits.unnamed(many) : many;
    if (matching.cardinality() == Cardinality.ONE_TO_ONE) {
      labels =
          matching.on()
              ? LabelEdits.only(labels, matching.labels())
              : LabelEdits.without(labels, matching.labels());
    }
    for (String name : matching.include()) {
      labels = LabelEdits.with(labels, name, one.get(name));
    }
    return labels;
  }

  private static PromqlException refused(String what) {
    return PromqlException.ofExecution(what);
  }
}
