package io.widerow.ingest.receive.splunk;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.widerow.ingest.decode.IncomingBatch;
import java.util.List;

/// Fuzz target of Splunk's collector.
public final class HecFuzz {
  private HecFuzz() {}

  public static List<byte[]> seeds() {
    return List.of(
        ("{\"time\":\"1767323045.5\",\"sourcetype\":\"a\",\"event\":\"x\"}"
                + "{\"event\":{\"msg\":\"y\\u00e9\"}}")
            .getBytes(UTF_8),
        "{\"event\":[1,{}],\"fields\":{\"a\":{\"b\":1}}} {\"event\":tru}".getBytes(UTF_8));
  }

  public static void decode(byte[] body, int limit, IncomingBatch batch) {
    new HecDecoder(null).decode(body, 0, limit, batch);
  }
}
