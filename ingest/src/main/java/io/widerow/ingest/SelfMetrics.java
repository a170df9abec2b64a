package io.widerow.ingest;

import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.SampleEvents;
import io.widerow.ingest.lane.BatchOutcome;
import io.widerow.ingest.lane.Lanes;
import io.widerow.storage.Durability;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;

/// Stores the metrics of the daemon as the samples that a Prometheus would scrape: with `job` and
/// `instance`, and the series `up`. Events of senders come first: one set of samples is written at
/// a time, and a lane that has no room for them takes the next ones.
///
/// - Threads: one calls [#store].
final class SelfMetrics {
  private static final Logger LOG = Logger.getLogger("widerow");
  private static final String JOB = "widerow";
  private static final long NANOS_PER_MILLISECOND = 1_000_000;

  private final Lanes lanes;
  private final Supplier<String> metrics;
  private final String instance;
  private final LongSupplier epochNanos;
  private final SampleEvents samples = new SampleEvents();
  private final Set<String> names = new HashSet<>(Set.of("up")); // of metrics
  private final AtomicBoolean writing = new AtomicBoolean();

  /// @param metrics their text, in the format of Prometheus
  /// @param instance where the daemon listens
  SelfMetrics(Lanes lanes, Supplier<String> metrics, String instance, LongSupplier epochNanos) {
    this.lanes = lanes;
    this.metrics = metrics;
    this.instance = instance;
    this.epochNanos = epochNanos;
  }

  /// Stores the values of now, unless the former ones are still on their way.
  void store() {
    if (!writing.compareAndSet(false, true)) {
      return;
    }
    long now = epochNanos.getAsLong();
    IncomingBatch batch = lanes.begin(now);
    try {
      fill(batch, now / NANOS_PER_MILLISECOND);
    } catch (RuntimeException wrong) {
      lanes.drop(batch);
      writing.set(false);
      throw wrong;
    }
    lanes.write(
        batch,
        null,
        Durability.OS,
        outcome -> {
          writing.set(false);
          if (outcome instanceof BatchOutcome.Failed(String why)) {
            LOG.log(Level.WARNING, "the metrics of the daemon are not stored: {0}", why);
          }
        });
  }

  private void fill(IncomingBatch batch, long millis) {
    boolean _ = batch.takeRules(); // transforms and limits of types are for the events of senders
    for (String line : metrics.get().split("\n", -1)) {
      if (!line.isEmpty() && line.charAt(0) != '#') {
        add(batch, line, millis);
      }
    }
    samples.sample(batch, "up", labels(new TreeMap<>()), millis, 1);
  }

  private Map<String, String> labels(Map<String, String> own) {
    own.put("job", JOB);
    own.put("instance", instance);
    return own;
  }

  /// Adds a line: `NAME VALUE` or `NAME{LABEL="TEXT",...} VALUE`.
  private void add(IncomingBatch batch, String line, long millis) {
    int brace = line.indexOf('{');
    int end = line.lastIndexOf('}');
    Map<String, String> labels = new TreeMap<>();
    int at = brace < 0 ? end : brace + 1;
    while (at < end) {
      int equals = line.indexOf('=', at);
      String name = line.substring(at, equals);
      StringBuilder text = new StringBuilder();
      at = equals + 2; // behind the quote
      while (line.charAt(at) != '"') {
        boolean isEscaped = line.charAt(at) == '\\';
        at += isEscaped ? 1 : 0;
        text.append(isEscaped && line.charAt(at) == 'n' ? '\n' : line.charAt(at));
        at++;
      }
      labels.put(name, text.toString());
      at += 2; // behind the comma
    }
    if (names.contains(labels.getOrDefault("type", ""))) {
      return; // the layout of these samples themselves, for each of them
    }
    String metric = line.substring(0, brace >= 0 ? brace : line.indexOf(' '));
    String value = line.substring(Math.max(end, metric.length()) + 1).strip();
    boolean _ = names.add(metric);
    samples.sample(batch, metric, labels(labels), millis, number(value));
  }

  private static double number(String text) {
    return switch (text) {
      case "+Inf" -> Double.POSITIVE_INFINITY;
      case "-Inf" -> Double.NEGATIVE_INFINITY;
      default -> Double.parseDouble(text);
    };
  }
}
