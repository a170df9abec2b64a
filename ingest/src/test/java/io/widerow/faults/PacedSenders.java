package io.widerow.faults;

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
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;

/// Senders of events of one type at a rate, stamped by the daemon. Each batch has a key and is sent
/// again until it is acknowledged, so that the daemon must have each event once.
///
/// - Threads: one for each sender, with one request at a time. Figures may be asked for by any.
public final class PacedSenders implements AutoCloseable {
  private static final int FLUSHES = 20; // a second, of each sender

  private final HttpClient client =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(5))
          .build();
  private final List<Thread> threads = new ArrayList<>();
  private final ConcurrentLinkedQueue<Long> nanos = new ConcurrentLinkedQueue<>();
  private final LongAdder sent = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private final String event;
  private final String type;
  private volatile int port;
  private volatile int perBatch;
  private volatile boolean ending;
  private volatile boolean closed;

  /// @param port of the daemon, on this machine
  /// @param perSecond events a second of all senders
  public PacedSenders(int port, String type, int perSecond, int senders) {
    this.port = port;
    this.type = type;
    this.event =
        "{\"type\":\"%s\",\"level\":\"info\",\"status\":200,\"ms\":17,\"body\":\"GET /cart\"}\n"
            .formatted(type);
    at(perSecond, senders);
    for (int sender = 0; sender < senders; sender++) {
      int number = sender;
      threads.add(Thread.ofPlatform().daemon().name(type + "-" + sender).start(() -> send(number)));
    }
  }

  private void at(int perSecond, int senders) {
    perBatch = Math.ceilDiv(perSecond, FLUSHES * senders);
  }

  /// Sends at another rate from now on.
  public void at(int perSecond) {
    at(perSecond, threads.size());
  }

  /// The daemon has another port now.
  public void moveTo(int now) {
    port = now;
  }

  /// Forgets how long answers took.
  public void forgetTimes() {
    nanos.clear();
  }

  /// A quantile of the times from when a batch was due to its answer, in milliseconds. Batches that
  /// had to be sent again count for nothing.
  public double millis(double quantile) {
    List<Long> sorted = nanos.stream().sorted().toList();
    return sorted.get((int) (quantile * (sorted.size() - 1))) / 1e6;
  }

  /// Events acknowledged.
  public long sent() {
    return sent.sum();
  }

  /// Batches that a daemon answered with anything but that it took all of it.
  public long refused() {
    return refused.sum();
  }

  private void send(int sender) {
    long due = System.nanoTime();
    for (int batch = 0; !ending; batch++) {
      int count = perBatch;
      HttpRequest.Builder request =
          HttpRequest.newBuilder()
              .timeout(Duration.ofSeconds(30))
              .header("content-type", Http.NDJSON)
              .header("idempotency-key", type + "-" + sender + "-" + batch)
              .POST(BodyPublishers.ofString(event.repeat(count)));
      boolean again = false;
      while (!post(request)) {
        if (closed) {
          return;
        }
        again = true;
        Await.pauseNanos(10_000_000);
      }
      sent.add(count);
      long now = System.nanoTime();
      if (again) {
        due = now;
      } else {
        nanos.add(now - due);
      }
      due += 1_000_000_000L / FLUSHES;
      Await.pauseNanos(due - System.nanoTime()); // the rate is measured
    }
  }

  private boolean post(HttpRequest.Builder request) {
    URI uri = URI.create("http://127.0.0.1:" + port + "/v1/events");
    try {
      HttpResponse<String> answer =
          client.send(request.copy().uri(uri).build(), BodyHandlers.ofString());
      if (answer.statusCode() != 200 || !answer.body().contains("\"rejected\":[]")) {
        refused.increment();
      }
      return answer.statusCode() == 200;
    } catch (IOException gone) {
      return false; // killed; it may be stored or not
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }

  /// Ends the senders, each once its batch is acknowledged.
  public void end() throws InterruptedException {
    ending = true;
    for (Thread thread : threads) {
      thread.join();
    }
  }

  @Override
  public void close() {
    closed = true;
    try {
      end();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    client.close();
  }
}
