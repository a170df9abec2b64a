package io.widerow.query.export;

import io.widerow.query.output.CsvWriter;
import io.widerow.query.output.EventWriter;
import io.widerow.query.output.JsonLinesWriter;
import io.widerow.query.parquet.ParquetWriter;

/// The formats of exports, by the names that `--format` takes. Each keeps all that was stored.
public enum ExportFormat {
  parquet("application/vnd.apache.parquet"),
  csv("text/csv; charset=utf-8"),
  ndjson("application/x-ndjson");

  public final String contentType;

  ExportFormat(String contentType) {
    this.contentType = contentType;
  }

  /// A writer of one file. The caller closes it.
  public EventWriter writer() {
    return switch (this) {
      case parquet -> new ParquetWriter();
      case csv -> CsvWriter.exact();
      case ndjson -> JsonLinesWriter.exact();
    };
  }

  /// Heap that a writer may take besides the buffer that it writes into.
  public long bytesMax() {
    return this == parquet ? ParquetWriter.BYTES_MAX : 0;
  }
}
