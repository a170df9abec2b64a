package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import io.widerow.cli.serve.ServeCommand;
import io.widerow.faults.Await;
import io.widerow.faults.ServeProcess;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// Goal: when the disk fails a write, all waiting senders get an error, nothing more is taken in,
/// everything acknowledged can be read, and the process ends with exit code 74, by itself or when
/// it is asked to stop. Method: the daemon as a process whose `fdatasync` calls fail from some
/// moment on, by `strace`; and the command in this process, over a store that can be made to fail.
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@Tag("process")
class WriteFailureTest {
  private static final Pattern ADDRESS = Pattern.compile("http on /(127\\.0\\.0\\.1:\\d+)");
  private static final int SENDERS = 8;

  @TempDir private Path directory = Path.of(".");

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  @Test
  void aFailedForceEndsWritingButNotReading() throws IOException, InterruptedException {
    Path data = directory.resolve("d");
    List<String> acknowledged = new ArrayList<>();
    try (ServeProcess daemon = ServeProcess.start(data, "--set", "read-on-seconds=3600")) {
      String address = "127.0.0.1:" + daemon.port();
      assertEquals(200, post(address, "before").join().statusCode());
      acknowledged.add("before");
      Process fault = failForces(daemon.pid());
      List<CompletableFuture<HttpResponse<String>>> waiting = new ArrayList<>();
      for (int sender = 0; sender < SENDERS; sender++) {
        waiting.add(post(address, "event-" + sender));
      }
      for (int sender = 0; sender < SENDERS; sender++) {
        assertEnded(waiting.get(sender).join());
      }
      fault.destroy(); // no retry, although it would work now; and strace slows everything down
      int _ = fault.waitFor();
      assertEnded(post(address, "after").join());
      assertEquals(503, get(address, "/ready").statusCode());
      assertEquals(503, get(address, "/health").statusCode());
      String status = get(address, "/v1/status").body();
      assertTrue(status.contains("\"state\":\"failed\",\"failure\":\"" + data), status);
      assertTrue(get(address, "/metrics").body().contains("widerow_writing 0.0"));
      assertEquals(acknowledged, bodies(get(address, "/v1/query").body()));
      assertEnded(post(address, "later").join());
      assertEquals(74, daemon.stop(60), daemon.output());
      assertTrue(daemon.output().contains("writing has ended: " + data), daemon.output());
    }
    try (ServeProcess daemon = ServeProcess.start(data)) {
      String address = "127.0.0.1:" + daemon.port();
      List<String> left = bodies(get(address, "/v1/query").body());
      assertTrue(left.containsAll(acknowledged), left.toString());
      assertEquals(200, post(address, "again").join().statusCode());
    }
  }

  /// Makes every `fdatasync` and `fsync` of a process fail with EIO, until the returned process
  /// ends.
  private Process failForces(long pid) throws IOException {
    Path log = directory.resolve("strace.log");
    Process strace;
    try {
      strace =
          new ProcessBuilder(
                  "strace",
                  "-f",
                  "-e",
                  "trace=fdatasync,fsync",
                  "-e",
                  "inject=fdatasync,fsync:error=EIO",
                  "-p",
                  Long.toString(pid))
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
    } catch (IOException absent) {
      return skip("no strace (Debian: apt-get install strace): " + absent.getMessage());
    }
    Await.until(
        () -> Files.readString(log).contains("attached") || !strace.isAlive(),
        "strace is attached");
    return strace.isAlive()
        ? strace
        : skip("strace may not attach to a process here: " + Files.readString(log));
  }

  /// Ends the test as skipped, and says so also where a build shows no reasons of skipped tests.
  private static Process skip(String why) {
    System.err.println("WriteFailureTest: SKIPPED, nothing was tested: " + why);
    return abort(why);
  }

  private static void assertEnded(HttpResponse<String> answer) {
    assertEquals(503, answer.statusCode(), answer.body());
    assertTrue(answer.body().contains("writing has ended: "), answer.body());
    assertTrue(answer.headers().firstValueAsLong("retry-after").isPresent());
  }

  @Test
  void afterReadOnSecondsItEndsByItself() throws IOException, InterruptedException {
    MemoryStore store = new MemoryStore(1);
    StringWriter out = new StringWriter();
    CommandLine line =
        ServeCommand.commandLine(
            _ -> store,
            Map.of(),
            limits -> TunedConfig.with(limits, Map.of("read-on-seconds", "3")));
    line.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(out, true));
    CompletableFuture<Integer> exit = new CompletableFuture<>();
    Thread serving =
        Thread.ofPlatform()
            .start(() -> exit.complete(line.execute("--http", "127.0.0.1:0", "--lanes", "1")));
    Matcher address = ADDRESS.matcher("");
    Await.until(() -> address.reset(out.toString()).find(), "the address is printed");
    store.failure = "EIO";
    assertEnded(post(address.group(1), "x").join());
    assertEquals(503, get(address.group(1), "/ready").statusCode(), "it is still there");
    assertEquals(74, exit.orTimeout(Await.SECONDS, TimeUnit.SECONDS).join(), out.toString());
    assertTrue(out.toString().contains("queries are served for 3 s"), out.toString());
    serving.join();
  }

  private CompletableFuture<HttpResponse<String>> post(String address, String line) {
    HttpRequest request =
        HttpRequest.newBuilder(uri(address, "/v1/events?type=a"))
            .header("content-type", Http.TEXT)
            .POST(BodyPublishers.ofString(line))
            .build();
    return client.sendAsync(request, BodyHandlers.ofString());
  }

  private HttpResponse<String> get(String address, String path)
      throws IOException, InterruptedException {
    return client.send(HttpRequest.newBuilder(uri(address, path)).build(), BodyHandlers.ofString());
  }

  private static URI uri(String address, String path) {
    return URI.create("http://" + address + path);
  }

  private static List<String> bodies(String answer) {
    return answer
        .lines()
        .filter(line -> line.contains("\"body\""))
        .map(line -> line.replaceAll(".*\"body\":\"([^\"]*)\".*", "$1"))
        .toList();
  }
}
