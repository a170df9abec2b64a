package io.widerow.ingest.decode;

import java.util.Arrays;
import java.util.List;

/// Any bytes are read as a message of messages, or refused with a field and a byte; never is
/// anything read beyond them.
public final class ProtobufFuzz {
  private static final int DEPTH_MAX = 8;

  private ProtobufFuzz() {}

  public static List<byte[]> seeds() {
    return List.of(
        new byte[] {0x08, 0x01, 0x12, 0x02, 0x08, 0x05, 0x19, 1, 2, 3, 4, 5, 6, 7, 8},
        new byte[] {0x25, 1, 2, 3, 4, 0x0b, 0x08, 0x01, 0x0c, 0x12, 0x00},
        new byte[] {(byte) 0x82, 0x01, 0x01, 'a', 0x08, -1, -1, -1, -1, -1, -1, -1, -1, -1, 1});
  }

  public static void read(byte[] input) {
    ProtobufReader reader = new ProtobufReader();
    byte[] padded = Arrays.copyOf(input, input.length + Swar.SLACK_BYTES);
    reader.begin(padded, 0, input.length);
    try {
      message(reader, 0);
      if (reader.at() != input.length) {
        throw new AssertionError("ended at " + reader.at());
      }
    } catch (ProtobufReader.Bad bad) {
      if (!bad.reason().contains("at byte ")) {
        throw new AssertionError(bad);
      }
    }
  }

  private static void message(ProtobufReader reader, int depth) throws ProtobufReader.Bad {
    int at = reader.at();
    while (reader.next()) {
      if (reader.at() <= at) {
        throw new AssertionError("no progress at " + at);
      }
      at = reader.at();
      if (reader.wireType() == ProtobufReader.LENGTH && depth < DEPTH_MAX) {
        int outer = reader.enter();
        int end = reader.limit();
        try {
          message(reader, depth + 1);
          reader.leave(outer);
        } catch (ProtobufReader.Bad text) { // it need not be a message
          reader.resume(end, outer);
        }
      } else {
        reader.skip();
      }
      if (reader.at() > reader.limit()) {
        throw new AssertionError("read beyond the message");
      }
    }
  }
}
