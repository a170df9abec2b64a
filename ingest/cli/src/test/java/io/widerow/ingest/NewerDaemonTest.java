package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.widerow.cli.CommandDaemon;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: commands show the same of a newer daemon, which sends members that they do not know, as of
/// one of their own version. Method: each command against a daemon, and against the same daemon
/// behind a proxy that adds members to every object of its responses.
@Timeout(300)
class NewerDaemonTest {
  /// Of an event each member is an attribute, and of an error the text is shown.
  private static final List<String> AS_THEY_ARE = List.of("{\"id\":", "{\"error\":");

  private static final String ADDED =
      "\"added\":{\"deep\":[1,{\"x\":\"}]\\\"\"},null]},\"added.list\":[],\"added.none\":null";

  @TempDir private Path directory = Path.of(".");

  /// A command that asks the daemon.
  private record Asked(String command, List<String> arguments) {
    Asked(String command, String... arguments) {
      this(command, List.of(arguments));
    }

    String[] words() {
      return arguments.toArray(String[]::new);
    }

    @Override
    public String toString() {
      return command + " " + String.join(" ", arguments);
    }
  }

  private static final List<Asked> COMMANDS =
      List.of(
          new Asked("query", "web"),
          new Asked("query", "web", "--output", "json"),
          new Asked("query", "web", "--stats", "count,p50(bytes)", "--by", "user"),
          new Asked("query", "web", "--stats", "count", "--every", "1m"),
          new Asked("explore types"),
          new Asked("explore fields"),
          new Asked("explore fields", "--output", "table"),
          new Asked("explore fields", "--field", "user", "--output", "table"),
          new Asked("explore patterns", "web", "--output", "csv"),
          new Asked("explore diff", "web", "--from=2025-11-21", "--to=2025-11-22"),
          new Asked(
              "explore diff", "web", "--from=2025-11-21", "--to=2025-11-22", "--output", "table"),
          new Asked("check doctor"),
          new Asked("layout", "--output", "csv"),
          new Asked("layout", "overrides"),
          new Asked("layout partitions", "--output", "csv"),
          new Asked("layout partitions", "--long"),
          new Asked("layout partitions", "--lanes", "--segments"),
          new Asked("layout partitions", "--damage"),
          new Asked("layout repartition", "--dry-run", "--output", "csv"),
          new Asked("retention", "--output", "csv"),
          new Asked("retention", "plan", "web", "--age", "7d"),
          new Asked("delete", "plan", "web", "--where", "user = \"u3\""),
          new Asked("delete"),
          new Asked("query", "--saved", "--output=table"),
          new Asked("rollups"),
          new Asked("alerts"),
          new Asked("check senders", "--output", "csv"),
          new Asked(
              "tail",
              "web",
              "--stats",
              "count",
              "--every",
              "1m",
              "--since",
              "2025-11-21",
              "--limit",
              "1"));

  @Test
  void membersThatACommandDoesNotKnowChangeNothing() throws IOException, InterruptedException {
    try (CommandDaemon daemon = new CommandDaemon(directory, Map.of("lanes", "1"))) {
      StringBuilder events = new StringBuilder();
      for (int i = 0; i < 200; i++) {
        events.append(
            "{\"ts\":\"2025-11-%02dT19:15:%02dZ\",\"user\":\"u%d\",\"bytes\":%d,\"body\":\"%d\"}\n"
                .formatted(20 + i % 3, i % 60, i % 7, i, i));
      }
      assertEquals(
          200, daemon.http.post("/v1/events?type=web", Http.NDJSON, events + "").statusCode());
      daemon.merge();
      assertEquals(200, daemon.send("PUT", "/v1/queries?query=all&type=web&limit=5").statusCode());
      HttpServer newer = proxy(daemon.url());
      try {
        String url = "http://127.0.0.1:" + newer.getAddress().getPort();
        for (Asked asked : COMMANDS) {
          CommandDaemon.Ran known = daemon.run(asked.command(), asked.words());
          CommandDaemon.Ran added =
              CommandDaemon.run(Map.of("WIDEROW_URL", url), asked.command(), asked.words());
          assertEquals("", known.err().contains("Unknown option") ? known.err() : "", "" + asked);
          assertEquals(steady(known), steady(added), asked.toString());
        }
      } finally {
        newer.stop(0);
      }
    }
  }

  /// The output of a command, without times that pass between two runs, and without the parts added
  /// to lines that a command passes on as the daemon wrote them.
  private static String steady(CommandDaemon.Ran ran) {
    String text =
        (ran.code() + ran.out() + ran.err())
            .replace(",\"added.last\":7", "")
            .replace("," + ADDED, "");
    return text.replaceAll("127\\.0\\.0\\.1:\\d+", "DAEMON")
        .replaceAll("\\b\\d+ ms\\b", "MS")
        .replaceAll("d-\\d+", "d-N")
        .replaceAll(",\\d+\\.\\d,\\d+\\.\\d,", ",RATE,LAG,");
  }

  private static HttpServer proxy(String daemon) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    HttpClient client = HttpClient.newHttpClient();
    server.createContext("/", exchange -> forward(client, daemon, exchange));
    server.start();
    return server;
  }

  private static void forward(HttpClient client, String daemon, HttpExchange exchange)
      throws IOException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(daemon + exchange.getRequestURI()))
            .method(exchange.getRequestMethod(), HttpRequest.BodyPublishers.noBody())
            .build();
    try {
      HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
      byte[] body =
          response
              .body()
              .lines()
              .map(NewerDaemonTest::withMore)
              .collect(Collectors.joining("\n", "", response.body().endsWith("\n") ? "\n" : ""))
              .getBytes(StandardCharsets.UTF_8);
      Set<String> own = Set.of("content-length", "transfer-encoding", "connection");
      response
          .headers()
          .map()
          .forEach((name, values) -> {
            if (!own.contains(name) && !name.startsWith(":")) {
              exchange.getResponseHeaders().put(name, values);
            }
          });
      exchange.sendResponseHeaders(response.statusCode(), body.length == 0 ? -1 : body.length);
      exchange.getResponseBody().write(body);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    } finally {
      exchange.close();
    }
  }

  /// A line whose objects have more members: after their first one, and at their end.
  private static String withMore(String line) {
    if (!line.startsWith("{") || AS_THEY_ARE.stream().anyMatch(line::startsWith)) {
      return line;
    }
    StringBuilder more = new StringBuilder();
    boolean quoted = false;
    for (int i = 0; i < line.length(); i++) {
      char here = line.charAt(i);
      if (quoted && here == '\\') {
        more.append(here).append(line.charAt(++i));
        continue;
      }
      quoted ^= here == '"';
      if (!quoted && here == '}' && line.charAt(i - 1) != '{') {
        more.append(",\"added.last\":7,").append(ADDED);
      }
      more.append(here);
    }
    return more.toString()
        .replaceFirst(
            "^(\\{\"[a-z]+\":(\"[^\"\\\\]*\"|[0-9.]+)),",
            "$1," + ADDED.replace("\\", "\\\\") + ",");
  }

  @Test
  void aServerThatSendsNothingIsNotWaitedFor() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      String url = "http://127.0.0.1:" + silent.getLocalPort();
      CommandDaemon.Ran ran = CommandDaemon.run(Map.of("WIDEROW_URL", url), "explore types");
      assertEquals(69, ran.code(), ran.err());
      assertTrue(ran.err().contains("accepts connections and sends nothing"), ran.err());
    }
  }
}
