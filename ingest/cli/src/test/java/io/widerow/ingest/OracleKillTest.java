package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.Main;
import io.widerow.event.EventId;
import io.widerow.faults.Await;
import io.widerow.faults.Seeds;
import io.widerow.faults.ServeProcess;
import io.widerow.query.Token;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: after any kill at any time, the answers are the sorted list of the events sent: whole, in
/// pages of random sizes, ascending and descending. Method: the daemon as a process; events of
/// eight types: 3 in 10 share a millisecond with others and 1 in 10 is late by up to two days. The
/// daemon is killed with batches in flight and in the middle of pages, and the reading program is
/// killed in the middle of its output. 20,000 events; 2 million with 1, 2 and 4 lanes with
/// `-Plong`. `-Dseed=<n>` replays a run.
@Timeout(value = 60, unit = TimeUnit.MINUTES)
@Tag("process")
class OracleKillTest {
  private static final int EVENTS = Integer.getInteger("oracle.events", 20_000);
  private static final int KILLS = EVENTS > 100_000 ? 3 : 1; // in each part
  private static final int TYPES = 8;
  private static final long START_MILLIS = 1_763_600_000_000L;
  private static final long SPAN_MILLIS = 12 * 3_600_000L;
  private static final long LATE_MILLIS = 48 * 3_600_000L;
  private static final Pattern EVENT =
      Pattern.compile(
          "\\{\"id\":\"([^\"]*)\",\"ts\":\"[^\"]*\",\"type\":\"(t\\d)\",.*\"n\":(\\d+)}");

  @TempDir private Path directory = Path.of(".");

  private final long seed = Seeds.one();
  private final SplittableRandom random = new SplittableRandom(seed);
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final long[] nanos = new long[EVENTS];
  private int lanes;
  private @Nullable ServeProcess running;
  private int kills;

  /// The events read, and the position after them.
  private static final class Reading {
    final int[] numbers = new int[EVENTS];
    int count;
    String after = "";

    /// Takes a line of an answer. Returns false when it is not an event.
    boolean take(String line) {
      Matcher event = EVENT.matcher(line);
      if (!event.matches()) {
        return false;
      }
      numbers[count++] = Integer.parseInt(event.group(3));
      after = new Token(EventId.parse(event.group(1)), event.group(2)).toString();
      return true;
    }
  }

  static List<Integer> laneCounts() {
    return Arrays.stream(System.getProperty("oracle.lanes", "2").split(",", -1))
        .map(Integer::parseInt)
        .toList();
  }

  @AfterEach
  void end() {
    daemon().close();
    client.close();
  }

  @ParameterizedTest(name = "{0} lanes")
  @MethodSource("laneCounts")
  void answersAreTheSortedListWhateverIsKilled(int laneCount)
      throws IOException, InterruptedException {
    lanes = laneCount;
    start();
    for (int i = 0; i < EVENTS; i++) {
      nanos[i] = time(i);
    }
    send();
    int[] up =
        IntStream.range(0, EVENTS)
            .boxed()
            .sorted(
                (a, b) -> nanos[a] == nanos[b] ? a.compareTo(b) : Long.compare(nanos[a], nanos[b]))
            .mapToInt(Integer::intValue)
            .toArray();
    int[] down = IntStream.range(0, EVENTS).map(i -> up[EVENTS - 1 - i]).toArray();
    String what = lanes + " lanes, seed " + seed;
    assertArrayEquals(up, whole("asc").numbers, what);
    assertArrayEquals(down, whole("desc").numbers, what);
    assertArrayEquals(up, pages("asc").numbers, what + ", pages");
    assertArrayEquals(down, pages("desc").numbers, what + ", pages");
    assertArrayEquals(up, program("asc").numbers, what + ", program");
    assertArrayEquals(down, program("desc").numbers, what + ", program");
    assertEquals(0, daemon().stop(60), daemon().output());
    System.out.printf("seed %d: %d events, %s, %d kills%n", seed, EVENTS, what, kills);
  }

  private long time(int number) {
    long millis = START_MILLIS + (long) ((double) number / EVENTS * SPAN_MILLIS);
    if (random.nextInt(10) == 0) {
      millis -= random.nextLong(LATE_MILLIS);
    }
    return 1_000_000 * millis + (random.nextInt(10) < 3 ? 0 : random.nextInt(1_000_000));
  }

  private ServeProcess daemon() {
    return Objects.requireNonNull(running);
  }

  private void start() throws IOException {
    running =
        ServeProcess.start(
            directory.resolve("d" + lanes),
            "--lanes",
            Integer.toString(lanes),
            "--set",
            "open-bytes=67108864");
  }

  private void killAndStart() throws IOException, InterruptedException {
    daemon().kill();
    kills++;
    start();
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + daemon().port() + path));
  }

  /// Sends everything in order, one batch at a time. The daemon is killed with some batches in
  /// flight, which are then sent again.
  private void send() throws IOException, InterruptedException {
    int next = 0;
    int killAt = EVENTS / (KILLS + 1);
    while (next < EVENTS) {
      int until = Math.min(EVENTS, next + random.nextInt(1, Math.max(2, EVENTS / 50)));
      StringBuilder body = new StringBuilder();
      for (int i = next; i < until; i++) {
        body.append("{\"ts\":").append(nanos[i]).append(",\"type\":\"t").append(i % TYPES);
        body.append("\",\"body\":\"GET /item/").append(i % 1_000).append("\",\"n\":").append(i);
        body.append("}\n");
      }
      byte[] bytes = body.toString().getBytes(StandardCharsets.US_ASCII);
      if (until > killAt) {
        killAt += EVENTS / (KILLS + 1);
        CompletableFuture<HttpResponse<String>> lost =
            client.sendAsync(post(bytes, next, until), answer());
        Await.pauseNanos(random.nextLong(20_000_000));
        killAndStart();
        boolean _ = lost.handle((_, _) -> true).join();
      }
      HttpResponse<String> answer = client.send(post(bytes, next, until), answer());
      assertEquals(200, answer.statusCode(), answer.body());
      String stored = "\\{\"accepted\":(%1$d,|0,\"duplicate\":%1$d,).*".formatted(until - next);
      assertTrue(answer.body().strip().matches(stored), answer.body());
      next = until;
    }
  }

  private static HttpResponse.BodyHandler<String> answer() {
    return BodyHandlers.ofString();
  }

  /// Repeats of small batches are recognized by their key, others by their content.
  private HttpRequest post(byte[] body, int from, int until) {
    HttpRequest.Builder post =
        request("/v1/events")
            .header("content-type", Http.NDJSON)
            .POST(BodyPublishers.ofByteArray(body));
    if (until - from < 16) {
      post.header("idempotency-key", "from-" + from);
    }
    return post.build();
  }

  private Reading whole(String order) throws IOException, InterruptedException {
    Reading reading = new Reading();
    assertTrue(page(reading, "order=" + order, -1), "the answer has no end");
    assertEquals(EVENTS, reading.count);
    return reading;
  }

  /// Reads pages of random sizes. In some of them the daemon is killed; the events read before
  /// counts.
  private Reading pages(String order) throws IOException, InterruptedException {
    Reading reading = new Reading();
    int killAt = EVENTS / (KILLS + 1);
    while (true) {
      int limit = random.nextInt(1, Math.max(2, EVENTS / 20));
      String query = "order=" + order + "&limit=" + limit;
      if (!reading.after.isEmpty()) {
        query += "&after=" + reading.after;
      }
      int before = reading.count;
      boolean killed = reading.count >= killAt;
      killAt += killed ? EVENTS / (KILLS + 1) : 0;
      boolean complete = page(reading, query, killed ? random.nextInt(limit) : -1);
      if (killed) {
        start();
      } else if (complete && reading.count - before < limit) {
        return reading;
      }
    }
  }

  /// Reads one page. Returns false when it was cut off.
  ///
  /// @param killAfter events after which the daemon is killed; -1 for never
  private boolean page(Reading reading, String query, int killAfter)
      throws IOException, InterruptedException {
    HttpResponse<Stream<String>> answer =
        client.send(request("/v1/query?" + query).build(), BodyHandlers.ofLines());
    assertEquals(200, answer.statusCode());
    int read = 0;
    boolean complete = false;
    try (Stream<String> lines = answer.body()) {
      for (Iterator<String> each = lines.iterator(); !complete && each.hasNext(); ) {
        if (read++ == killAfter) {
          daemon().kill();
          kills++;
        }
        complete = !reading.take(each.next());
      }
    } catch (UncheckedIOException | CompletionException cut) {
      assertTrue(killAfter >= 0, () -> "cut without a kill: " + cut);
    }
    if (killAfter >= 0) {
      daemon().kill(); // the page was shorter
    }
    return complete;
  }

  /// Reads with the program, which is killed in the middle of its output and continues after its
  /// last whole line.
  private Reading program(String order) throws IOException, InterruptedException {
    Reading reading = new Reading();
    Path out = directory.resolve("out");
    for (int kill = 0; kill <= KILLS; kill++) {
      Process program = launch(out, order, reading.after);
      long bytes = kill == KILLS ? Long.MAX_VALUE : random.nextLong(1, 20L * EVENTS);
      Await.until(
          () -> !program.isAlive() || Files.size(out) >= bytes, "the reader has printed enough");
      if (kill < KILLS) {
        program.destroyForcibly();
        kills++;
      }
      int exit = program.waitFor();
      assertTrue(kill < KILLS || exit == 0, () -> "exit code " + exit);
      String text = Files.readString(out, StandardCharsets.US_ASCII);
      text.substring(0, text.lastIndexOf('\n') + 1).lines().forEach(reading::take);
    }
    assertEquals(EVENTS, reading.count);
    return reading;
  }

  private Process launch(Path out, String order, String after) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    for (String option : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      if (option.startsWith("--")) {
        command.add(option);
      }
    }
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(Main.class.getName(), "query"));
    command.addAll(List.of("--url", "http://127.0.0.1:" + daemon().port(), "--order", order));
    if (!after.isEmpty()) {
      command.addAll(List.of("--after", after));
    }
    return new ProcessBuilder(command)
        .redirectOutput(out.toFile())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }
}
