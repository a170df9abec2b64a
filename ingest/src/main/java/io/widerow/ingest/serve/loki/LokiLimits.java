package io.widerow.ingest.serve.loki;

import io.widerow.ingest.config.DaemonConfig;
import io.widerow.query.QueryBudget;

/// The limits of this daemon under the names of Loki's limits, for Logs Drilldown.
final class LokiLimits {
  private LokiLimits() {}

  /// The limits as JSON.
  static String of(DaemonConfig config) {
    return """
    {"discover_log_levels":%b,"max_entries_limit_per_query":%d,"max_line_size":%d,\
    "max_query_series":%d,"query_timeout":"%ds","retention_period":"%ds",\
    "volume_enabled":true,"volume_max_series":%d}\
    """
        .formatted(
            config.lokiDetectsLevels(),
            LokiParameters.LIMIT_MAX,
            config.eventBytesMax(),
            config.lokiSeriesMax(),
            QueryBudget.DEFAULT.time().toSeconds(),
            config.store().retentionSeconds(),
            config.lokiSeriesMax());
  }
}
