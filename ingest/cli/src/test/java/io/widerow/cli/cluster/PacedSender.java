package io.widerow.cli.cluster;

import io.widerow.faults.Await;
import io.widerow.ingest.Http;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.function.IntPredicate;

/// Sends numbered events to a daemon on this machine at a rate that the daemon cannot slow down:
/// each batch has its time. Events have the type `paced`, the time at which they are sent, a number
/// `n` and a line of text; batches have a key.
///
/// - Threads: one; requests are on virtual ones.
final class PacedSender {
  /// Maximum batches in progress. A batch that waits for its turn is as late as its response.
  private static final int CONNECTIONS = 256;

  private final URI events;
  private final int eventsABatch;
  private final double batchesASecond;

  /// An answer, in nanoseconds of [System#nanoTime].
  ///
  /// @param atQuorum whether the level `quorum` was asked for, else `disk`
  /// @param dueNanos when the batch was to be sent
  record Answer(int batch, boolean atQuorum, int status, String body, long dueNanos, long atNanos) {
    boolean claimsQuorum() {
      return body.contains("\"durability\":\"quorum\"");
    }

    double latencyMillis() {
      return (atNanos - dueNanos) / 1e6;
    }
  }

  PacedSender(int port, int eventsASecond, int eventsABatch) {
    this.events = URI.create("http://127.0.0.1:" + port + "/v1/events?durability=");
    this.eventsABatch = eventsABatch;
    this.batchesASecond = (double) eventsASecond / eventsABatch;
  }

  /// Sends batches `[from, until)` and waits for all answers.
  List<Answer> send(int from, int until, IntPredicate atQuorum) {
    List<Future<Answer>> answers = new ArrayList<>();
    Semaphore underWay = new Semaphore(CONNECTIONS);
    long began = System.nanoTime();
    try (HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        ExecutorService requests = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int batch = from; batch < until; batch++) {
        int number = batch;
        long due = began + (long) ((batch - from) / batchesASecond * 1e9);
        Await.pauseNanos(due - System.nanoTime());
        underWay.acquireUninterruptibly();
        answers.add(
            requests.submit(() -> {
              try {
                return send(client, number, atQuorum.test(number), due);
              } finally {
                underWay.release();
              }
            }));
      }
    }
    return answers.stream().map(PacedSender::answer).toList();
  }

  private static Answer answer(Future<Answer> answered) {
    if (answered.state() == Future.State.FAILED) {
      throw new AssertionError("a batch has no answer", answered.exceptionNow());
    }
    return answered.resultNow();
  }

  private Answer send(HttpClient client, int batch, boolean atQuorum, long due) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(events + (atQuorum ? "quorum" : "disk")))
            .header("content-type", Http.NDJSON)
            .header("idempotency-key", "paced-" + batch)
            .POST(BodyPublishers.ofString(body(batch)))
            .build();
    try {
      HttpResponse<String> got = client.send(request, BodyHandlers.ofString());
      return new Answer(batch, atQuorum, got.statusCode(), got.body(), due, System.nanoTime());
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    } catch (InterruptedException interrupt) {
      throw new IllegalStateException(interrupt);
    }
  }

  private String body(int batch) {
    StringBuilder body = new StringBuilder(eventsABatch * 150);
    long nanos = System.currentTimeMillis() * 1_000_000;
    for (int i = 0; i < eventsABatch; i++) {
      int n = batch * eventsABatch + i;
      body.append("{\"ts\":").append(nanos + i).append(",\"type\":\"paced\",\"n\":").append(n);
      body.append(",\"body\":\"GET /item/").append(n % 9_973).append(" HTTP/1.1 200 ");
      body.append(n * 31 % 65_537).append(" Mozilla/5.0 (X11; Linux x86_64) Firefox\"}\n");
    }
    return body.toString();
  }
}
