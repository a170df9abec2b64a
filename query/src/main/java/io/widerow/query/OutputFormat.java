package io.widerow.query;

/// The formats of an answer, by the names that `--output` takes.
enum OutputFormat {
  table,
  json,
  csv,
  raw,
  logfmt
}
