package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import io.widerow.faults.ServeProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: an overloaded daemon does what it can, refuses the rest with a request to retry, and does
/// not grow; and it is idle when the load ends. Method: one process, first with a few senders that
/// wait for their answers, then with twenty times as many that do not wait after a refusal. How
/// much is stored then depends on what else the machine does, so it is only printed.
@Timeout(300)
@Tag("process")
class OverloadTest {
  private static final int IDLE_WINDOWS = 6;
  private static final double IDLE_PERCENT_MAX = 10;
  private static final int SENDERS = 8;
  private static final int TIMES = 20;
  private static final long RUN_NANOS = 5_000_000_000L;
  private static final int LINES = 2_000;
  private static final long CREDIT_BYTES = 16_000_000;
  private static final long GROWTH_BYTES_MAX = 600L << 20;

  @TempDir private Path directory = Path.of(".");

  private final byte[] body =
      "a line of text as long as one in a log is, which is about a hundred bytes, without a time\n"
          .repeat(LINES)
          .getBytes(StandardCharsets.US_ASCII);

  /// The answers that senders got.
  private static final class Told {
    final LongAdder stored = new LongAdder();
    final LongAdder refused = new LongAdder();
    final LongAdder wrong = new LongAdder();
    final LongAdder cutOff = new LongAdder();
    long nanos;

    double eventsPerSecond() {
      return 1e9 * LINES * stored.sum() / nanos;
    }

    @Override
    public String toString() {
      return "%,.0f events/s stored, %d requests stored, %d refused, %d cut off"
          .formatted(eventsPerSecond(), stored.sum(), refused.sum(), cutOff.sum());
    }
  }

  @Test
  void overloadIsRefusedAndMemoryStaysFlat() throws IOException, InterruptedException {
    String credit = "credit-bytes=" + CREDIT_BYTES;
    try (ServeProcess daemon =
        ServeProcess.start(
            directory.resolve("d"), "--set", credit, "--set", "body-bytes-max=1000000")) {
      Told _ = run(daemon, SENDERS); // until the code is compiled
      Told peak = run(daemon, SENDERS);
      long before = daemon.memoryBytes("VmHWM");
      Told over = run(daemon, SENDERS * TIMES);
      long after = daemon.memoryBytes("VmHWM");
      System.out.printf("peak: %s%nat %d times the senders: %s%n", peak, TIMES, over);
      System.out.printf(
          "goodput %.0f %%, peak resident memory %d MiB, then %d MiB%n",
          100 * over.eventsPerSecond() / peak.eventsPerSecond(), before >> 20, after >> 20);
      assertEquals(0, over.wrong.sum(), "answers neither 200 nor a 503 with Retry-After");
      assertTrue(over.refused.sum() > 0 && over.stored.sum() > 0, over.toString());
      assertTrue(after - before < GROWTH_BYTES_MAX, "grew by " + (after - before));
      assertIdle(daemon);
    }
  }

  private Told run(ServeProcess daemon, int senders) throws InterruptedException {
    Told told = new Told();
    long start = System.nanoTime();
    Thread[] threads = new Thread[senders];
    try (HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
      for (int i = 0; i < senders; i++) {
        threads[i] = Thread.ofVirtual().start(() -> send(client, daemon, told, start));
      }
      for (Thread thread : threads) {
        thread.join();
      }
    }
    told.nanos = System.nanoTime() - start;
    return told;
  }

  private void send(HttpClient client, ServeProcess daemon, Told told, long start) {
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + daemon.port() + "/v1/events?type=a"))
            .header("content-type", Http.TEXT)
            .POST(BodyPublishers.ofByteArray(body))
            .build();
    while (System.nanoTime() - start < RUN_NANOS) {
      try {
        HttpResponse<String> answer = client.send(request, BodyHandlers.ofString());
        boolean again = answer.headers().firstValueAsLong("retry-after").isPresent();
        if (answer.statusCode() == 200) {
          told.stored.increment();
        } else if (answer.statusCode() == 503 && again) {
          told.refused.increment();
        } else {
          told.wrong.increment();
        }
      } catch (IOException cutOff) { // refused before everything was sent
        told.cutOff.increment();
      } catch (InterruptedException interrupted) {
        throw new IllegalStateException(interrupted);
      }
    }
  }

  /// The process comes to rest: then it only does housekeeping. On a busy machine the JIT compiler
  /// has work left for a while, so a few windows are looked at.
  private static void assertIdle(ServeProcess daemon) throws IOException {
    double percent = 100;
    for (int window = 0; window < IDLE_WINDOWS && percent >= IDLE_PERCENT_MAX; window++) {
      long ticks = ticks(daemon);
      Await.pauseNanos(RUN_NANOS);
      percent = (ticks(daemon) - ticks) * 1e9 / RUN_NANOS; // a tick is 10 ms
      System.out.printf("idle: %.1f %% of one core%n", percent);
    }
    assertTrue(percent < IDLE_PERCENT_MAX, percent + " % of one core");
  }

  private static long ticks(ServeProcess daemon) throws IOException {
    String stat = Files.readString(Path.of("/proc", Long.toString(daemon.pid()), "stat"));
    String[] columns = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    return Long.parseLong(columns[11]) + Long.parseLong(columns[12]);
  }
}
