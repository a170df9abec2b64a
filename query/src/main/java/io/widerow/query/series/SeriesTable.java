package io.widerow.query.series;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.query.QueryExecution;
import io.widerow.storage.sketch.ValueTable;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Finds the series of each event: what it has to do with labels is done once for the events that
/// have equal ones.
///
/// - Threads: one.
/// - Memory: the labels of the events that were shown, counted by the execution.
final class SeriesTable {
  /// The NaN by which Prometheus marks the end of a series.
  static final long STALE_BITS = 0x7ff0_0000_0000_0002L;

  private static final int ENTRY_BYTES = 64;

  private final QueryExecution execution;
  private final SeriesSelector selector;
  private final SeriesSet found;
  private final EventPoints points = new EventPoints();
  private final HistogramMessage natives = new HistogramMessage();
  private final ValueTable keys = new ValueTable(true);
  private final AttributeValue keyValue = new AttributeValue();
  private final List<@Nullable SampledSeries[]> entries = new ArrayList<>();
  private long held;

  SeriesTable(QueryExecution execution, SeriesSelector selector, SeriesSet found) {
    this.execution = execution;
    this.selector = selector;
    this.found = found;
  }

  /// Adds the samples of an event to their series.
  void add(EventView event) {
    EventPoints.Kind kind = points.show(event);
    if (kind == EventPoints.Kind.NONE) {
      return;
    }
    @Nullable SampledSeries[] entry = entry();
    long nanos = event.timeNanos();
    long arrival = event.arrival();
    if (kind == EventPoints.Kind.HISTOGRAM) {
      histogram(entry, nanos, arrival);
      return;
    }
    if (kind == EventPoints.Kind.NATIVE) {
      SampledSeries series = entry[0];
      byte[] message = series == null ? null : natives.of(event);
      if (series != null && message != null) {
        found.add(series, nanos, arrival, message);
      }
      return;
    }
    long bits = kind == EventPoints.Kind.STALE ? STALE_BITS : points.valueBits();
    for (SampledSeries series : entry) {
      if (series != null) {
        found.add(series, nanos, arrival, bits);
      }
    }
  }

  /// Finds the series of an event, without its samples.
  void note(EventView event) {
    if (points.show(event) != EventPoints.Kind.NONE) {
      @Nullable SampledSeries[] _ = entry();
    }
  }

  /// The series of the event that was read, where they are wanted.
  private @Nullable SampledSeries[] entry() {
    points.key().show(keyValue);
    int number = keys.add(keyValue);
    if (number == entries.size()) {
      entries.add(series());
      long now = keys.bytes() + (long) ENTRY_BYTES * entries.size();
      long more = now - held;
      held = now;
      execution.hold(more);
    }
    return entries.get(number);
  }

  private @Nullable SampledSeries[] series() {
    KeyBytes key = points.key();
    SortedMap<String, String> labels = labels(key);
    if (!points.isHistogram()) {
      return new SampledSeries[] {wanted(labels, "", "", "")};
    }
    List<@Nullable SampledSeries> all = new ArrayList<>();
    if (points.text(Role.BUCKETS).length > 0) {
      for (double bound : NumberList.of(points.text(Role.BOUNDS))) {
        all.add(wanted(labels, "_bucket", "le", shown(bound)));
      }
      all.add(wanted(labels, "_bucket", "le", "+Inf"));
    }
    for (String quantile : NumberList.names(points.text(Role.QUANTILES))) {
      all.add(wanted(labels, "", "quantile", quantile));
    }
    all.add(wanted(labels, "_count", "", ""));
    all.add(wanted(labels, "_sum", "", ""));
    return all.toArray(new SampledSeries[0]);
  }

  /// A bound as the clients of Prometheus write it.
  private static String shown(double bound) {
    return Double.isFinite(bound)
        ? new BigDecimal(Double.toString(bound)).stripTrailingZeros().toPlainString()
        : bound > 0 ? "+Inf" : bound < 0 ? "-Inf" : "NaN";
  }

  /// A series with these labels; null when it is not wanted.
  ///
  /// @param suffix of the name
  /// @param made a label besides; empty for none
  private @Nullable SampledSeries wanted(
      SortedMap<String, String> labels, String suffix, String made, String value) {
    SortedMap<String, String> all = new TreeMap<>(labels);
    all.merge(Labels.NAME, suffix, String::concat);
    if (!made.isEmpty()) {
      String before = all.put(made, value);
      if (before != null) {
        all.put(SeriesSelector.EXPORTED + made, before);
      }
    }
    Labels sent = Labels.of(all);
    Labels shown = sent.shown();
    return selector.keeps(sent, shown) ? found.of(sent, shown) : null;
  }

  /// The labels that a key stands for, with their names as sent. An attribute counts before one of
  /// its name that remote write has renamed.
  private SortedMap<String, String> labels(KeyBytes key) {
    SortedMap<String, String> labels = new TreeMap<>();
    Map<String, Integer> ranks = new HashMap<>();
    String type = new String(key.text(0), StandardCharsets.UTF_8);
    for (int at = key.next(0); at < key.length(); at = key.next(at)) {
      if (key.number(at) == EventPoints.FORM) {
        continue;
      }
      String name = points.name(key.number(at));
      String value = text(key, at);
      boolean own = points.isHistogram() && Role.of(name).isOfHistograms();
      if (!own && !value.isEmpty()) {
        boolean renamed =
            name.startsWith(SeriesSelector.PREFIX) && key.kind(at) == AttributeKind.STRING;
        String sent = renamed ? name.substring(SeriesSelector.PREFIX.length()) : name;
        int rank = renamed ? 1 : 0;
        if (rank < ranks.getOrDefault(sent, Integer.MAX_VALUE)) {
          ranks.put(sent, rank);
          labels.put(sent, value);
        }
      }
    }
    String taken = labels.put(Labels.NAME, type);
    if (taken != null) {
      labels.put(SeriesSelector.EXPORTED + Labels.NAME, taken);
    }
    return labels;
  }

  private static String text(KeyBytes key, int at) {
    return switch (key.kind(at)) {
      case STRING -> new String(key.text(at), StandardCharsets.UTF_8);
      case BYTES -> Base64.getEncoder().encodeToString(key.text(at));
      case LONG -> Long.toString(key.bits(at));
      case BOOLEAN -> Boolean.toString(key.bits(at) != 0);
      case DOUBLE -> throw new IllegalStateException("a fraction is no label");
    };
  }

  /// Adds the numbers of a histogram or summary; the series are in the order of [#series].
  private void histogram(@Nullable SampledSeries[] entry, long nanos, long arrival) {
    double count = points.count();
    double[] buckets = NumberList.of(points.text(Role.BUCKETS));
    double[] quantiles = NumberList.values(points.text(Role.QUANTILES));
    int bounds = entry.length - 2 - quantiles.length - (buckets.length > 0 ? 1 : 0);
    double below = 0;
    int at = 0;
    for (int i = 0; i < bounds; i++) {
      below += i < buckets.length ? buckets[i] : 0;
      add(entry[at++], nanos, arrival, below);
    }
    if (buckets.length > 0) {
      add(entry[at++], nanos, arrival, count);
    }
    for (double quantile : quantiles) {
      add(entry[at++], nanos, arrival, quantile);
    }
    add(entry[at++], nanos, arrival, count);
    if (points.hasSum()) {
      add(entry[at], nanos, arrival, Double.longBitsToDouble(points.sumBits()));
    }
  }

  private void add(@Nullable SampledSeries series, long nanos, long arrival, double value) {
    if (series != null) {
      found.add(series, nanos, arrival, Double.doubleToRawLongBits(value));
    }
  }
}
