package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.faults.RawHttp;
import io.widerow.ingest.config.DaemonConfig;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a web page of another site cannot start work in a daemon through a browser, nor read from
/// it. Method: every route that the daemon has, except probes and the files of the page, with each
/// form in which browsers announce another site, and with each form in which they announce none.
@Timeout(300)
class CrossSiteTest {
  /// Probes and files, which compute nothing.
  private static final List<String> OPEN =
      List.of(
          "GET /",
          "GET /health",
          "GET /ping",
          "GET /ready",
          "GET /services/collector/health",
          "GET /services/collector/health/1.0",
          "GET /ui",
          "GET /ui/*");

  @TempDir private Path directory = Path.of(".");

  private DaemonConfig config(String hosts) {
    String data = directory.resolve("store").toString();
    return DaemonConfig.of(
        Map.of(
            "data",
            data,
            "http",
            "127.0.0.1:0",
            "disk-reserve-bytes",
            "0",
            "hosts",
            hosts,
            "lanes",
            "1"));
  }

  @Test
  void everyRouteRefusesOtherSites() throws IOException, InterruptedException {
    try (Daemon daemon = Daemon.start(config(""), new MemoryStore(1));
        Http http = new Http(daemon)) {
      List<List<String>> foreign =
          List.of(
              List.of("sec-fetch-site", "cross-site", "sec-fetch-dest", "image"),
              List.of("sec-fetch-site", "cross-site", "sec-fetch-mode", "navigate"),
              List.of("sec-fetch-site", "same-site"),
              List.of("sec-fetch-site", "unknown"),
              List.of("origin", "https://elsewhere.example"),
              List.of("origin", "null"),
              List.of("origin", ""),
              List.of("origin", "http://127.0.0.1:1"));
      List<String> served = new ArrayList<>();
      for (String endpoint : daemon.endpoints()) {
        String method = endpoint.substring(0, endpoint.indexOf(' '));
        String path = endpoint.substring(endpoint.indexOf(' ') + 1).replaceAll("\\{[^}]*}", "x");
        for (List<String> headers : foreign) {
          HttpResponse<String> response = http.send(method, path, headers.toArray(String[]::new));
          boolean refusedByGrpc =
              response.headers().firstValue("grpc-status").equals(Optional.of("7"));
          if (response.statusCode() != 403 && !refusedByGrpc) {
            served.add(endpoint);
          }
        }
      }
      assertEquals(OPEN, served.stream().distinct().sorted().toList());
    }
  }

  @Test
  void programsAndTheDaemonsOwnPageAreServed() throws IOException, InterruptedException {
    try (Daemon daemon = Daemon.start(config("logs.example"), new MemoryStore(1));
        Http http = new Http(daemon)) {
      String own = "http://127.0.0.1:" + daemon.httpAddress().getPort();
      List<List<String>> near =
          List.of(
              List.of(),
              List.of("sec-fetch-site", "none"),
              List.of("sec-fetch-site", "same-origin"),
              List.of("sec-fetch-site", "same-origin", "origin", own),
              List.of("origin", own),
              List.of("origin", "https://logs.example"));
      for (List<String> headers : near) {
        HttpResponse<String> response =
            headers.isEmpty()
                ? http.get("/v1/query?limit=x")
                : http.get("/v1/query?limit=x", headers.toArray(String[]::new));
        assertEquals(400, response.statusCode(), headers + response.body());
        assertEquals(
            "same-origin",
            response.headers().firstValue("cross-origin-resource-policy").orElse("none"));
      }
    }
  }

  @Test
  void oneHostIsNamed() throws IOException {
    try (Daemon daemon = Daemon.start(config(""), new MemoryStore(1))) {
      String local = "host: 127.0.0.1\r\n";
      String elsewhere = "host: elsewhere.example\r\n";
      Map<String, Integer> heads =
          Map.of(
              local,
              200,
              local + local,
              400,
              local + elsewhere,
              400,
              elsewhere + local,
              400,
              "host: 127.0.0.1, elsewhere.example\r\n",
              403,
              "host: a@127.0.0.1\r\n",
              403,
              "host:\r\n",
              403,
              elsewhere,
              403,
              "",
              403);
      for (Map.Entry<String, Integer> head : heads.entrySet()) {
        for (String path : List.of("/ready", "/v1/self")) {
          try (RawHttp raw = new RawHttp(daemon.httpAddress().getPort())) {
            raw.send("GET " + path + " HTTP/1.1\r\n" + head.getKey() + "connection: close\r\n");
            assertEquals(head.getValue(), raw.send("\r\n").status(), path + " " + head.getKey());
          }
        }
      }
    }
  }
}
