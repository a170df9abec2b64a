package io.widerow.ingest.receive.json;

import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.Swar;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Decodes one line as the daemon would, for a trial: an object of JSON as of `POST /v1/events`,
/// any other line as the body of an event.
public final class SampleLine {
  private static final byte[] BODY = "body".getBytes(StandardCharsets.US_ASCII);

  private SampleLine() {}

  /// @param type of an event that names none
  /// @param line without a line feed
  public static void decode(String type, String line, IncomingBatch batch) {
    byte[] utf8 = line.getBytes(StandardCharsets.UTF_8);
    if (line.stripLeading().startsWith("{")) {
      byte[] slack = Arrays.copyOf(utf8, utf8.length + Swar.SLACK_BYTES);
      new JsonLinesDecoder(type).decode(slack, 0, utf8.length, batch);
      return;
    }
    byte[] name = type.getBytes(StandardCharsets.UTF_8);
    batch.events.begin(name, 0, name.length, batch.useArrivalTime());
    batch.events.putString(BODY, 0, BODY.length, utf8);
    boolean _ = batch.end();
  }
}
