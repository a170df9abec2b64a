package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Senders that keep a ledger of the batches that were acknowledged, and repeat a batch with its
/// key until it is. Sender `s` sends events `n` = 0, 1, 2 ... whose times rise with `n`.
///
/// - Threads: one per sender, each with one request at a time.
final class LedgerLoad implements AutoCloseable {
  static final int EVENTS_PER_BATCH = 20;

  private static final long START_NANOS = 1_763_665_200_000_000_000L;
  private static final Pattern EVENT =
      Pattern.compile("\"ts\":\"([^\"]*)\".*\"n\":(\\d+).*\"s\":(\\d+)");

  private final HttpClient client =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(5))
          .build();
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicIntegerArray acknowledged; // batches, by sender
  private final AtomicLong repeats = new AtomicLong();
  private final AtomicLong recognised = new AtomicLong();
  private volatile int port;
  private volatile boolean ending;

  LedgerLoad(int senders, int port) {
    this.acknowledged = new AtomicIntegerArray(senders);
    this.port = port;
    for (int sender = 0; sender < senders; sender++) {
      int number = sender;
      threads.add(Thread.ofPlatform().name("sender-" + sender).start(() -> send(number)));
    }
  }

  /// Where the daemon is now.
  void moveTo(int newPort) {
    port = newPort;
  }

  /// Batches acknowledged so far.
  long acknowledged() {
    long all = 0;
    for (int sender = 0; sender < acknowledged.length(); sender++) {
      all += acknowledged.get(sender);
    }
    return all;
  }

  /// Repeats that the daemon took for what they were.
  long recognised() {
    return recognised.get();
  }

  long repeats() {
    return repeats.get();
  }

  void awaitMore(long batches) {
    long until = acknowledged() + batches;
    while (acknowledged() < until) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  /// Waits for so many more attempts that were not answered with success.
  void awaitRefused(long attempts) {
    long until = repeats.get() + attempts;
    while (repeats.get() < until) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  private void send(int sender) {
    for (int batch = 0; !ending; batch++) {
      while (!send(sender, batch)) {
        repeats.incrementAndGet();
        LockSupport.parkNanos(10_000_000);
      }
      acknowledged.set(sender, batch + 1);
    }
  }

  private boolean send(int sender, int batch) {
    StringBuilder body = new StringBuilder();
    for (int i = 0; i < EVENTS_PER_BATCH; i++) {
      int n = batch * EVENTS_PER_BATCH + i;
      body.append("{\"ts\":").append(START_NANOS + n * 1_000L).append(",\"type\":\"load\",\"n\":");
      body.append(n).append(",\"s\":").append(sender).append("}\n");
    }
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/v1/events"))
            .timeout(Duration.ofSeconds(20))
            .header("content-type", Http.NDJSON)
            .header("idempotency-key", sender + "-" + batch)
            .POST(BodyPublishers.ofString(body.toString()))
            .build();
    try {
      HttpResponse<String> answer = client.send(request, BodyHandlers.ofString());
      recognised.addAndGet(answer.body().contains("\"duplicate\":true") ? 1 : 0);
      return answer.statusCode() == 200;
    } catch (IOException gone) {
      return false; // whether it was stored is not known: it is repeated
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }

  /// Ends the senders, each when its batch is acknowledged.
  void end() throws InterruptedException {
    ending = true;
    for (Thread thread : threads) {
      thread.join();
    }
  }

  /// Holds what the daemon shows against the ledger: nothing is missing, nothing is there twice,
  /// all is in order. Only after [#end].
  void verify() throws IOException, InterruptedException {
    int[] seen = readBack();
    for (int sender = 0; sender < seen.length; sender++) {
      assertEquals(acknowledged.get(sender) * EVENTS_PER_BATCH, seen[sender], "of " + sender);
    }
  }

  /// The same while the senders go on: what was acknowledged by now must be there, and more may be.
  void verifyAcknowledged() throws IOException, InterruptedException {
    int[] before = new int[acknowledged.length()];
    Arrays.setAll(before, acknowledged::get);
    int[] seen = readBack();
    for (int sender = 0; sender < seen.length; sender++) {
      int least = before[sender] * EVENTS_PER_BATCH;
      assertTrue(seen[sender] >= least, seen[sender] + " of " + least + " of sender " + sender);
    }
  }

  /// Events by sender.
  private int[] readBack() throws IOException, InterruptedException {
    URI all = URI.create("http://127.0.0.1:" + port + "/v1/query?type=load");
    HttpResponse<String> answer =
        client.send(HttpRequest.newBuilder(all).build(), BodyHandlers.ofString());
    int[] next = new int[acknowledged.length()];
    String last = "";
    for (String line : answer.body().lines().toList()) {
      Matcher event = EVENT.matcher(line);
      if (event.find()) {
        int sender = Integer.parseInt(event.group(3));
        assertEquals(next[sender]++, Integer.parseInt(event.group(2)), "of sender " + sender);
        assertTrue(last.compareTo(event.group(1)) <= 0, line);
        last = event.group(1);
      } else {
        assertTrue(line.startsWith("{\"token\""), line);
      }
    }
    return next;
  }

  @Override
  public void close() {
    ending = true;
    client.shutdownNow();
  }
}
