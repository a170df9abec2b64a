package io.widerow.query.output;

/// The formats of a result, by the names that `--output` takes.
public enum OutputFormat {
  table,
  json,
  csv,
  raw,
  logfmt
}
