package io.widerow.ingest.decode;

/// Whether the day, the month or the year comes first in dates of three numbers.
///
/// - `05/17/2015` and `17/05/2015` tell by a number above 12. A date that does not tell is read as
///   the last one that did; before the first of these it is no date.
/// - `17/06/09` is year, month, day, as long as that is a date up to now. The first one that is
///   none, and can be read in one other way only, decides for all after it.
///
/// - Threads: one, for the lines of one body.
final class DateOrder {
  private static final int MONTHS = 12;

  private Order last = Order.UNKNOWN;
  private Order lastShort = Order.YEAR_FIRST;
  private boolean undecided;

  /// The first part of a date.
  enum Order {
    UNKNOWN,
    YEAR_FIRST,
    DAY_FIRST,
    MONTH_FIRST
  }

  /// True when a date was [Order#UNKNOWN], and no later one was unambiguous.
  boolean isUndecided() {
    return undecided;
  }

  /// Forgets the order of earlier dates.
  void forget() {
    last = Order.UNKNOWN;
    lastShort = Order.YEAR_FIRST;
    undecided = false;
  }

  /// The year of two digits: 1970 to 2069.
  static int century(int year) {
    return year < 70 ? 2000 + year : 1900 + year;
  }

  /// The order of a date of two numbers before a year of four digits. It may still be no date.
  Order of(int year, int first, int second) {
    boolean dayFirst = TimeParser.isDate(year, second, first);
    boolean monthFirst = TimeParser.isDate(year, first, second);
    if (dayFirst && monthFirst && first != second) {
      undecided |= last == Order.UNKNOWN;
      return last;
    }
    return tells(dayFirst, monthFirst, first != second);
  }

  private Order tells(boolean dayFirst, boolean monthFirst, boolean counts) {
    Order order = dayFirst ? Order.DAY_FIRST : monthFirst ? Order.MONTH_FIRST : Order.UNKNOWN;
    if (counts && order != Order.UNKNOWN) {
      last = order;
      undecided = false;
    }
    return order;
  }

  /// The order of a date of three numbers of two digits. It may still be no date.
  ///
  /// @param latestNanos nanoseconds since the Unix epoch; what comes after it is no date
  Order ofShort(int first, int second, int third, long latestNanos) {
    if (lastShort != Order.YEAR_FIRST || isDate(first, second, third, latestNanos)) {
      return lastShort;
    }
    boolean dayFirst = isDate(third, second, first, latestNanos);
    boolean monthFirst = isDate(third, first, second, latestNanos);
    if (dayFirst && monthFirst && first != second) {
      undecided |= last == Order.UNKNOWN;
      return last;
    }
    Order order = tells(dayFirst, monthFirst, first != second);
    if (order == Order.UNKNOWN) {
      return Order.YEAR_FIRST; // perhaps one ahead, at the beginning of its line
    }
    lastShort = first == second ? lastShort : order;
    return order;
  }

  private static boolean isDate(int year, int month, int day, long latestNanos) {
    return month <= MONTHS
        && TimeParser.isDate(century(year), month, day)
        && TimeParser.nanosOf(century(year), month, day, 0) <= latestNanos;
  }
}
