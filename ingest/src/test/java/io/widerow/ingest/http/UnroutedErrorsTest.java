package io.widerow.ingest.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.ingest.Daemon;
import io.widerow.ingest.Http;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.config.DaemonConfig;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Goal: a request that no endpoint takes gets JSON with the error and the nearest endpoint.
/// Method: misspelt paths and wrong methods over HTTP.
class UnroutedErrorsTest {
  @Test
  void whatIsNearIsNamed() throws IOException, InterruptedException {
    DaemonConfig config =
        DaemonConfig.of(Map.of("data", "unused", "http", "127.0.0.1:0", "lanes", "1"));
    try (Daemon daemon = Daemon.start(config, new MemoryStore(1));
        Http http = new Http(daemon)) {
      Map<String, String> wrong =
          Map.of(
              "GET /v1/querry",
                  "404 {\"error\":\"no such endpoint: /v1/querry; did you mean /v1/query?\"}\n",
              "GET /v1/x/y/z/q?a=b", "404 {\"error\":\"no such endpoint: /v1/x/y/z/q\"}\n",
              "POST /v1/query",
                  "405 {\"error\":\"/v1/query: no endpoint for POST; it takes GET, HEAD\"}\n",
              "DELETE /v1/types",
                  "405 {\"error\":\"/v1/types: no endpoint for DELETE; it takes GET, HEAD\"}\n",
              "GET /nothing", "404 {\"error\":\"no such endpoint: /nothing\"}\n");
      for (Map.Entry<String, String> each : wrong.entrySet()) {
        String[] words = each.getKey().split(" ", 2);
        HttpResponse<String> response = http.send(words[0], words[1]);
        assertEquals(each.getValue(), response.statusCode() + " " + response.body());
        String type = response.headers().firstValue("content-type").orElse("");
        assertTrue(type.startsWith("application/json"), each + type);
      }
      assertEquals(404, http.send("HEAD", "/nothing").statusCode());
      assertEquals(200, http.send("HEAD", "/an-index", "user-agent", "Filebeat/8").statusCode());
    }
  }
}
