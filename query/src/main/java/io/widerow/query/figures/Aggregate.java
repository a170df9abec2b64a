package io.widerow.query.figures;

import io.widerow.event.AttributeName;
import io.widerow.query.NameText;
import io.widerow.query.QueryException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// One aggregate of a query: `count`, `sum(bytes)`, `p99.9(ms)`.
///
/// @param kind the function
/// @param name the attribute; null for a count of events
/// @param percentile 0 to 100; 0 for other functions
public record Aggregate(Kind kind, @Nullable AttributeName name, double percentile) {
  private static final Pattern CALL =
      Pattern.compile("(count|sum|min|max|avg|p\\d{1,2}(?:\\.\\d{1,4})?)(?:\\((.+)\\))?");

  /// The aggregate functions.
  enum Kind {
    COUNT,
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

  private static Aggregate one(String text) {
    Matcher call = CALL.matcher(text);
    if (!call.matches()) {
      throw new QueryException.Refused(
          "stats", "not an aggregate: " + text + " (known: count sum min max avg p50 p99.9 ...)");
    }
    String function = call.group(1);
    String attribute = call.group(2);
    if (attribute == null && !function.equals("count")) {
      throw new QueryException.Refused("stats", "%s of what? write %s(name)".formatted(text, text));
    }
    AttributeName name = attribute == null ? null : NameText.parse("stats", attribute);
    if (function.startsWith("p")) {
      return new Aggregate(Kind.PERCENTILE, name, Double.parseDouble(function.substring(1)));
    }
    return new Aggregate(Kind.valueOf(function.toUpperCase(Locale.ROOT)), name, 0);
  }

  /// The text that it is parsed from.
  @Override
  public String toString() {
    String digits = Double.toString(percentile);
    String function =
        kind == Kind.PERCENTILE
            ? "p" + (digits.endsWith(".0") ? digits.substring(0, digits.length() - 2) : digits)
            : kind.name().toLowerCase(Locale.ROOT);
    return name == null ? function : function + "(" + name + ")";
  }
}
