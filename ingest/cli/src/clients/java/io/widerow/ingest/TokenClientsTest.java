package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Goal: what clients of Splunk, Datadog and InfluxDB 3 send with a token is stored once and
/// unchanged. Method: their makers' clients for Node against a daemon with tokens.
@Tag("process")
class TokenClientsTest extends ClientDaemon {
  private static final List<Integer> HUNDRED = IntStream.range(0, 100).boxed().toList();

  @Override
  boolean guarded() {
    return true;
  }

  @Test
  void splunkLogging() throws IOException, InterruptedException {
    String said = node("splunk-logging.mjs", url(), SECRET);
    assertEquals("{\"text\":\"Success\",\"code\":0}\n".repeat(3), said);
    List<String> lines = stored("type=httpevent");
    assertEquals(60, lines.size());
    assertEquals(
        "{\"ts\":\"2026-01-02T03:04:05.000000000Z\",\"type\":\"httpevent\",\"host\":\"h1\","
            + "\"index\":\"main\",\"message.message\":\"event 0\",\"message.n\":0,"
            + "\"message.user.id\":7,\"severity\":\"warn\",\"source\":\"app.log\"}",
        without(lines.getFirst(), "id"));
    assertTrue(lines.getLast().contains("\"message.n\":59,"), lines.getLast());
  }

  @Test
  void datadogApiClient() throws IOException, InterruptedException {
    assertEquals("{}\n".repeat(4), node("datadog.mjs", url(), SECRET));
    List<String> lines = stored("type=payment");
    assertEquals(HUNDRED, numbers(lines));
    assertEquals(
        "{\"ts\":\"2026-01-02T03:04:05.000000000Z\",\"type\":\"payment\",\"body\":\"event 0\","
            + "\"canary\":\"\",\"ddsource\":\"nginx\",\"env\":\"test\",\"host\":\"i-1\","
            + "\"n\":\"0\",\"site\":\"one\",\"team\":\"a\"}",
        without(lines.getFirst(), "id"));
  }

  @Test
  void influxdb3Client() throws IOException, InterruptedException {
    String said = node("influxdb3.mjs", url(), SECRET);
    assertTrue(said.contains("line 2: missing field value (half n= 5)"), said);
    for (String type : List.of("plain", "packed", "unsynced", "tagged")) {
      List<String> lines = awaitStored(100, "type=" + type);
      assertEquals(HUNDRED, numbers(lines), type);
      String tag = type.equals("tagged") ? "\"env\":\"test\"," : "";
      assertEquals(
          "{\"ts\":\"2026-01-02T03:04:05.000000000Z\",\"type\":\""
              + type
              + "\","
              + tag
              + "\"host\":\"a b,c=d\",\"n\":0,\"note\":\"say \\\"hi\\\" \\\\ there\","
              + "\"ratio\":0.25,\"up\":true}",
          without(lines.getFirst(), "id"));
    }
    assertEquals(2, stored("type=lines").size());
    assertEquals(1, awaitStored(1, "type=half").size());
  }
}
