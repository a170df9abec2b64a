package io.widerow.ingest.receive.influx;

/// Why a line of line protocol is refused.
final class BadLine extends Exception {
  private static final long serialVersionUID = 1L;

  BadLine(String reason) {
    super(reason, null, false, false);
  }
}
