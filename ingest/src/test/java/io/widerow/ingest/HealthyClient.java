package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/// A client that does nothing wrong: sends an event every few milliseconds, counts those that were
/// acknowledged, and measures how long it waits.
///
/// - Threads: one of its own.
final class HealthyClient implements AutoCloseable {
  private static final long PAUSE_NANOS = 5_000_000;

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final int port;
  private final String type;
  private final Histogram micros = new Histogram(60_000_000L, 3);
  private final Thread thread;
  private long acknowledged;
  private long failed; // in all
  private long failedTold;
  private volatile boolean ending;

  HealthyClient(int port, String type) {
    this.port = port;
    this.type = type;
    this.thread = Thread.ofPlatform().name("healthy").start(this::run);
  }

  private void run() {
    long due = System.nanoTime();
    for (int n = 0; !ending; n++) {
      LockSupport.parkNanos(due - System.nanoTime());
      boolean stored = send("{\"n\":" + n + ",\"ts\":" + (1_700_000_000_000L + n) + "}\n");
      synchronized (micros) {
        micros.recordValue(Math.min((System.nanoTime() - due) / 1_000, 60_000_000L));
        acknowledged += stored ? 1 : 0;
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

  /// What it waited, and how often in vain.
  record Figures(long p50Micros, long p99Micros, long requests, long failed) {
    @Override
    public String toString() {
      return "%.1f / %.1f ms, %d of %d failed"
          .formatted(p50Micros / 1e3, p99Micros / 1e3, failed, requests);
    }
  }

  /// Those since it was asked last.
  Figures figures() {
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

  /// Ends, and holds what is stored against what was acknowledged.
  void verify() throws InterruptedException, IOException {
    ending = true;
    thread.join();
    URI all = URI.create("http://127.0.0.1:%d/v1/query?type=%s&fields=n".formatted(port, type));
    HttpResponse<String> answer =
        client.send(HttpRequest.newBuilder(all).build(), BodyHandlers.ofString());
    long stored = answer.body().lines().filter(line -> line.contains("\"n\":")).count();
    assertEquals(acknowledged + unknown(stored), stored, "stored of " + acknowledged);
  }

  /// Events whose answer did not come may be there.
  private long unknown(long stored) {
    return Math.clamp(stored - acknowledged, 0, failed);
  }

  @Override
  public void close() {
    ending = true;
    client.shutdownNow();
  }
}
