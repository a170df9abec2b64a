package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import io.widerow.faults.CqlConnection;
import io.widerow.faults.ServeProcess;
import io.widerow.ingest.HostileQueries.Query;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: whatever is asked, the daemon stays up and each query has a result or a refusal that names
/// its limit. Method: the daemon as a process with the heap and the garbage collector of the
/// launcher; [HostileQueries] on every door, several at a time; some clients leave early. In the
/// end no query holds memory, and the log has no failure. `-Dhostile.seed=N` makes other queries,
/// `-Dhostile.log=true` shows each.
@Timeout(value = 90, unit = TimeUnit.MINUTES)
@Tag("process")
class HostileQueriesTest {
  private static final int CLIENTS = 6;
  private static final int PATIENCE_SECONDS = 5;
  private static final int SHOWN_BYTES = 2_000;
  private static final List<String> JVM =
      List.of(
          "-Xmx256m",
          "-XX:+ExitOnOutOfMemoryError",
          "-XX:-UseSerialGC",
          "-XX:+UseG1GC",
          "-XX:TieredStopAtLevel=4");

  private static final String GROWTH =
      " | line_format `{{__line__}}{{__line__}}{{__line__}}{{__line__}}`".repeat(10);
  private static final String LABEL_GROWTH =
      " | label_format a=`{{__line__}}`"
          + " | label_format a=`{{.a}}{{.a}}{{.a}}{{.a}}`".repeat(10);

  @TempDir private static Path directory = Path.of(".");
  private static ServeProcess daemon;
  private static int cqlPort;
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Map<String, Integer> outcomes = new TreeMap<>();
  private final ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();

  /// How many queries the storm has.
  int queries() {
    return 300;
  }

  @BeforeAll
  static void start() throws Exception {
    daemon =
        ServeProcess.startWith(
            JVM,
            directory.resolve("d"),
            "--set",
            "cql=127.0.0.1:0",
            "--set",
            "stall-seconds=5",
            "--set",
            "event-bytes-max=1048576");
    Matcher port = Pattern.compile("cql on /127\\.0\\.0\\.1:(\\d+)").matcher(daemon.output());
    assertTrue(port.find(), daemon.output());
    cqlPort = Integer.parseInt(port.group(1));
    HostileStore.fill(daemon, cqlPort);
  }

  @AfterAll
  static void stop() {
    daemon.close();
  }

  @Test
  void growthOfOneLineIsRefused() throws Exception {
    for (String stages : List.of(GROWTH, LABEL_GROWTH)) {
      for (String query :
          List.of(
              "{service_name=\"small\"}" + stages,
              "sum by (a) (count_over_time({service_name=\"small\"}" + stages + "[1h]))",
              "bytes_over_time({service_name=\"small\"}" + stages + "[1h])")) {
        String form =
            "query="
                + URLEncoder.encode(query, StandardCharsets.UTF_8)
                + "&end="
                + HostileQueries.NOW_SECONDS;
        HttpResponse<String> response =
            daemon.post("/loki/api/v1/query_range", "application/x-www-form-urlencoded", form);
        assertEquals(422, response.statusCode(), response.body());
        assertTrue(response.body().contains("logql-text-bytes"), response.body());
      }
    }
    requireHealthy();
  }

  @Test
  void storm() throws Exception {
    int most = Integer.getInteger("hostile.queries", queries());
    long seed = Long.getLong("hostile.seed", 1);
    AtomicInteger left = new AtomicInteger(most);
    try (ExecutorService clients = Executors.newFixedThreadPool(CLIENTS)) {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        long own = seed * CLIENTS + i;
        all.add(clients.submit(() -> client(own, left)));
      }
      for (Future<?> each : all) {
        each.get();
      }
    }
    System.out.println("| outcome | queries |\n|---|---:|");
    outcomes.forEach((outcome, count) -> System.out.println("| " + outcome + " | " + count + " |"));
    requireHealthy();
    assertTrue(wrong.isEmpty(), () -> wrong.size() + " wrong:\n" + String.join("\n", wrong));
  }

  private void client(long seed, AtomicInteger left) {
    HostileQueries queries = new HostileQueries(seed);
    Random leaving = new Random(seed);
    for (int i = 0; left.getAndDecrement() > 0 && daemon.isAlive(); i++) {
      Query query = queries.next();
      long began = System.nanoTime();
      String outcome;
      try {
        outcome = outcome(query, leaving.nextInt(20) == 0);
      } catch (SocketTimeoutException | TimeoutException slow) {
        outcome = "left by its client after " + PATIENCE_SECONDS + " s";
      } catch (Exception | AssertionError failure) {
        outcome = "wrong";
        wrong.add("seed " + seed + " query " + i + ": " + failure + "\n  " + query);
      }
      if (Boolean.getBoolean("hostile.log")) {
        System.out.printf(
            "%5d ms %s | %s | seed %d query %d %s%n",
            (System.nanoTime() - began) / 1_000_000,
            daemon.isAlive() ? "" : "DEAD",
            outcome,
            seed,
            i,
            query);
      }
      String row = query.door() + ": " + outcome;
      synchronized (outcomes) {
        outcomes.merge(row, 1, Integer::sum);
      }
    }
  }

  private String outcome(Query query, boolean leaves) throws Exception {
    return switch (query.door()) {
      case CQL -> cql(query.path());
      case TAIL -> tail(query.path());
      default -> http(query, leaves);
    };
  }

  @SuppressWarnings("try") // closed early: the reader would wait for the rest
  private String http(Query query, boolean leaves) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + daemon.port() + query.path()));
    if (query.body().length > 0) {
      request
          .header("content-type", query.contentType())
          .POST(BodyPublishers.ofByteArray(query.body()));
      if (query.path().equals("/api/v1/read")) {
        request.header("content-encoding", "snappy");
      }
    }
    CompletableFuture<HttpResponse<InputStream>> sent =
        http.sendAsync(request.build(), BodyHandlers.ofInputStream());
    try {
      HttpResponse<InputStream> response = sent.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      try (InputStream body = response.body();
          ExecutorService reader = Executors.newVirtualThreadPerTaskExecutor()) {
        if (leaves) {
          return "left by its client at once";
        }
        Future<String> read = reader.submit(() -> ends(body));
        try {
          return judged(query, response.statusCode(), read.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
        } finally {
          body.close();
        }
      }
    } catch (TimeoutException slow) {
      boolean _ = sent.cancel(true);
      throw slow;
    } catch (ExecutionException failed) {
      throw failed.getCause() instanceof Exception cause ? cause : failed;
    }
  }

  /// The beginning and the end of a body.
  private static String ends(InputStream body) throws IOException {
    byte[] piece = new byte[64 << 10];
    StringBuilder ends = new StringBuilder();
    for (int count = body.read(piece); count >= 0; count = body.read(piece)) {
      ends.append(new String(piece, 0, count, StandardCharsets.ISO_8859_1));
      if (ends.length() > 2 * SHOWN_BYTES) {
        ends.delete(SHOWN_BYTES, ends.length() - SHOWN_BYTES);
      }
    }
    return ends.toString();
  }

  private static String judged(Query query, int status, String body) {
    if (status == 200) {
      int error = query.path().startsWith("/v1/") ? body.lastIndexOf("{\"error\":") : -1;
      return error < 0 ? "result" : "result that ends with a refusal";
    }
    boolean named = body.length() > 10;
    boolean refused = (status >= 400 && status < 500) || status == 503 || status == 504;
    if (!refused || !named) {
      throw new AssertionError("status %d: %s".formatted(status, body));
    }
    return "refused with " + status;
  }

  private String cql(String statement) throws IOException {
    try (CqlConnection connection = new CqlConnection(cqlPort)) {
      int _ = connection.run(statement);
      return "result";
    } catch (CqlConnection.Refused refused) {
      if (refused.code == 0) { // the server's own error
        throw refused;
      }
      return "refused with %04x".formatted(refused.code);
    }
  }

  private String tail(String path) throws Exception {
    CompletableFuture<String> end = new CompletableFuture<>();
    WebSocket.Listener listener =
        new WebSocket.Listener() {
          @Override
          public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
            socket.request(1);
            if (last) {
              end.complete("message");
            }
            return CompletableFuture.completedFuture(null);
          }

          @Override
          public CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
            end.complete("closed with " + code + (reason.isEmpty() ? " unnamed" : ""));
            return CompletableFuture.completedFuture(null);
          }

          @Override
          public void onError(WebSocket socket, Throwable failure) {
            end.completeExceptionally(failure);
          }
        };
    URI uri = URI.create("ws://127.0.0.1:" + daemon.port() + path);
    WebSocket socket;
    try {
      socket =
          http.newWebSocketBuilder()
              .buildAsync(uri, listener)
              .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException refused) {
      if (refused.getCause() instanceof WebSocketHandshakeException handshake) {
        return "refused with " + handshake.getResponse().statusCode();
      }
      throw refused;
    }
    try {
      return end.get(1, TimeUnit.SECONDS);
    } catch (TimeoutException quiet) {
      return "quiet";
    } finally {
      socket.abort();
    }
  }

  /// The daemon answers, its queries hold nothing, and its log has no failure.
  private static void requireHealthy() throws Exception {
    assertTrue(daemon.isAlive(), () -> output());
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    String metric = "widerow_query_memory_bytes ";
    double held = 1;
    while (held > 0 && System.nanoTime() < until) {
      held =
          daemon
              .get("/metrics")
              .body()
              .lines()
              .filter(line -> line.startsWith(metric))
              .mapToDouble(line -> Double.parseDouble(line.substring(metric.length())))
              .sum();
      Await.pauseNanos(20_000_000);
    }
    assertEquals(0, held, "bytes that queries hold");
    HttpResponse<String> count = daemon.get("/v1/query?type=ids&stats=count");
    assertEquals("{\"count\":20000}\n", count.body());
    String log = output();
    for (String sign : List.of("\tat ", "Exception", "StackOverflowError", "OutOfMemoryError")) {
      assertTrue(!log.contains(sign), () -> log);
    }
  }

  private static String output() {
    try {
      return daemon.output();
    } catch (IOException unread) {
      return unread.toString();
    }
  }
}
