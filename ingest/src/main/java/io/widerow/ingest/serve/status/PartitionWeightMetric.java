package io.widerow.ingest.serve.status;

import io.widerow.event.PartitionWeights;
import io.widerow.query.TypeGlobs;
import io.widerow.storage.EventStore;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.embedded.PartitionCatalog;
import java.time.Duration;
import java.util.Locale;
import java.util.function.LongSupplier;

/// The metric `widerow_partition_weight`: a histogram of the weights of partitions, from the
/// catalog. It is computed again when it is a minute old.
///
/// - Threads: any.
final class PartitionWeightMetric {
  private static final String NAME = "widerow_partition_weight";
  private static final long FRESH_NANOS = Duration.ofMinutes(1).toNanos();
  private static final double[] LIMITS = {0.01, 0.05, 0.25, 0.5, 1, 2, 2.5, 5, 10};

  private final EventStore store;
  private final LongSupplier monotonicNanos;
  private String text = "";
  private long madeNanos;

  /// @param monotonicNanos a clock that only goes forward
  PartitionWeightMetric(EventStore store, LongSupplier monotonicNanos) {
    this.store = store;
    this.monotonicNanos = monotonicNanos;
  }

  /// Appends the lines of `/metrics`; none for a store on a cluster.
  void append(MetricText out) {
    if (store instanceof EmbeddedStore embedded) {
      out.text().append(fresh(embedded));
    }
  }

  private synchronized String fresh(EmbeddedStore embedded) {
    long now = monotonicNanos.getAsLong();
    if (text.isEmpty() || now - madeNanos >= FRESH_NANOS) {
      text = made(embedded);
      madeNanos = now;
    }
    return text;
  }

  private static String made(EmbeddedStore embedded) {
    PartitionWeights weights = embedded.layout().weights();
    long[] counts = new long[LIMITS.length];
    long count = 0;
    double sum = 0;
    for (PartitionCatalog.Entry entry :
        embedded.partitions().entries(TypeGlobs.ALL, Long.MIN_VALUE, Long.MAX_VALUE)) {
      double weight = weights.of(entry.events(), entry.restBytes());
      for (int i = 0; i < LIMITS.length; i++) {
        counts[i] += weight <= LIMITS[i] ? 1 : 0;
      }
      count++;
      sum += weight;
    }
    MetricText lines = new MetricText(new StringBuilder());
    lines.head(NAME, "histogram", "Partitions by weight; 0.5 to 2 is good.");
    for (int i = 0; i < LIMITS.length; i++) {
      lines.line(NAME + "_bucket{le=\"" + LIMITS[i] + "\"}", counts[i]);
    }
    lines.line(NAME + "_bucket{le=\"+Inf\"}", count);
    lines.line(NAME + "_sum", String.format(Locale.ROOT, "%.4f", sum));
    lines.line(NAME + "_count", count);
    return lines.text().toString();
  }
}
