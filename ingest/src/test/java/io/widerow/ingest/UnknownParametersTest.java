package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a parameter that only a newer client knows is refused by name by each endpoint of this
/// API, and never ignored: a filter that has no effect would show, or change, too much. Method: all
/// routes of a running daemon with one more parameter.
class UnknownParametersTest {
  private static final String ID = "80e08f78-e85b-11f1-8080-8180808523ff";

  /// Endpoints of other protocols, with their own rules.
  private static final Set<String> OF_OTHERS =
      Set.of("/v1/input", "/v1/input/{token}", "/v1/logs", "/v1/metrics", "/v1/traces");

  /// Parameters that are required before any other is read.
  private static final Map<String, String> NAMED =
      Map.of("PUT /v1/alerts", "rule=r&", "PUT /v1/queries", "query=q&");

  @TempDir private Path directory = Path.of(".");

  @Test
  void eachEndpointOfThisApiRefusesThem() throws IOException, InterruptedException {
    Map<String, String> others = new TreeMap<>();
    Map<String, String> keys =
        Map.of(
            "lanes",
            "1",
            "backup",
            "file:" + directory.resolve("backup"),
            "cold",
            "file:" + directory.resolve("backup"));
    try (OperatedDaemon daemon = new OperatedDaemon(directory, keys)) {
      for (String endpoint : daemon.daemon.endpoints()) {
        String[] parts = endpoint.split(" ", -1);
        if (parts[1].startsWith("/v1/") && !OF_OTHERS.contains(parts[1])) {
          String path = parts[1].replaceAll("[:{][a-z]+}?", ID) + "?";
          path += NAMED.getOrDefault(endpoint, "") + "added=1";
          HttpResponse<String> answer = daemon.send(parts[0], path);
          if (answer.statusCode() != 400 || !answer.body().contains("added: no such parameter")) {
            others.put(endpoint, answer.statusCode() + " " + answer.body().strip());
          }
        }
      }
    }
    assertEquals(Map.of(), others);
  }
}
