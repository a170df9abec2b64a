package io.widerow.ingest.ship;

import java.util.Locale;

/// Draws how far an import is.
///
/// ```
///   [=========>          ]  45 %  1.2 GB of 2.7 GB  85.3 MB/s  412,000 events/s  18 s left
/// ```
final class Progress {
  private static final int WIDTH = 20;
  private static final String[] UNITS = {"kB", "MB", "GB", "TB", "PB", "EB"};

  private Progress() {}

  /// Bytes in decimal units, such as `1.2 GB`.
  static String size(long bytes) {
    double value = bytes;
    int unit = -1;
    while (value >= 999.95 && unit + 1 < UNITS.length) {
      value /= 1_000;
      unit++;
    }
    return unit < 0 ? bytes + " B" : String.format(Locale.ROOT, "%.1f %s", value, UNITS[unit]);
  }

  /// @param total 0 when it is not known
  /// @param seconds since the start
  /// @param events a second
  /// @param bytes a second, unpacked
  static String bar(long done, long total, double seconds, double events, double bytes) {
    String rates = String.format(Locale.ROOT, "%s/s  %,.0f events/s", size((long) bytes), events);
    if (total <= 0) {
      return "%s  %s  %d s".formatted(size(done), rates, (long) seconds);
    }
    double share = Math.min(1, (double) done / total);
    int filled = (int) (share * WIDTH);
    String bar = "=".repeat(filled) + (filled < WIDTH ? ">" + " ".repeat(WIDTH - 1 - filled) : "");
    long left = share <= 0 ? 0 : (long) Math.ceil(seconds / share - seconds);
    return String.format(
        Locale.ROOT,
        "[%s] %3d %%  %s of %s  %s  %s left",
        bar,
        (int) (100 * share),
        size(done),
        size(total),
        rates,
        left < 120 ? left + " s" : (left + 59) / 60 + " min");
  }
}
