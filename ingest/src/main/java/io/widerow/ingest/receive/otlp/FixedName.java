package io.widerow.ingest.receive.otlp;

import io.widerow.ingest.decode.AttributeTape;
import java.nio.charset.StandardCharsets;

/// A name, or a text, that the mapping itself gives: it lies in the scratch of a tape.
record FixedName(int offset, int length) {
  static FixedName of(AttributeTape tape, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return new FixedName(tape.constant(bytes), bytes.length);
  }

  static FixedName[] all(AttributeTape tape, String... texts) {
    FixedName[] all = new FixedName[texts.length];
    for (int i = 0; i < texts.length; i++) {
      all[i] = of(tape, texts[i]);
    }
    return all;
  }

  /// Names the next attribute.
  void name(AttributeTape tape) {
    tape.name(true, offset, length);
  }

  /// Is the value of the attribute that was named.
  void value(AttributeTape tape) {
    tape.string(true, offset, length);
  }
}
