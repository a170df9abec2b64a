package io.widerow.ingest.serve.prometheus;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A generated series: counters with resets, gauges, histograms; with gaps, ends and beginnings.
///
/// @param labels `__name__` among them
/// @param values by step; null where there is no sample
record PromqlSeries(Map<String, String> labels, List<@Nullable Double> values) {
  private static final int STEPS = 100;

  /// Counters begin and restart below zero: the time at which a counter was zero limits its rate,
  /// in another way since Prometheus 3.
  private static final double FAR = -1_000_000;

  private static final List<String> BOUNDS = List.of("0.1", "0.5", "1", "5", "+Inf");

  @Nullable Double at(int step) {
    return values.get(step);
  }

  /// Some series of each kind.
  static List<PromqlSeries> generated(SplittableRandom random) {
    List<PromqlSeries> all = new ArrayList<>();
    for (String job : List.of("api", "web", "db")) {
      for (int instance = 0; instance < 3; instance++) {
        Map<String, String> labels = new TreeMap<>();
        labels.put("job", job);
        labels.put("instance", "i" + instance);
        for (String code : List.of("200", "404", "500")) {
          all.add(counter(with(labels, "__name__", "requests_total", "code", code), random));
        }
        all.add(gauge(with(labels, "__name__", "memory", "type", "heap"), random));
        all.add(gauge(with(labels, "__name__", "up"), random));
        all.addAll(histogram(labels, random));
      }
    }
    return all;
  }

  private static Map<String, String> with(Map<String, String> labels, String... more) {
    Map<String, String> all = new TreeMap<>(labels);
    for (int i = 0; i < more.length; i += 2) {
      all.put(more[i], more[i + 1]);
    }
    return all;
  }

  private static PromqlSeries counter(Map<String, String> labels, SplittableRandom random) {
    List<@Nullable Double> values = new ArrayList<>();
    double sum = FAR + random.nextInt(1_000);
    for (int i = 0; i < STEPS; i++) {
      sum = random.nextInt(60) == 0 ? FAR : sum + random.nextInt(20);
      values.add(sum);
    }
    return new PromqlSeries(labels, interrupted(values, random));
  }

  private static PromqlSeries gauge(Map<String, String> labels, SplittableRandom random) {
    List<@Nullable Double> values = new ArrayList<>();
    for (int i = 0; i < STEPS; i++) {
      values.add(random.nextInt(80) == 0 ? Double.NaN : random.nextDouble(-50, 100));
    }
    return new PromqlSeries(labels, interrupted(values, random));
  }

  private static List<PromqlSeries> histogram(Map<String, String> labels, SplittableRandom random) {
    double[] counts = new double[BOUNDS.size()];
    Arrays.fill(counts, FAR);
    List<List<@Nullable Double>> values = new ArrayList<>();
    BOUNDS.forEach(_ -> values.add(new ArrayList<>()));
    for (int i = 0; i < STEPS; i++) {
      double below = 0;
      for (int bucket = 0; bucket < counts.length; bucket++) {
        counts[bucket] += random.nextInt(8);
        below += counts[bucket];
        values.get(bucket).add(below);
      }
    }
    List<PromqlSeries> all = new ArrayList<>();
    for (int bucket = 0; bucket < counts.length; bucket++) {
      Map<String, String> of = with(labels, "__name__", "latency_bucket", "le", BOUNDS.get(bucket));
      all.add(new PromqlSeries(of, values.get(bucket)));
    }
    all.add(new PromqlSeries(with(labels, "__name__", "latency_count"), values.getLast()));
    return all;
  }

  /// Takes samples out: single ones, and whole times of which the first may be a stale marker.
  private static List<@Nullable Double> interrupted(
      List<@Nullable Double> values, SplittableRandom random) {
    int away = 0;
    boolean late = random.nextInt(5) == 0;
    for (int i = 0; i < STEPS; i++) {
      if (late && i < 30) {
        values.set(i, null);
      } else if (away > 0) {
        away--;
        values.set(i, null);
      } else if (random.nextInt(40) == 0) {
        away = random.nextInt(20);
        values.set(
            i, random.nextInt(3) > 0 && i > 0 ? Double.longBitsToDouble(RemoteRead.STALE) : null);
      }
    }
    return values;
  }
}
