package io.widerow.ingest.serve.status;

/// Appends metrics that the registry does not have, in the text format of Prometheus.
///
/// - Threads: one.
record MetricText(StringBuilder text) {
  /// Begins a metric.
  ///
  /// @param type `gauge`, `counter` or `histogram`
  /// @param help a sentence for the operator; empty for none
  void head(String name, String type, String help) {
    if (!help.isEmpty()) {
      text.append("# HELP ").append(name).append(' ').append(help).append('\n');
    }
    text.append("# TYPE ").append(name).append(' ').append(type).append('\n');
  }

  /// The value of a time series.
  ///
  /// @param series the name of the metric, with labels in braces if it has any, quoted by [#quoted]
  /// @param value a number, or its text
  void line(String series, Object value) {
    text.append(series).append(' ').append(value).append('\n');
  }

  /// A gauge of one time series without labels.
  void gauge(String name, String help, Object value) {
    head(name, "gauge", help);
    line(name, value);
  }

  /// A counter of one time series without labels.
  ///
  /// @param name ends with `_total`
  void counter(String name, String help, Object value) {
    head(name, "counter", help);
    line(name, value);
  }

  /// The value of a label, in quotes.
  static String quoted(String value) {
    return '"' + value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
  }
}
