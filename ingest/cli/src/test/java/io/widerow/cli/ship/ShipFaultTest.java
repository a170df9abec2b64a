package io.widerow.cli.ship;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.widerow.cli.Main;
import io.widerow.faults.Await;
import io.widerow.faults.QuickJvm;
import io.widerow.faults.ServeProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: each line is stored exactly once when the command is killed, when the daemon is killed,
/// and when answers are lost or refuse. Method: command and daemon as processes with `kill -9` at
/// random moments while a file is written to and rotated; and a proxy between them that loses
/// answers.
@Timeout(300)
@Tag("process")
class ShipFaultTest {
  private static final Pattern LINE = Pattern.compile("\"body\":\"line (\\d+)\"");
  private static final int KILLS = 6;
  private static final int LINES_A_STEP = 400;

  @TempDir private Path directory = Path.of(".");

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final AtomicInteger requests = new AtomicInteger();
  private Path log = Path.of("");
  private int written;

  private Process ship(int port, String... more) throws IOException {
    List<String> command = new ArrayList<>(QuickJvm.shared().running(Main.class, "ship").command());
    command.addAll(List.of(log + "*", "--to", "127.0.0.1:" + port, "--poll", "2ms"));
    command.addAll(List.of("--checkpoint", directory.resolve("checkpoint").toString()));
    command.addAll(List.of("--record-bytes-max", "512", "--batch-bytes", "2048"));
    command.addAll(List.of(more));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(directory.resolve("told").toFile()))
        .start();
  }

  private String told() throws IOException {
    return Files.readString(directory.resolve("told"));
  }

  private void write(int count) throws IOException {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < count; i++) {
      text.append("line ").append(written++).append('\n');
    }
    Files.writeString(log, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  /// How often each line is stored.
  private int[] stored(ServeProcess daemon) throws IOException, InterruptedException {
    int[] times = new int[written];
    Matcher line = LINE.matcher(daemon.get("/v1/query?format=json").body());
    while (line.find()) {
      times[Integer.parseInt(line.group(1))]++;
    }
    return times;
  }

  private void awaitAll(ServeProcess daemon, Process ship) throws Exception {
    Await.until(
        () -> {
          assertTrue(ship.isAlive(), told());
          return IntStream.of(stored(daemon)).sum() >= written;
        },
        "all lines are stored");
    ship.destroy();
    assertTrue(ship.waitFor(Await.SECONDS, TimeUnit.SECONDS), told());
    assertEquals(0, ship.exitValue(), told());
    int[] times = stored(daemon);
    for (int i = 0; i < written; i++) {
      assertEquals(1, times[i], "line " + i + "\n" + told());
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = 1)
  void killedAtAnyMomentItLosesAndRepeatsNothing(long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    log = directory.resolve("a.log");
    Path data = directory.resolve("d");
    ServeProcess daemon = ServeProcess.start(data, ServeProcess.small(0));
    int port = daemon.port();
    try {
      write(LINES_A_STEP);
      for (int kill = 0; kill < KILLS; kill++) {
        Process ship = ship(port);
        int steps = random.nextInt(3, 12);
        for (int step = 0; step < steps; step++) {
          write(LINES_A_STEP);
          Await.pauseNanos(random.nextLong(20_000_000, 160_000_000));
          if (random.nextInt(6) == 0) {
            rotate();
          }
        }
        if (kill == KILLS / 2) {
          daemon.kill();
          daemon =
              ServeProcess.start(
                  data, with(ServeProcess.small(0), "--set", "http=127.0.0.1:" + port));
        }
        ship.destroyForcibly();
        int _ = ship.waitFor();
        if (random.nextBoolean()) {
          write(LINES_A_STEP);
          rotate();
          write(LINES_A_STEP);
        }
      }
      awaitAll(daemon, ship(port));
      System.out.printf("seed %d: %d kills, %d lines, lost 0, twice 0%n", seed, KILLS, written);
    } finally {
      daemon.close();
    }
  }

  private static String[] with(String[] arguments, String... more) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }

  /// As `logrotate` does: numbers go up, and nothing is deleted.
  private void rotate() throws IOException {
    int last = 1;
    while (Files.exists(directory.resolve("a.log." + last))) {
      last++;
    }
    for (int number = last; number > 1; number--) {
      Files.move(directory.resolve("a.log." + (number - 1)), directory.resolve("a.log." + number));
    }
    Files.move(log, directory.resolve("a.log.1"));
  }

  /// What the proxy does instead of passing a request and its answer on.
  private interface Fault {
    /// @return whether it dealt with the request
    boolean apply(HttpExchange request, int number) throws IOException;
  }

  private HttpServer proxy(int port, Fault fault) throws IOException {
    HttpServer proxy =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    proxy.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    proxy.createContext(
        "/",
        request -> {
          int number = requests.incrementAndGet();
          if (!fault.apply(request, number)) {
            HttpResponse<byte[]> answer = pass(request, port);
            request.sendResponseHeaders(answer.statusCode(), answer.body().length);
            request.getResponseBody().write(answer.body());
          }
          request.close();
        });
    proxy.start();
    return proxy;
  }

  private HttpResponse<byte[]> pass(HttpExchange request, int port) throws IOException {
    HttpRequest.Builder to =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + request.getRequestURI()));
    for (String name : List.of("Content-Type", "Idempotency-Key")) {
      to.header(name, request.getRequestHeaders().getFirst(name));
    }
    byte[] body = request.getRequestBody().readAllBytes();
    try {
      return client.send(
          to.POST(HttpRequest.BodyPublishers.ofByteArray(body)).build(),
          HttpResponse.BodyHandlers.ofByteArray());
    } catch (InterruptedException interrupted) {
      throw new IOException(interrupted);
    }
  }

  private static void answer(HttpExchange request, int status, @Nullable String after)
      throws IOException {
    byte[] body = "{\"error\":\"as the test wants\"}\n".getBytes(UTF_8);
    if (after != null) {
      request.getResponseHeaders().set("Retry-After", after);
    }
    request.sendResponseHeaders(status, body.length);
    request.getResponseBody().write(body);
  }

  @Test
  void lostAnswersFullDisksAndBusyDaemonsLoseAndRepeatNothing() throws Exception {
    log = directory.resolve("a.log");
    try (ServeProcess daemon = ServeProcess.start(directory.resolve("d"))) {
      HttpServer proxy =
          proxy(
              daemon.port(),
              (request, number) -> {
                switch (number % 7) {
                  case 0, 3 -> { // stored, and nobody knows
                    HttpResponse<byte[]> _ = pass(request, daemon.port());
                    return true;
                  }
                  case 1 -> answer(request, 507, "0");
                  case 5 -> answer(request, number % 2 == 0 ? 503 : 429, "0");
                  default -> {
                    return false;
                  }
                }
                return true;
              });
      write(LINES_A_STEP);
      Process ship = ship(proxy.getAddress().getPort());
      for (int step = 0; step < 4; step++) {
        write(LINES_A_STEP);
        Await.pauseNanos(30_000_000);
      }
      awaitAll(daemon, ship);
      proxy.stop(0);
      assertTrue(told().contains("; waiting, nothing is lost"), told());
      assertTrue(told().contains("takes events again"), told());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 401, 403, 404, 413, 415})
  void aRefusalEndsItWithTheDaemonsReason(int status) throws Exception {
    log = directory.resolve("a.log");
    write(3);
    HttpServer proxy =
        proxy(
            1,
            (request, _) -> {
              answer(request, status, null);
              return true;
            });
    Process ship = ship(proxy.getAddress().getPort());
    assertTrue(ship.waitFor(Await.SECONDS, TimeUnit.SECONDS), told());
    proxy.stop(0);
    assertEquals(69, ship.exitValue(), told());
    assertTrue(told().contains("answered " + status + ": "), told());
    assertEquals(1, requests.get(), "it is not sent again");
  }

  private Process shipUntilTruncated(HttpServer proxy) throws Exception {
    Process ship = ship(proxy.getAddress().getPort());
    Await.until(
        () -> {
          assertTrue(ship.isAlive(), told());
          return told().contains("was truncated");
        },
        "ship sees that the file was truncated");
    return ship;
  }

  /// The bytes of a batch are in memory: what becomes of the file does not matter.
  @Test
  void aFileThatIsTruncatedWhileItsBatchIsUnderWayIsSentWhole() throws Exception {
    log = directory.resolve("a.log");
    write(20);
    try (ServeProcess daemon = ServeProcess.start(directory.resolve("d"))) {
      HttpServer proxy =
          proxy(
              daemon.port(),
              (request, number) -> {
                if (number > 1) {
                  return false;
                }
                Files.writeString(log, "");
                answer(request, 507, "0");
                return true;
              });
      Process ship = shipUntilTruncated(proxy);
      write(20);
      awaitAll(daemon, ship);
      proxy.stop(0);
    }
  }

  /// As `copytruncate` does while the daemon is away: the unacknowledged lines are in the copy.
  @Test
  void aBatchThatIsUnderWayWhenItsFileIsTruncatedIsSentFromTheCopyAfterAStop() throws Exception {
    log = directory.resolve("a.log");
    write(2 * LINES_A_STEP);
    try (ServeProcess daemon = ServeProcess.start(directory.resolve("d"))) {
      HttpServer proxy =
          proxy(
              daemon.port(),
              (request, number) -> {
                if (number > 1) {
                  answer(request, 507, "0");
                  return true;
                }
                Files.copy(log, directory.resolve("a.log.1")); // the second batch is read by now
                Files.writeString(log, "");
                return false;
              });
      Process ship = shipUntilTruncated(proxy);
      ship.destroy();
      assertTrue(ship.waitFor(Await.SECONDS, TimeUnit.SECONDS), told());
      proxy.stop(0);
      awaitAll(daemon, ship(daemon.port()));
      assertTrue(told().contains("were not acknowledged before it was truncated"), told());
    }
  }
}
