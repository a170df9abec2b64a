package io.widerow.query.promql.run;

import io.widerow.query.logql.GoQuotes;
import io.widerow.query.promql.GoNumber;
import io.widerow.query.promql.PromqlExpr.Place;
import io.widerow.query.series.SeriesRemarks;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// What a query reports besides its result: warnings, where the result may be wrong, and infos,
/// where the query may be.
///
/// - Threads: one.
public final class Annotations {
  private static final int SHOWN_MAX = 10;
  private static final List<String> COUNTER_SUFFIXES =
      List.of("_total", "_sum", "_count", "_bucket");

  private final String text;
  private final Set<String> warnings = new LinkedHashSet<>();
  private final Set<String> infos = new LinkedHashSet<>();

  /// @param text of the query, in which places are
  public Annotations(String text) {
    this.text = text;
  }

  void warn(Place place, String what) {
    warnings.add("PromQL warning: " + what + shown(place));
  }

  void info(Place place, String what) {
    infos.add("PromQL info: " + what + shown(place));
  }

  /// Reports what is said about the series of a selector.
  SeriesRemarks at(Place place) {
    return new SeriesRemarks() {
      @Override
      public void warn(String what) {
        Annotations.this.warn(place, what);
      }

      @Override
      public void inform(String what) {
        info(place, what);
      }
    };
  }

  /// Reports quantiles outside of 0 to 1.
  void warnOfQuantiles(double[] quantiles, Place place) {
    for (double quantile : quantiles) {
      if (!(quantile >= 0 && quantile <= 1)) {
        warn(place, "quantile value should be between 0 and 1, got " + GoNumber.shortest(quantile));
      }
    }
  }

  /// Reports a metric whose name is not that of a counter.
  void informOfCounter(String name, Place place) {
    if (!name.isEmpty() && COUNTER_SUFFIXES.stream().noneMatch(name::endsWith)) {
      info(
          place,
          "metric might not be a counter, name does not end in _total/_sum/_count/_bucket: "
              + GoQuotes.quoted(name));
    }
  }

  /// Reports histograms of which some have exponential buckets and some bounds of their own.
  void warnOfSchemas(String name, Place place) {
    warn(
        place,
        "vector contains a mix of histograms with exponential and custom buckets schemas"
            + named(name));
  }

  /// Reports histograms with different bounds.
  ///
  /// @param what was done with them
  void informOfReconciled(boolean reconciled, String what, Place place) {
    if (reconciled) {
      info(place, "mismatched custom buckets were reconciled during " + what);
    }
  }

  /// The name of a metric at the end of a sentence.
  static String named(String name) {
    return name.isEmpty() ? "" : " for metric name " + quoted(name);
  }

  static String quoted(String name) {
    return GoQuotes.quoted(name);
  }

  private String shown(Place place) {
    int from = Math.min(place.from(), text.length());
    int line = (int) text.substring(0, from).chars().filter(c -> c == '\n').count() + 1;
    int column = from - (text.lastIndexOf('\n', Math.max(0, from - 1)) + 1);
    if (from == 0) {
      column = 0;
    }
    return " (%d:%d)".formatted(line, column + 1);
  }

  /// Ten at most.
  public List<String> warnings() {
    return warnings.stream().limit(SHOWN_MAX).toList();
  }

  /// Ten at most.
  public List<String> infos() {
    return infos.stream().limit(SHOWN_MAX).toList();
  }
}
