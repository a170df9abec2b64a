package io.widerow.query.output;

/// The formats of an answer, by the names that `--output` takes.
public enum OutputFormat {
  table,
  json,
  csv,
  raw,
  logfmt
}
