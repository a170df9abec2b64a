package io.widerow.query.promql.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// The series of an answer as lines of text, a column a step: the height of a bar is the value
/// between the least and the greatest of all series.
///
/// ```
///   ▁▁▂▃▅▇█▇▅▃  min 0.5  max 12  last 3.25  {job="a"}
/// ```
public final class PromqlPlot {
  private static final String BARS = "▁▂▃▄▅▆▇█";
  private static final String PLAIN = "_.-=+*#@";

  private PromqlPlot() {}

  /// A line for each series.
  ///
  /// @param unicode draw eighths; else characters of ASCII
  public static List<String> lines(PromqlAnswer answer, StepTimes steps, boolean unicode) {
    double least = Double.POSITIVE_INFINITY;
    double most = Double.NEGATIVE_INFINITY;
    for (PromqlAnswer.Series series : answer.all()) {
      for (PromqlAnswer.Point point : series.points()) {
        double value = number(point);
        if (Double.isFinite(value)) {
          least = Math.min(least, value);
          most = Math.max(most, value);
        }
      }
    }
    List<String> lines = new ArrayList<>();
    for (PromqlAnswer.Series series : answer.all()) {
      lines.add(line(series, steps, least, most, unicode ? BARS : PLAIN));
    }
    return lines;
  }

  private static String line(
      PromqlAnswer.Series series, StepTimes steps, double least, double most, String bars) {
    StringBuilder drawn = new StringBuilder(" ".repeat(steps.count()));
    double low = Double.POSITIVE_INFINITY;
    double high = Double.NEGATIVE_INFINITY;
    double last = Double.NaN;
    for (PromqlAnswer.Point point : series.points()) {
      double value = number(point);
      int column = (int) ((point.millis() - steps.fromMillis()) / steps.stepMillis());
      if (Double.isFinite(value) && column >= 0 && column < steps.count()) {
        double share = most > least ? (value - least) / (most - least) : 0.5;
        int bar = (int) Math.min(bars.length() - 1, Math.floor(share * bars.length()));
        drawn.setCharAt(column, bars.charAt(bar));
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
      last = value;
    }
    return "%s  min %s  max %s  last %s  %s"
        .formatted(drawn, shown(low), shown(high), shown(last), series.name());
  }

  private static double number(PromqlAnswer.Point point) {
    return switch (point.value()) {
      case "+Inf" -> Double.POSITIVE_INFINITY;
      case "-Inf" -> Double.NEGATIVE_INFINITY;
      default -> {
        try {
          yield Double.parseDouble(point.value());
        } catch (NumberFormatException histogram) {
          yield Double.NaN; // it has no height
        }
      }
    };
  }

  private static String shown(double value) {
    if (!Double.isFinite(value)) {
      return "-";
    }
    return String.format(Locale.ROOT, "%.4g", value)
        .replaceFirst("(\\.\\d*?)0+$", "$1")
        .replaceFirst("\\.$", "");
  }
}
