package io.widerow.ingest.receive.otlp;

import io.widerow.event.EventLayout;
import io.widerow.ingest.decode.ProtobufReader;
import java.util.Arrays;

/// The numbers of one repeated field, which may be packed or not, or both.
///
/// - Threads: one.
/// - Memory: keeps its array.
final class Numbers {
  /// Each is at least two bytes of the text that becomes an attribute.
  static final int COUNT_MAX = EventLayout.EVENT_BYTES_MAX / 2;

  private long[] bits = new long[16];
  private int count;

  void clear() {
    count = 0;
  }

  int count() {
    return count;
  }

  long bits(int i) {
    return bits[i];
  }

  private void add(ProtobufReader in, long next) throws ProtobufReader.Bad {
    if (count == COUNT_MAX) {
      throw in.bad("more numbers than fit into an event");
    }
    if (count == bits.length) {
      bits = Arrays.copyOf(bits, 2 * count);
    }
    bits[count++] = next;
  }

  /// Reads `fixed64`, `sfixed64` or `double`.
  void fixed64(ProtobufReader in) throws ProtobufReader.Bad {
    if (in.wireType() != ProtobufReader.LENGTH) {
      add(in, in.fixed64());
      return;
    }
    int outer = in.enter();
    while (in.hasMore()) {
      add(in, in.packedFixed64());
    }
    in.leave(outer);
  }

  /// Reads `uint64`.
  void varint(ProtobufReader in) throws ProtobufReader.Bad {
    if (in.wireType() != ProtobufReader.LENGTH) {
      add(in, in.varint());
      return;
    }
    int outer = in.enter();
    while (in.hasMore()) {
      add(in, in.packedVarint());
    }
    in.leave(outer);
  }
}
