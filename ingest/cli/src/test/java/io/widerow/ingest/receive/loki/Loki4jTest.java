package io.widerow.ingest.receive.loki;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.widerow.faults.ServeProcess;
import io.widerow.ingest.Daemon;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.config.DaemonConfig;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: what an application logs with loki4j is stored once and unchanged, in JSON and in
/// protobuf, also when answers are lost and the daemon is killed. Method: the appender itself, in a
/// process and with a class path of its own.
@Timeout(300)
@Tag("process")
class Loki4jTest {
  private static final Path JARS = Path.of("target/clients/loki4j");
  private static final String PUSH = "/loki/api/v1/push";

  @TempDir private Path directory = Path.of(".");

  private static String resource(String name) throws IOException {
    try (InputStream in = Loki4jTest.class.getResourceAsStream(name)) {
      return new String(requireNonNull(in).readAllBytes(), UTF_8);
    }
  }

  /// Runs the application to its end.
  private void send(int port, boolean protobuf, int lines)
      throws IOException, InterruptedException {
    Path source = directory.resolve("Loki4jSender.java");
    Files.writeString(source, resource("Loki4jSender.java"));
    String config =
        resource("loki4j.xml")
            .replace("URL", "http://127.0.0.1:" + port + PUSH)
            .replace("PROTOBUF", Boolean.toString(protobuf));
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Process process =
        new ProcessBuilder(
                java,
                "-Xmx128m",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                JARS + "/*",
                source.toString(),
                config,
                Integer.toString(lines))
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertEquals(0, process.waitFor(), said);
  }

  private static String line(int i) {
    return i % 2 == 0 ? "order %d of \"ü\"\n\tend".formatted(i) : "order %d \\ 💥".formatted(i);
  }

  private static List<String> lines(int count) {
    return IntStream.range(0, count).mapToObj(Loki4jTest::line).toList();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void eachLineIsStoredWithItsFields(boolean protobuf) throws IOException, InterruptedException {
    int count = 1_000;
    MemoryStore store = new MemoryStore(1);
    long from = store.nowNanos();
    DaemonConfig config = DaemonConfig.of(Map.of("http", "127.0.0.1:0", "lanes", "1"));
    try (Daemon daemon = Daemon.start(config, store)) {
      send(daemon.httpAddress().getPort(), protobuf, count);
    }
    long until = store.nowNanos();
    assertEquals(count, store.committed.size());
    List<MemoryStore.Stored> events = new ArrayList<>(store.committed);
    events.sort(Comparator.comparingInt(e -> number(e.body())));
    for (int i = 0; i < count; i++) {
      MemoryStore.Stored event = events.get(i);
      assertEquals("shop", event.type());
      assertTrue(from <= event.timeNanos() && event.timeNanos() <= until, event.toString());
      Map<String, Object> attributes = new TreeMap<>(event.attributes());
      Object labels = attributes.remove("widerow.labels");
      assertEquals(Set.of("app", "level"), Set.of(String.valueOf(labels).split(",")));
      assertEquals(i % 2 == 0 ? "info" : "warn", attributes.remove("detected_level"));
      assertEquals(
          Map.of(
              "app",
              "shop",
              "body",
              line(i),
              "level",
              i % 2 == 0 ? "INFO" : "WARN",
              "logger",
              "shop.Orders",
              "thread",
              "main"),
          attributes);
    }
  }

  private static int number(String line) {
    return Integer.parseInt(line.split(" ", 3)[1]);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void lostAnswersAndAKilledDaemonLoseNothingAndDoubleNothing(boolean protobuf)
      throws IOException, InterruptedException {
    int count = 3_000; // 60 batches
    Path data = directory.resolve("d");
    try (Gateway gateway = new Gateway(data)) {
      send(gateway.port(), protobuf, count);
      assertEquals(3, gateway.lost, "answers that were lost");
      assertTrue(gateway.requests >= count / 50 + 3, gateway.requests + " requests");
      List<String> stored = gateway.stored();
      assertEquals(count, stored.size());
      assertEquals(new TreeSet<>(lines(count)), new TreeSet<>(stored));
    }
  }

  /// What stands between an application and the daemon. It never gives one answer, says instead of
  /// another that nobody is there, and kills the daemon and starts it again at a third.
  private static final class Gateway implements AutoCloseable {
    private final Path data;
    private final HttpClient client =
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final HttpServer server;
    private ServeProcess daemon;
    private int requests;
    private int lost;

    Gateway(Path data) throws IOException {
      this.data = data;
      daemon = ServeProcess.start(data);
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      server.setExecutor(threads);
      server.createContext("/", this::handle);
      server.start();
    }

    int port() {
      return server.getAddress().getPort();
    }

    private void handle(HttpExchange exchange) throws IOException {
      byte[] body = exchange.getRequestBody().readAllBytes();
      String type = requireNonNull(exchange.getRequestHeaders().getFirst("content-type"));
      try {
        answer(exchange, type, body);
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      } finally {
        exchange.close();
      }
    }

    private void answer(HttpExchange exchange, String type, byte[] body)
        throws IOException, InterruptedException {
      int status = forward(type, body);
      if (status == 0) {
        closed.await();
      } else {
        exchange.sendResponseHeaders(status, -1);
      }
    }

    /// Returns 0 for an answer that is never given.
    private synchronized int forward(String type, byte[] body)
        throws IOException, InterruptedException {
      int number = ++requests;
      URI uri = URI.create("http://127.0.0.1:" + daemon.port() + PUSH);
      HttpRequest request =
          HttpRequest.newBuilder(uri)
              .header("content-type", type)
              .POST(BodyPublishers.ofByteArray(body))
              .build();
      HttpResponse<String> answer = client.send(request, BodyHandlers.ofString());
      assertEquals(204, answer.statusCode(), answer.body());
      lost += number % 15 == 0 && number <= 45 ? 1 : 0;
      return switch (number) {
        case 15 -> 0;
        case 30 -> 503;
        case 45 -> {
          daemon.kill();
          daemon = ServeProcess.start(data);
          yield 503;
        }
        default -> 204;
      };
    }

    /// The texts of all events.
    synchronized List<String> stored() throws IOException, InterruptedException {
      ObjectMapper json = new ObjectMapper();
      List<String> texts = new ArrayList<>();
      for (String line : daemon.get("/v1/query?type=shop").body().lines().toList()) {
        JsonNode event = json.readTree(line);
        if (event.has("body")) {
          texts.add(event.get("body").asText());
        }
      }
      return texts;
    }

    @Override
    public void close() {
      closed.countDown();
      server.stop(0);
      threads.shutdown();
      client.close();
      synchronized (this) {
        daemon.close();
      }
    }
  }
}
