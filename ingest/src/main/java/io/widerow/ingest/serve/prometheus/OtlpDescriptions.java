package io.widerow.ingest.serve.prometheus;

import io.widerow.ingest.series.MetricDescription;
import io.widerow.ingest.series.StoredDescriptions;
import io.widerow.query.QueryBudget;
import io.widerow.query.QueryExecution;
import io.widerow.query.QueryMemory;
import io.widerow.query.series.OtlpMetrics;
import io.widerow.storage.EventStore;
import io.widerow.storage.StoreView;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/// Type, help and unit of the metrics of OTLP, which each data point in the store has.
///
/// - Threads: any that may wait.
///
/// @param memory that all queries share
public record OtlpDescriptions(EventStore store, QueryMemory memory) implements StoredDescriptions {
  @Override
  public Map<String, MetricDescription> of(String metric) {
    Map<String, MetricDescription> all = new TreeMap<>();
    try (StoreView view = store.view();
        QueryExecution execution = new QueryExecution(view, QueryBudget.DEFAULT, memory)) {
      for (OtlpMetrics.Described each : OtlpMetrics.read(execution, metric)) {
        all.put(
            each.name(),
            new MetricDescription(
                MetricDescription.Type.valueOf(each.type().toUpperCase(Locale.ROOT)),
                each.help(),
                each.unit()));
      }
    }
    return all;
  }
}
