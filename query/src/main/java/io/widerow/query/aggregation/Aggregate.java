package io.widerow.query.aggregation;

import io.widerow.event.AttributeName;
import io.widerow.query.NameText;
import io.widerow.query.QueryException;
import io.widerow.rollup.RollupFigure;
import io.widerow.storage.Filter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// One aggregate of a query: `count`, `distinct(host)`, `sum(bytes)`, `p99.9(ms)`.
///
/// @param kind the function
/// @param name the attribute; null for a count of events
/// @param percentile 0 to 100; 0 for other functions
/// @param where the events that it is of; null for all
public record Aggregate(
    Kind kind, @Nullable AttributeName name, double percentile, @Nullable Where where) {
  private static final String KNOWN =
      "count bytes count(*) count(x) count(distinct x) distinct(x) sum(x) min(x) max(x) avg(x)"
          + " p50(x) p99.9(x) ...";
  private static final Pattern DISTINCT = Pattern.compile("distinct\\s+(.+)");
  private static final Pattern CALL =
      Pattern.compile(
          "(count|bytes|distinct|sum|min|max|avg|p\\d{1,2}(?:\\.\\d{1,4})?)(?:\\((.+)\\))?");

  /// The condition of an aggregate.
  ///
  /// @param text as it was written, by which conditions are equal
  public record Where(String text, Filter filter) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Where where && where.text.equals(text);
    }

    @Override
    public int hashCode() {
      return text.hashCode();
    }
  }

  /// An aggregate of all events.
  public Aggregate(Kind kind, @Nullable AttributeName name, double percentile) {
    this(kind, name, percentile, null);
  }

  /// The same of some events.
  Aggregate where(Where condition) {
    return new Aggregate(kind, name, percentile, condition);
  }

  /// The aggregate functions.
  public enum Kind {
    BYTES,
    COUNT,
    COUNT_ALL,
    COUNT_DISTINCT,
    DISTINCT,
    SUM,
    MIN,
    MAX,
    AVG,
    PERCENTILE
  }

  public static List<Aggregate> parse(String text) {
    List<Aggregate> measures = new ArrayList<>();
    for (String part : text.split(",", -1)) {
      measures.add(one(part.strip()));
    }
    return measures;
  }

  static Aggregate one(String text) {
    Matcher call = CALL.matcher(text);
    if (!call.matches()) {
      throw new QueryException.Refused(
          "stats", "not an aggregate: " + text + " (known: " + KNOWN + ")");
    }
    String function = call.group(1);
    String attribute = call.group(2) == null ? null : call.group(2).strip();
    if (function.equals("bytes")) {
      if (attribute != null) {
        throw new QueryException.Refused(
            "stats", "bytes counts whole events, not %s; sum(x) adds numbers".formatted(text));
      }
      return new Aggregate(Kind.BYTES, null, 0);
    }
    if (attribute == null && !function.equals("count")) {
      throw new QueryException.Refused(
          "stats", "%s: requires a field; write %s(name)".formatted(text, text));
    }
    Matcher distinct = DISTINCT.matcher(attribute == null ? "" : attribute);
    boolean all = attribute != null && attribute.equals("*");
    if ((all || distinct.matches()) && !function.equals("count")) {
      throw new QueryException.Refused(
          "stats", "only count takes * and distinct, not %s (known: %s)".formatted(text, KNOWN));
    }
    if (all) {
      return new Aggregate(Kind.COUNT_ALL, null, 0);
    }
    if (distinct.matches()) {
      return new Aggregate(Kind.COUNT_DISTINCT, name(distinct.group(1).strip()), 0);
    }
    AttributeName name = attribute == null ? null : name(attribute);
    if (function.startsWith("p")) {
      return new Aggregate(Kind.PERCENTILE, name, Double.parseDouble(function.substring(1)));
    }
    return new Aggregate(Kind.valueOf(function.toUpperCase(Locale.ROOT)), name, 0);
  }

  private static AttributeName name(String text) {
    return Field.require("stats", NameText.parse("stats", text));
  }

  /// True when the result is a number of events or values, 0 when there is none.
  boolean isCount() {
    return switch (kind) {
      case BYTES, COUNT, COUNT_ALL, COUNT_DISTINCT, DISTINCT -> true;
      case SUM, MIN, MAX, AVG, PERCENTILE -> false;
    };
  }

  /// True when it needs every attribute of each event.
  boolean isOfAll() {
    return kind == Kind.BYTES;
  }

  /// The aggregate of an attribute from which it follows; null when it is of no attribute.
  @Nullable RollupFigure figure() {
    return switch (kind) {
      case COUNT -> name == null ? null : RollupFigure.COUNT;
      case BYTES, COUNT_ALL -> null;
      case COUNT_DISTINCT, DISTINCT -> RollupFigure.DISTINCT;
      case SUM, AVG -> RollupFigure.SUM;
      case MIN -> RollupFigure.MIN;
      case MAX -> RollupFigure.MAX;
      case PERCENTILE -> RollupFigure.GRID;
    };
  }

  /// The text that it is parsed from.
  @Override
  public String toString() {
    Where condition = where;
    if (condition == null) {
      return plain();
    }
    String bare = plain();
    String open = name == null ? bare + "(" : bare.substring(0, bare.length() - 1) + " ";
    return open + "where " + condition.text + ")";
  }

  private String plain() {
    String digits = Double.toString(percentile);
    return switch (kind) {
      case COUNT_ALL -> "count(*)";
      case COUNT_DISTINCT -> "count(distinct " + name + ")";
      case PERCENTILE ->
          "p%s(%s)"
              .formatted(
                  digits.endsWith(".0") ? digits.substring(0, digits.length() - 2) : digits, name);
      case BYTES, COUNT, DISTINCT, SUM, MIN, MAX, AVG -> {
        String function = kind.name().toLowerCase(Locale.ROOT);
        yield name == null ? function : function + "(" + name + ")";
      }
    };
  }
}
