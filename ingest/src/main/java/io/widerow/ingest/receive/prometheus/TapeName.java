package io.widerow.ingest.receive.prometheus;

import io.widerow.ingest.decode.AttributeTape;
import java.nio.charset.StandardCharsets;

/// An attribute's name that is in no body: where it lies in the scratch of a tape.
record TapeName(int offset, int length) {
  static TapeName of(AttributeTape tape, String name) {
    return new TapeName(tape.constant(name.getBytes(StandardCharsets.US_ASCII)), name.length());
  }

  /// Adds it to its tape; a value must follow.
  void to(AttributeTape tape) {
    tape.name(true, offset, length);
  }
}
