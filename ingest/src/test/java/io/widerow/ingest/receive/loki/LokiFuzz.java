package io.widerow.ingest.receive.loki;

import static io.widerow.ingest.decode.ProtobufBytes.join;
import static io.widerow.ingest.decode.ProtobufBytes.message;
import static io.widerow.ingest.decode.ProtobufBytes.number;
import static io.widerow.ingest.receive.loki.LokiMessages.entry;
import static io.widerow.ingest.receive.loki.LokiMessages.stream;
import static io.widerow.ingest.receive.loki.LokiMessages.utf8;

import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.JsonScanner;
import io.widerow.ingest.decode.ProtobufReader;
import java.util.List;

/// Fuzz targets of Loki's push. A request that is refused as a whole may have decoded some of its
/// events, which are dropped with their batch; the reason names a byte.
public final class LokiFuzz {
  private LokiFuzz() {}

  public static List<byte[]> protobufSeeds() {
    byte[] bad = message(2, message(1, number(2, 2_000_000_000)));
    return List.of(
        stream(
            "{app=\"x\", \"na.me\"=`raw\\`,level=\"a\\n\\u00fc\\x41\\101\",}",
            entry(1_700_000_000_123_456_789L, "line", "trace", "4f", "app", "m"),
            bad,
            entry(0, new byte[] {'a', (byte) 0xe9})),
        message(1, join(entry(1, "late labels", "id", "7"), message(1, utf8("{type='t'}")))),
        join(stream("{app="), stream("{}", entry(5, "x"), number(3, 9)), number(2, 7)));
  }

  public static List<byte[]> jsonSeeds() {
    return List.of(
        utf8(
            "{\"streams\":[{\"stream\":{\"app\":\"x\",\"n\":1},\"values\":[[\"1700000000000000001\""
                + ",\"l\\u00e9\",{\"t\":\"4f\",\"o\":{\"a\":[1]}}],[5,\"m\"],[\"x\",\"y\"]]}]}"),
        utf8(
            "{\"streams\":[{\"entries\":[{\"line\":\"l\",\"ts\":\"2026-11-20T19:15:00.5Z\"}],"
                + "\"labels\":\"{app=\\\"\\u00fc\\\"}\"},{\"values\":null},7],\"x\":[{}]}"),
        utf8("{\"streams\":[{\"stream\":{\"id\":\"\\ud800\"},\"values\":[[0,\"\",null],[],{}]}]}"));
  }

  public static void protobuf(byte[] body, int limit, IncomingBatch batch) {
    try {
      new LokiProtobufDecoder(null, true).decode(body, limit, batch);
    } catch (ProtobufReader.Bad whole) {
      requireByte(whole.reason());
    }
  }

  public static void json(byte[] body, int limit, IncomingBatch batch) {
    try {
      new LokiJsonDecoder(null, true).decode(body, limit, batch);
    } catch (JsonScanner.Bad whole) {
      requireByte(String.valueOf(whole.getMessage()));
    }
  }

  private static void requireByte(String reason) {
    if (!reason.contains("at byte ")) {
      throw new AssertionError(reason);
    }
  }
}
