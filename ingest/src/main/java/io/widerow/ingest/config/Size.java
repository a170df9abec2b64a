package io.widerow.ingest.config;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Sizes as an operator writes them: `10GiB`, `500MB`, or a number of bytes.
public final class Size {
  private static final Pattern TEXT = Pattern.compile("([1-9][0-9]{0,17})([A-Za-z]*)");
  private static final Map<String, Long> UNITS = units();

  private Size() {}

  private static Map<String, Long> units() {
    Map<String, Long> units = new LinkedHashMap<>();
    units.put("", 1L);
    units.put("B", 1L);
    long binary = 1;
    long decimal = 1;
    for (String unit : new String[] {"K", "M", "G", "T", "P"}) {
      binary *= 1_024;
      decimal *= 1_000;
      units.put(unit + "iB", binary);
      units.put(unit + "B", decimal);
    }
    return units;
  }

  /// Bytes of a text.
  ///
  /// @param key names the value in messages
  /// @throws IllegalArgumentException with key and text in it
  public static long parse(String key, String text) {
    Matcher parts = TEXT.matcher(text);
    Long unit = parts.matches() ? UNITS.get(parts.group(2)) : null;
    if (unit != null && Long.parseLong(parts.group(1)) <= Long.MAX_VALUE / 2 / unit) {
      return Long.parseLong(parts.group(1)) * unit;
    }
    throw new IllegalArgumentException(
        "%s: must be a number of bytes above 0, like 10GiB or 500MB, got %s".formatted(key, text));
  }

  /// A text of at most three digits in the largest binary unit that keeps them: `512 MiB`, `23.5
  /// GiB`.
  public static String text(long bytes) {
    String[] units = {"B", "KiB", "MiB", "GiB", "TiB"};
    int unit = 0;
    double size = bytes;
    while (size >= 1_024 && unit < units.length - 1) {
      size /= 1_024;
      unit++;
    }
    boolean whole = size >= 100 || size == Math.rint(size);
    return String.format(Locale.ROOT, whole ? "%.0f %s" : "%.1f %s", size, units[unit]);
  }
}
