package io.widerow.query.aggregation;

import io.widerow.query.QueryException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/// One column that rows are sorted by: `count desc`. Missing values come last in both directions.
///
/// @param column index of the column
/// @param descending true for the greatest first
public record RowOrder(int column, boolean descending) {
  /// Parses columns with or without a direction, separated by commas.
  ///
  /// @param heads names of the columns that there are
  /// @throws QueryException.Refused when there is no such column
  static List<RowOrder> parse(String text, List<String> heads) {
    List<RowOrder> order = new ArrayList<>();
    for (String part : text.split(",", -1)) {
      order.add(one(part.strip(), heads));
    }
    return order;
  }

  private static RowOrder one(String text, List<String> heads) {
    String lower = text.toLowerCase(Locale.ROOT);
    boolean descending = lower.endsWith(" desc");
    boolean directed = descending || lower.endsWith(" asc");
    String column = directed ? text.substring(0, text.lastIndexOf(' ')).strip() : text;
    int found = heads.indexOf(column);
    if (found < 0) {
      throw new QueryException.Refused(
          "order-by",
          "no such column: %s; there are: %s".formatted(column, String.join(", ", heads)));
    }
    return new RowOrder(found, descending);
  }

  static Comparator<List<Cell>> comparator(List<RowOrder> order) {
    return (a, b) -> {
      int decided = 0;
      for (int i = 0; i < order.size() && decided == 0; i++) {
        decided = order.get(i).compare(a, b);
      }
      return decided;
    };
  }

  private int compare(List<Cell> rowA, List<Cell> rowB) {
    Cell a = rowA.get(column);
    Cell b = rowB.get(column);
    boolean reversed = descending && a.kind() != Cell.Kind.MISSING && b.kind() != Cell.Kind.MISSING;
    return reversed ? b.compareTo(a) : a.compareTo(b);
  }
}
