package io.widerow.ingest.series;

import java.util.Map;

/// The descriptions of metrics that their data points carry, as those of OTLP do.
///
/// - Threads: any that may wait.
@FunctionalInterface
public interface StoredDescriptions {
  /// Descriptions by the name of the metric.
  ///
  /// @param metric one name only; empty for all
  Map<String, MetricDescription> of(String metric);
}
