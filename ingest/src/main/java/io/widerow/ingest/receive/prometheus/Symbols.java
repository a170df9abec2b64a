package io.widerow.ingest.receive.prometheus;

import io.widerow.ingest.decode.ProtobufReader;
import java.util.Arrays;

/// The symbol table of a request of version 2.0: where each text lies in the body. The first one
/// must be empty.
///
/// - Threads: one.
/// - Memory: 8 bytes a symbol, up to [#COUNT_MAX].
final class Symbols {
  /// Senders have some thousands. The limit bounds what a body of empty symbols costs.
  static final int COUNT_MAX = 1 << 20;

  private int[] offsets = new int[64];
  private int[] lengths = new int[64];
  private int count;

  void clear() {
    count = 0;
  }

  /// Adds the text that is the value of the field whose tag was read last.
  void add(ProtobufReader reader) throws ProtobufReader.Bad {
    reader.text();
    if (count == 0 && reader.length() > 0) {
      throw reader.bad(
          "the first symbol must be empty, it has %d bytes".formatted(reader.length()));
    }
    if (count == COUNT_MAX) {
      throw reader.bad("more than %d symbols".formatted(COUNT_MAX));
    }
    if (count == offsets.length) {
      offsets = Arrays.copyOf(offsets, 2 * count);
      lengths = Arrays.copyOf(lengths, 2 * count);
    }
    offsets[count] = reader.offset();
    lengths[count++] = reader.length();
  }

  int count() {
    return count;
  }

  /// Checks a reference.
  ///
  /// @param seriesAt where the series with it begins
  /// @return the reference
  long known(long reference, int seriesAt) throws ProtobufReader.Bad {
    if (reference < 0 || reference >= count) {
      throw new ProtobufReader.Bad(
          "field 1: symbol %s of %d, at byte %d"
              .formatted(Long.toUnsignedString(reference), count, seriesAt));
    }
    return reference;
  }

  int offset(long reference) {
    return offsets[(int) reference];
  }

  int length(long reference) {
    return lengths[(int) reference];
  }
}
