package io.widerow.ingest.decode;

import io.widerow.event.EventLayout;
import java.util.Arrays;

/// The numbers of one repeated field, packed or not: whole numbers, or the bits of doubles.
///
/// - Threads: one.
/// - Memory: keeps its array, of up to 4 MiB.
public final class RepeatedNumbers {
  /// No event can hold more of them, as each takes two characters of JSON.
  public static final int COUNT_MAX = EventLayout.EVENT_BYTES_MAX / 2;

  private long[] values = new long[16];
  private int count;

  public void clear() {
    count = 0;
  }

  public int count() {
    return count;
  }

  public long at(int i) {
    return values[i];
  }

  public void replace(int i, long value) {
    values[i] = value;
  }

  /// @param reader of the value
  /// @throws ProtobufReader.Bad when there are too many
  public void add(long value, ProtobufReader reader) throws ProtobufReader.Bad {
    if (count == COUNT_MAX) {
      throw reader.bad("more numbers than fit into an event");
    }
    if (count == values.length) {
      values = Arrays.copyOf(values, 2 * count);
    }
    values[count++] = value;
  }

  /// Adds the values of a repeated varint, such as `uint32` or `uint64`.
  public void addWholes(ProtobufReader reader) throws ProtobufReader.Bad {
    if (reader.wireType() != ProtobufReader.LENGTH) {
      add(reader.varint(), reader);
      return;
    }
    int outer = reader.enter();
    while (reader.hasMore()) {
      add(reader.packedVarint(), reader);
    }
    reader.leave(outer);
  }

  /// Adds the values of a `repeated sint64`.
  public void addZigzags(ProtobufReader reader) throws ProtobufReader.Bad {
    int first = count;
    addWholes(reader);
    for (int i = first; i < count; i++) {
      values[i] = (values[i] >>> 1) ^ -(values[i] & 1);
    }
  }

  /// Adds the bits of a repeated `double`, `fixed64` or `sfixed64`.
  public void addFractions(ProtobufReader reader) throws ProtobufReader.Bad {
    if (reader.wireType() != ProtobufReader.LENGTH) {
      add(reader.fixed64(), reader);
      return;
    }
    int outer = reader.enter();
    while (reader.hasMore()) {
      add(reader.packedFixed64(), reader);
    }
    reader.leave(outer);
  }
}
