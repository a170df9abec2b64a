package io.widerow.query.series;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.query.QueryExecution;
import io.widerow.storage.sketch.EventRun;
import io.widerow.storage.sketch.ValueTable;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.IdentityHashMap;
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
  private static final int ENTRY_BYTES = 64;
  private static final int FIELD_BYTES = 24;
  private static final int RUN_BYTES = 48;

  private final QueryExecution execution;
  private final SeriesSet found;
  private final EventPoints points;
  private final HistogramMessage natives = new HistogramMessage();
  private final ValueTable keys = new ValueTable(true);
  private final AttributeValue keyValue = new AttributeValue();
  private final List<Entry> entries = new ArrayList<>();
  private final IdentityHashMap<Object, KnownRun> runs = new IdentityHashMap<>(); // by key
  private long held;

  /// What is known of a run of samples.
  ///
  /// @param series null when it is not wanted
  /// @param whole whether its numbers are whole
  private record KnownRun(@Nullable SampledSeries series, boolean whole) {}

  /// The series of the events with one key: those of a sample or a histogram in the order of
  /// [#seriesOfSample], those of fields as they come.
  private static final class Entry {
    private final SortedMap<String, String> labels;
    private @Nullable SampledSeries[] series;
    private int[] fields = {}; // numbers of attributes

    Entry(SortedMap<String, String> labels, @Nullable SampledSeries[] series) {
      this.labels = labels;
      this.series = series;
    }

    /// Where the series of a field is; -1 before it is added.
    ///
    /// @param hint where it is in most events
    int find(int field, int hint) {
      if (hint < fields.length && fields[hint] == field) {
        return hint;
      }
      for (int i = 0; i < fields.length; i++) {
        if (fields[i] == field) {
          return i;
        }
      }
      return -1;
    }

    int add(int field, @Nullable SampledSeries of) {
      int at = fields.length;
      fields = Arrays.copyOf(fields, at + 1);
      fields[at] = field;
      series = Arrays.copyOf(series, at + 1);
      series[at] = of;
      return at;
    }
  }

  SeriesTable(QueryExecution execution, SeriesSelector selector, SeriesSet found) {
    this.execution = execution;
    this.found = found;
    this.points = new EventPoints(selector.logLabels());
  }

  /// Adds the samples of an event, or of those that it stands for, to their series.
  void add(EventView event) {
    if (!(event instanceof EventRun run)) {
      add(event, points.show(event), event.timeNanos(), event.arrival());
      return;
    }
    Object key = run.key();
    KnownRun known = key == null ? null : runs.get(key);
    if (known != null) {
      add(run, known.series, known.whole);
      return;
    }
    EventPoints.Kind kind = points.show(run, 0);
    if (kind == EventPoints.Kind.SAMPLE) {
      KnownRun added = new KnownRun(entry().series[0], points.isWhole());
      if (key != null) {
        runs.put(key, added);
        execution.hold(RUN_BYTES);
      }
      add(run, added.series, added.whole);
      return;
    }
    for (int i = 0; i < run.size(); i++) {
      add(run, points.show(run, i), run.timeNanos(i), run.arrival(i));
    }
  }

  private void add(EventRun run, @Nullable SampledSeries series, boolean whole) {
    if (series != null) {
      found.add(series, run, whole);
    }
  }

  private void add(EventView event, EventPoints.Kind kind, long nanos, long arrival) {
    if (kind == EventPoints.Kind.NONE) {
      return;
    }
    Entry entry = entry();
    switch (kind) {
      case NONE -> {}
      case HISTOGRAM -> histogram(entry.series, nanos, arrival);
      case NATIVE -> {
        SampledSeries series = entry.series[0];
        byte[] message = series == null ? null : natives.of(event);
        if (series != null && message != null) {
          found.add(series, nanos, arrival, message);
        }
      }
      case FIELDS -> {
        for (int i = 0; i < points.fields(); i++) {
          SampledSeries series = ofField(entry, i);
          if (series != null) {
            found.add(series, nanos, arrival, points.fieldBits(i));
          }
        }
      }
      case SAMPLE, STALE -> {
        long bits = kind == EventPoints.Kind.STALE ? SampledSeries.STALE_BITS : points.valueBits();
        for (SampledSeries series : entry.series) {
          if (series != null) {
            found.add(series, nanos, arrival, bits);
          }
        }
      }
    }
  }

  /// Finds the series of an event, without its samples.
  void note(EventView event) {
    EventPoints.Kind kind = points.show(event);
    if (kind != EventPoints.Kind.NONE) {
      Entry entry = entry();
      for (int i = 0; kind == EventPoints.Kind.FIELDS && i < points.fields(); i++) {
        SampledSeries _ = ofField(entry, i);
      }
    }
  }

  /// The series of an event that a value belongs to: of a histogram, that of the least bucket that
  /// holds it. Null when it is not wanted.
  @Nullable SampledSeries seriesOf(EventView event, double value) {
    EventPoints.Kind kind = points.show(event);
    if (kind == EventPoints.Kind.NONE || kind == EventPoints.Kind.FIELDS) {
      return null;
    }
    @Nullable SampledSeries[] series = entry().series;
    if (kind != EventPoints.Kind.HISTOGRAM) {
      return series[0];
    }
    double[] bounds = NumberList.of(points.text(Role.BOUNDS));
    int bucket = 0;
    while (bucket < bounds.length && bounds[bucket] < value) {
      bucket++;
    }
    return series[Math.min(bucket, series.length - 1)];
  }

  /// The series of the event that was read, where they are wanted.
  private Entry entry() {
    points.key().show(keyValue);
    int number = keys.add(keyValue);
    if (number == entries.size()) {
      SortedMap<String, String> labels = labels(points.key());
      boolean ofFields = points.fields() > 0;
      entries.add(new Entry(labels, ofFields ? new SampledSeries[0] : seriesOfSample(labels)));
      long now = keys.bytes() + (long) ENTRY_BYTES * entries.size();
      long more = now - held;
      held = now;
      execution.hold(more);
    }
    return entries.get(number);
  }

  private @Nullable SampledSeries ofField(Entry entry, int index) {
    int field = points.field(index);
    int at = entry.find(field, index);
    if (at < 0) {
      String name = field == EventPoints.TYPE ? "" : points.name(field);
      String suffix = name.isEmpty() ? "" : "_" + name;
      SampledSeries series = wanted(entry.labels, suffix, "", "");
      if (series != null) {
        String of = name.isEmpty() ? "the type " : "the field %s of ".formatted(name);
        series.from(of + points.type(), points.form() == EventForm.NONE);
      }
      at = entry.add(field, series);
      execution.hold(FIELD_BYTES);
    }
    return entry.series[at];
  }

  private @Nullable SampledSeries[] seriesOfSample(SortedMap<String, String> labels) {
    if (!points.isHistogram()) {
      return new SampledSeries[] {ofType(wanted(labels, "", "", ""))};
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
    all.forEach(this::ofType);
    return all.toArray(new SampledSeries[0]);
  }

  private @Nullable SampledSeries ofType(@Nullable SampledSeries series) {
    if (series != null) {
      series.from("the type " + points.type(), false);
    }
    return series;
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
  /// @param made a further label; empty for none
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
    return found.of(Labels.of(all));
  }

  /// The labels that a key stands for, with their names as sent. An attribute counts before one of
  /// its name that remote write has renamed.
  private SortedMap<String, String> labels(KeyBytes key) {
    SortedMap<String, String> labels = new TreeMap<>();
    Map<String, Integer> ranks = new HashMap<>();
    String type = new String(key.text(0), StandardCharsets.UTF_8);
    boolean isOtlp = points.form() == EventForm.OTLP;
    boolean isCounter = false;
    String unit = "";
    for (int at = key.next(0); at < key.length(); at = key.next(at)) {
      if (key.number(at) == EventPoints.FORM) {
        isCounter |= EventPoints.isOtlpCounter(key.text(at));
        continue;
      }
      boolean isTagged = (key.number(at) & EventPoints.TAGGED) != 0;
      String name = points.name(key.number(at) & ~EventPoints.TAGGED);
      String value = text(key, at);
      Role role = Role.of(name);
      boolean own = points.isHistogram() && role.isOfHistograms();
      if (isOtlp && role == Role.UNIT) {
        unit = value;
      } else if (!own && !value.isEmpty()) {
        boolean renamed =
            name.startsWith(SeriesSelector.PREFIX) && key.kind(at) == AttributeKind.STRING;
        String sent =
            renamed
                ? name.substring(SeriesSelector.PREFIX.length())
                : isTagged ? name.substring(EventPoints.TAG.length()) : name;
        int rank = renamed ? 1 : 0;
        if (rank < ranks.getOrDefault(sent, Integer.MAX_VALUE)) {
          ranks.put(sent, rank);
          labels.put(sent, value);
        }
      }
    }
    if (isOtlp) {
      OtlpNames.translate(labels);
      type = OtlpNames.metric(type, unit, isCounter, !points.isHistogram());
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

  /// Adds the numbers of a histogram or summary; the series are in the order of [#seriesOfSample].
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
