package io.widerow.ingest.receive.loki;

import static io.widerow.ingest.decode.ProtobufBytes.join;
import static io.widerow.ingest.decode.ProtobufBytes.message;
import static io.widerow.ingest.decode.ProtobufBytes.number;
import static io.widerow.ingest.decode.ProtobufBytes.varint;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

/// Writes push requests field by field, as `push.proto` has them.
final class LokiMessages {
  private static final long NANOS_PER_SECOND = 1_000_000_000;
  private static final int LITERAL_BYTES_MAX = 60;

  private LokiMessages() {}

  static byte[] utf8(String text) {
    return text.getBytes(UTF_8);
  }

  /// @param metadata names and values
  static byte[] entry(long nanos, byte[] line, String... metadata) {
    List<byte[]> parts = new ArrayList<>();
    parts.add(
        message(1, join(number(1, nanos / NANOS_PER_SECOND), number(2, nanos % NANOS_PER_SECOND))));
    parts.add(message(2, line));
    for (int i = 0; i < metadata.length; i += 2) {
      parts.add(message(3, join(message(1, utf8(metadata[i])), message(2, utf8(metadata[i + 1])))));
    }
    return message(2, join(parts.toArray(byte[][]::new)));
  }

  static byte[] entry(long nanos, String line, String... metadata) {
    return entry(nanos, utf8(line), metadata);
  }

  static byte[] stream(String labels, byte[]... entries) {
    return stream(utf8(labels), entries);
  }

  static byte[] stream(byte[] labels, byte[]... entries) {
    return message(1, join(message(1, labels), join(entries)));
  }

  /// A block of snappy that is all literals.
  static byte[] snappy(byte[] plain) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(varint(plain.length));
    for (int at = 0; at < plain.length; at += LITERAL_BYTES_MAX) {
      int length = Math.min(LITERAL_BYTES_MAX, plain.length - at);
      out.write((length - 1) << 2);
      out.write(plain, at, length);
    }
    return out.toByteArray();
  }
}
