package io.widerow.ingest.receive.fluent;

import io.widerow.ingest.socket.StreamDecoder;

/// Finds the end of one message in a stream, and where its elements begin. It looks at sizes before
/// the bytes are there, and continues where it stopped when more of them have arrived.
///
/// - Threads: one.
final class FluentFrame {
  /// Of a PING; all others have fewer.
  private static final int ELEMENTS_MAX = 6;

  private final MsgpackReader reader = new MsgpackReader();
  private final int[] starts = new int[ELEMENTS_MAX];
  private int count; // 0 before the head is read
  private int begun; // elements whose start is known
  private long left; // values of the last of these that are not read
  private int scanned; // bytes
  private String reason = "";
  private boolean tooLarge;

  /// Looks for the message at `offset`.
  ///
  /// @param bytesMax of a message
  /// @return where it ends, [StreamDecoder#MORE] or [StreamDecoder#BROKEN]
  int find(byte[] bytes, int offset, int limit, int bytesMax) {
    reader.show(bytes, offset + scanned, limit, offset);
    try {
      if (count == 0 && !head()) {
        return StreamDecoder.MORE;
      }
      while (left > 0 || begun < count) {
        if (left == 0) {
          starts[begun++] = reader.at - offset;
          left = 1;
        }
        boolean whole = reader.tryNext();
        long announced = whole ? left - 1 + reader.children() : left - 1 + reader.length;
        tooLarge = reader.at - offset + announced > bytesMax;
        if (tooLarge) {
          throw reader.bad("the message is larger than %d bytes: a value".formatted(bytesMax));
        }
        if (!whole) {
          scanned = reader.at - offset;
          return StreamDecoder.MORE;
        }
        left = announced;
      }
    } catch (MsgpackReader.Bad bad) {
      reason = String.valueOf(bad.getMessage());
      return StreamDecoder.BROKEN;
    }
    return reader.at;
  }

  private boolean head() throws MsgpackReader.Bad {
    if (!reader.tryNext()) {
      return false;
    }
    if (reader.kind != MsgpackReader.Kind.LIST) {
      throw reader.bad("no message of Fluent Forward, but %s".formatted(reader.kind));
    }
    if (reader.length < 2 || reader.length > ELEMENTS_MAX) {
      throw reader.bad("a message of %d elements".formatted(reader.length));
    }
    count = (int) reader.length;
    return true;
  }

  /// Why it is [StreamDecoder#BROKEN].
  String reason() {
    return reason;
  }

  /// Whether it is [StreamDecoder#BROKEN] for its size alone.
  boolean isTooLarge() {
    return tooLarge;
  }

  int count() {
    return count;
  }

  /// Where an element begins, counted from the begin of the message.
  int start(int element) {
    return starts[element];
  }

  /// The next message is another one.
  void forget() {
    count = 0;
    begun = 0;
    left = 0;
    scanned = 0;
    tooLarge = false;
  }
}
