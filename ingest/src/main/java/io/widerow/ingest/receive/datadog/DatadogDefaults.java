package io.widerow.ingest.receive.datadog;

import com.linecorp.armeria.common.QueryParams;

/// Defaults from the parameters of a request, for events without these members; empty where there
/// is none. Tags are given to all.
///
/// @param service their service
/// @param source their `ddsource`
/// @param host their host, `hostname`
/// @param tags their `ddtags`
record DatadogDefaults(String service, String source, String host, String tags) {
  static final DatadogDefaults NOTHING = of(QueryParams.of());

  static DatadogDefaults of(QueryParams parameters) {
    return new DatadogDefaults(
        parameters.get("service", ""),
        parameters.get("ddsource", ""),
        parameters.get("hostname", ""),
        parameters.get("ddtags", ""));
  }
}
