package io.widerow.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.widerow.ingest.Http;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/// A well-behaved client: it sends an event every few milliseconds, records which were
/// acknowledged, and measures how long it waits.
///
/// - Threads: owns one.
public final class HealthyClient implements AutoCloseable {
  private static final long PAUSE_NANOS = 5_000_000;
  private static final Pattern NUMBER = Pattern.compile("\"n\":(\\d+)");

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final int port;
  private final String type;
  private final Histogram micros = new Histogram(60_000_000L, 3);
  private final Thread thread;
  private final BitSet acknowledged = new BitSet(); // by number; of the thread until it ends
  private final BitSet unknown = new BitSet(); // without an answer; may be stored
  private long failed; // total
  private long failedTold;
  private volatile boolean ending;
  private volatile @Nullable Throwable ended; // the failure that ended it, if any

  public HealthyClient(int port, String type) {
    this.port = port;
    this.type = type;
    this.thread =
        Thread.ofPlatform()
            .name("healthy")
            .uncaughtExceptionHandler((_, failure) -> ended = failure)
            .start(this::run);
  }

  private void run() {
    long due = System.nanoTime();
    for (int n = 0; !ending; n++) {
      Await.pauseNanos(due - System.nanoTime());
      boolean stored = send("{\"n\":" + n + ",\"ts\":" + (1_700_000_000_000L + n) + "}\n");
      (stored ? acknowledged : unknown).set(n);
      synchronized (micros) {
        micros.recordValue(Math.min((System.nanoTime() - due) / 1_000, 60_000_000L));
        failed += stored ? 0 : 1;
      }
      due = Math.max(due + PAUSE_NANOS, System.nanoTime() - 20 * PAUSE_NANOS);
    }
  }

  private boolean send(String body) {
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:%d/v1/events?type=%s".formatted(port, type)))
            .timeout(Duration.ofSeconds(30))
            .header("content-type", Http.NDJSON)
            .POST(BodyPublishers.ofString(body))
            .build();
    try {
      return client.send(request, BodyHandlers.ofString()).statusCode() == 200;
    } catch (IOException gone) {
      return false;
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }

  /// Its waiting times and the number of failures.
  public record Figures(long p50Micros, long p99Micros, long requests, long failed) {
    @Override
    public String toString() {
      return "%.1f / %.1f ms, %d of %d failed"
          .formatted(p50Micros / 1e3, p99Micros / 1e3, failed, requests);
    }
  }

  /// Answered since the last call of [#figures].
  public long requests() {
    synchronized (micros) {
      return micros.getTotalCount();
    }
  }

  /// The figures since the last call.
  public Figures figures() {
    synchronized (micros) {
      var figures =
          new Figures(
              micros.getValueAtPercentile(50),
              micros.getValueAtPercentile(99),
              micros.getTotalCount(),
              failed - failedTold);
      micros.reset();
      failedTold = failed;
      return figures;
    }
  }

  /// Ends, and checks the stored events: every acknowledged event once, and of the others at most
  /// those without an answer.
  public void verify() throws InterruptedException, IOException {
    ending = true;
    thread.join();
    assertNull(ended, () -> "the client failed: " + ended);
    URI all = URI.create("http://127.0.0.1:%d/v1/query?type=%s&fields=n".formatted(port, type));
    HttpResponse<String> answer =
        client.send(HttpRequest.newBuilder(all).build(), BodyHandlers.ofString());
    assertEquals(200, answer.statusCode(), answer.body());
    BitSet stored = new BitSet();
    List<String> wrong = new ArrayList<>();
    for (String line : answer.body().lines().toList()) {
      Matcher number = NUMBER.matcher(line);
      if (number.find()) {
        int n = Integer.parseInt(number.group(1));
        if (stored.get(n) || !(acknowledged.get(n) || unknown.get(n))) {
          wrong.add(line);
        }
        stored.set(n);
      }
    }
    assertEquals(List.of(), wrong, "stored twice, or never sent");
    BitSet lost = (BitSet) acknowledged.clone();
    lost.andNot(stored);
    assertEquals(new BitSet(), lost, "acknowledged and lost");
  }

  @Override
  public void close() {
    ending = true;
    client.shutdownNow();
  }
}
