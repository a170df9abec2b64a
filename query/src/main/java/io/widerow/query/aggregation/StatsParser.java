package io.widerow.query.aggregation;

import io.widerow.query.QueryException;
import io.widerow.query.filter.FilterParser;
import io.widerow.query.text.TokenReader;
import io.widerow.storage.Filter.Comparison;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Parses the columns and the condition of a query for aggregates:
///
/// ```
/// stats     = column { "," column }
/// column    = sum [ "as" name ]
/// having    = and { "or" and }
/// and       = not { "and" not }
/// not       = "not" not | sum ("=" | "!=" | "<" | "<=" | ">" | ">=") sum | "(" having ")"
/// sum       = product { ("+" | "-") product }
/// product   = factor { ("*" | "/") factor }
/// factor    = number | aggregate | "(" sum ")"
/// aggregate = function [ "(" [ name ] [ [ "where" ] filter ] ")" ]
/// ```
///
/// The filter of an aggregate selects the events that it is of: `count(level >= error)`, `sum(bytes
/// where status = 200)`. A sign `-` or `/` that is part of a field's name is inside of parentheses.
final class StatsParser extends TokenReader<QueryException.Refused> {
  private static final int DEPTH_MAX = 32;
  private static final String WHERE = " where ";

  private final String parameter;
  private final long nowNanos;
  private final List<Aggregate> measures;
  private int depth;

  /// @param parameter for refusals
  /// @param measures receives the aggregates, each once
  StatsParser(String parameter, String text, long nowNanos, List<Aggregate> measures) {
    super(text, "_.");
    this.parameter = parameter;
    this.nowNanos = nowNanos;
    this.measures = measures;
  }

  @Override
  protected QueryException.Refused wrong(String why, int where) {
    return new QueryException.Refused(
        parameter, "%s at character %d of %s".formatted(why, where + 1, text));
  }

  List<StatsColumn> columns() {
    List<StatsColumn> columns = new ArrayList<>();
    do {
      skipSpace();
      int start = at;
      StatsExpression value = sum();
      String written = text.substring(start, at).strip();
      String head =
          value instanceof StatsExpression.Of(int measure)
              ? measures.get(measure).toString()
              : written;
      if (takeWord("as")) {
        skipSpace();
        String name = verbatim();
        head = name == null ? word("-") : name;
        if (head.isEmpty()) {
          throw wrong("expected the name of the column");
        }
      }
      columns.add(new StatsColumn(head, value));
    } while (take(","));
    if (!atEnd()) {
      throw wrong("expected , + - * / or the end");
    }
    return columns;
  }

  Having having() {
    Having having = or();
    if (!atEnd()) {
      throw wrong("expected and, or or the end");
    }
    return having;
  }

  private Having or() {
    List<Having> parts = new ArrayList<>();
    do {
      parts.add(and());
    } while (takeWord("or"));
    return parts.size() == 1 ? parts.getFirst() : new Having.Or(parts);
  }

  private Having and() {
    List<Having> parts = new ArrayList<>();
    do {
      parts.add(not());
    } while (takeWord("and"));
    return parts.size() == 1 ? parts.getFirst() : new Having.And(parts);
  }

  private Having not() {
    if (takeWord("not")) {
      return new Having.Not(deeper(this::not));
    }
    int start = at;
    if (take("(")) { // of a condition, or of a number
      try {
        Having inner = deeper(this::or);
        expect(")");
        return inner;
      } catch (QueryException.Refused _) {
        at = start;
      }
    }
    StatsExpression left = sum();
    Comparison comparison = comparison();
    if (comparison == null) {
      throw wrong("expected = != < <= > or >=");
    }
    return new Having.Compare(left, comparison, sum());
  }

  private @Nullable Comparison comparison() {
    if (take("==") || take("=")) {
      return Comparison.EQUAL;
    }
    if (take("!=")) {
      return Comparison.NOT_EQUAL;
    }
    if (take("<=")) {
      return Comparison.LESS_OR_EQUAL;
    }
    if (take(">=")) {
      return Comparison.GREATER_OR_EQUAL;
    }
    if (take("<")) {
      return Comparison.LESS;
    }
    return take(">") ? Comparison.GREATER : null;
  }

  /// A part of a text that may hold itself.
  private interface Part<T> {
    T read();
  }

  private <T> T deeper(Part<T> part) {
    if (depth == DEPTH_MAX) {
      throw wrong("nested deeper than " + DEPTH_MAX);
    }
    depth++;
    try {
      return part.read();
    } finally {
      depth--;
    }
  }

  private StatsExpression sum() {
    StatsExpression left = product();
    while (true) {
      char sign = take("+") ? '+' : take("-") ? '-' : 0;
      if (sign == 0) {
        return left;
      }
      left = new StatsExpression.Binary(sign, left, product());
    }
  }

  private StatsExpression product() {
    StatsExpression left = factor();
    while (true) {
      char sign = take("*") ? '*' : take("/") ? '/' : 0;
      if (sign == 0) {
        return left;
      }
      left = new StatsExpression.Binary(sign, left, factor());
    }
  }

  private StatsExpression factor() {
    if (take("(")) {
      StatsExpression inner = deeper(this::sum);
      expect(")");
      return inner;
    }
    skipSpace();
    int start = at;
    String word = word("");
    if (word.matches("\\d{1,15}")) {
      return new StatsExpression.Constant(Cell.of(Long.parseLong(word)));
    }
    if (word.matches("\\d{1,15}\\.\\d{1,15}")) {
      return new StatsExpression.Constant(Cell.of(Double.parseDouble(word)));
    }
    Aggregate measure;
    if (take("(")) {
      int from = at;
      at = close(start) + 1;
      measure = aggregate(word, text.substring(from, at - 1).strip());
    } else {
      measure = Aggregate.one(word.isEmpty() ? text.substring(start).strip() : word);
    }
    int known = measures.indexOf(measure);
    if (known < 0) {
      measures.add(measure);
      known = measures.size() - 1;
    }
    return new StatsExpression.Of(known);
  }

  /// The place of the bracket that closes the one before `at`, outside of quotes.
  private int close(int start) {
    int[] open = {1};
    int close =
        findUnquoted(place -> {
          char c = text.charAt(place);
          open[0] += c == '(' ? 1 : c == ')' ? -1 : 0;
          return open[0] == 0;
        });
    if (close >= 0) {
      return close;
    }
    throw new QueryException.Refused(
        parameter, "not an aggregate, expected ): " + text.substring(start));
  }

  /// @param inside between the parentheses
  private Aggregate aggregate(String function, String inside) {
    if (inside.isEmpty()) {
      return Aggregate.one(function);
    }
    int where = (" " + inside).indexOf(WHERE) - 1; // the space before it; -1 when it is first
    String name = where < -1 ? inside : inside.substring(0, Math.max(0, where)).strip();
    boolean isNamed = name.isEmpty() || !isFilter(name);
    String filter = where >= -1 && isNamed ? inside.substring(where + WHERE.length()) : inside;
    if (!isNamed && function.equals("count")) {
      name = ""; // the word is part of a text in the filter
    } else if (where < -1) {
      return Aggregate.one(function + "(" + inside + ")");
    }
    Aggregate of = Aggregate.one(name.isEmpty() ? function : function + "(" + name + ")");
    try {
      return of.where(new Aggregate.Where(filter.strip(), FilterParser.parse(filter, nowNanos)));
    } catch (QueryException.Refused refused) {
      String why = String.valueOf(refused.getMessage());
      throw new QueryException.Refused(
          parameter, why.startsWith("where: ") ? why.substring(7) : why);
    }
  }

  /// True for what cannot be the name of a field.
  private static boolean isFilter(String inside) {
    boolean distinct = inside.startsWith("distinct ");
    return !distinct && inside.matches("(?s).*[\\s=<>~].*");
  }
}
