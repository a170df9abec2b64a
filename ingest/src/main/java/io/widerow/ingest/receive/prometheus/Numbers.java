package io.widerow.ingest.receive.prometheus;

import io.widerow.ingest.decode.ProtobufReader;
import java.util.Arrays;

/// The numbers of one repeated field, packed or not: whole numbers, or the bits of doubles.
///
/// - Threads: one.
/// - Memory: keeps its array.
final class Numbers {
  private long[] values = new long[16];
  private int count;

  void clear() {
    count = 0;
  }

  int count() {
    return count;
  }

  long at(int i) {
    return values[i];
  }

  void add(long value) {
    if (count == values.length) {
      values = Arrays.copyOf(values, 2 * count);
    }
    values[count++] = value;
  }

  /// Adds the values of a `repeated uint32`.
  void addWholes(ProtobufReader reader) throws ProtobufReader.Bad {
    if (reader.wireType() != ProtobufReader.LENGTH) {
      add(reader.varint());
      return;
    }
    int outer = reader.enter();
    while (reader.hasMore()) {
      add(reader.packedVarint());
    }
    reader.leave(outer);
  }

  /// Adds the values of a `repeated sint64`.
  void addZigzags(ProtobufReader reader) throws ProtobufReader.Bad {
    int first = count;
    addWholes(reader);
    for (int i = first; i < count; i++) {
      values[i] = (values[i] >>> 1) ^ -(values[i] & 1);
    }
  }

  /// Adds the bits of a `repeated double`.
  void addFractions(ProtobufReader reader) throws ProtobufReader.Bad {
    if (reader.wireType() != ProtobufReader.LENGTH) {
      add(reader.fixed64());
      return;
    }
    int outer = reader.enter();
    while (reader.hasMore()) {
      add(reader.packedFixed64());
    }
    reader.leave(outer);
  }
}
