package io.widerow.ingest.receive.datadog;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.http.RequestRefused;
import java.util.List;

/// Fuzz target of Datadog's logs.
public final class DatadogFuzz {
  private DatadogFuzz() {}

  public static List<byte[]> seeds() {
    return List.of(
        "[{\"message\":\"x\",\"ddtags\":\"env:a,b\",\"service\":\"s\",\"timestamp\":1767323045123}]"
            .getBytes(UTF_8),
        "{\"message\":{\"message\":\"y\",\"a\":{\"b\":1}},\"hostname\":\"h\",\"date\":\"5.5\"}"
            .getBytes(UTF_8));
  }

  public static void decode(byte[] body, int limit, IncomingBatch batch) {
    try {
      new DatadogDecoder(null, "", DatadogDefaults.NOTHING).decode(body, 0, limit, batch);
    } catch (RequestRefused told) {
      if (told.status().code() != 400) {
        throw new AssertionError(told);
      }
    }
  }
}
