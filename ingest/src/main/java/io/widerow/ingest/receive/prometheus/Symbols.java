package io.widerow.ingest.receive.prometheus;

import io.widerow.ingest.decode.ProtobufReader;
import java.util.Arrays;

/// The symbol table of a request of version 2.0: where each text lies in the body. The first one
/// must be empty.
///
/// - Threads: one.
/// - Memory: 8 bytes a symbol, up to [#COUNT_MAX].
final class Symbols {
  static final int FIELD = 4; // of a request

  /// Senders have some thousands. The limit bounds what a body of empty symbols costs.
  static final int COUNT_MAX = 1 << 20;

  private long[] spots = new long[64]; // offset, length
  private int count;

  /// Reads the symbols of the request that the reader is at, to its end.
  void read(ProtobufReader reader) throws ProtobufReader.Bad {
    count = 0;
    while (reader.next()) {
      if (reader.field() == FIELD) {
        add(reader);
      } else {
        reader.skip();
      }
    }
  }

  private void add(ProtobufReader reader) throws ProtobufReader.Bad {
    reader.text();
    if (count == 0 && reader.length() > 0) {
      throw reader.bad(
          "the first symbol must be empty, it has %d bytes".formatted(reader.length()));
    }
    if (count == COUNT_MAX) {
      throw reader.bad("more than %d symbols".formatted(COUNT_MAX));
    }
    if (count == spots.length) {
      spots = Arrays.copyOf(spots, 2 * count);
    }
    spots[count++] = ((long) reader.offset() << Integer.SIZE) | reader.length();
  }

  /// Finds a symbol.
  ///
  /// @param seriesAt where the series with the reference begins
  /// @return for [#offset] and [#length]
  long spot(long reference, int seriesAt) throws ProtobufReader.Bad {
    if (reference < 0 || reference >= count) {
      throw new ProtobufReader.Bad(
          "field 1: symbol %s of %d, at byte %d"
              .formatted(Long.toUnsignedString(reference), count, seriesAt));
    }
    return spots[(int) reference];
  }

  /// Where a symbol lies in the body.
  static int offset(long spot) {
    return (int) (spot >>> Integer.SIZE);
  }

  /// Its number of bytes.
  static int length(long spot) {
    return (int) spot;
  }
}
