package io.widerow.loadgen.compare;

import io.widerow.loadgen.format.Quantity;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// Clients that each repeat one [HeavyQuery] until they are closed. With `leaveNanos`, a client
/// waits at most so long for every second response and then disconnects, like a user who closes a
/// page.
///
/// - Threads: `heavy-0..`, from the start to [#close], and those of the JDK's client.
final class HeavyClients implements AutoCloseable {
  private static final int OK = 200;
  private static final long PAUSE_MILLIS = 100; // after a failure, so that they do not spin

  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .proxy(HttpClient.Builder.NO_PROXY)
          .build();
  private final long leaveNanos;
  private final List<Thread> threads = new ArrayList<>();
  private final LongAdder answers = new LongAdder();
  private final LongAdder left = new LongAdder();
  private final LongAdder failures = new LongAdder();
  private final AtomicReference<@Nullable String> failure = new AtomicReference<>();
  private volatile boolean ending;

  private HeavyClients(long leaveNanos) {
    this.leaveNanos = leaveNanos;
  }

  /// @param queries a client for each
  /// @param leaveNanos after which the client leaves every second response; 0 for never
  static HeavyClients start(
      InetSocketAddress address,
      List<HeavyQuery> queries,
      HeavyQuery.Range range,
      long leaveNanos) {
    HeavyClients clients = new HeavyClients(leaveNanos);
    for (HeavyQuery query : queries) {
      HttpRequest request = query.request(address, range);
      clients.threads.add(
          Thread.ofPlatform()
              .name("heavy-" + clients.threads.size())
              .daemon()
              .start(() -> clients.run(request)));
    }
    return clients;
  }

  /// Sends a query once, and reads the response to its end.
  ///
  /// @throws IOException when it is refused
  static void once(InetSocketAddress address, HeavyQuery query, HeavyQuery.Range range)
      throws IOException {
    try (HeavyClients one = new HeavyClients(0)) {
      one.ask(query.request(address, range), Long.MAX_VALUE);
      if (one.answers() == 0) {
        throw new IOException("%s: %s".formatted(query, one.failure()));
      }
    }
  }

  /// Answers that were read to their ends.
  long answers() {
    return answers.sum();
  }

  /// Answers that were left.
  long left() {
    return left.sum();
  }

  /// Refused or broken ones.
  long failures() {
    return failures.sum();
  }

  /// What the first of them said; null for none.
  @Nullable String failure() {
    return failure.get();
  }

  private void run(HttpRequest request) {
    for (long number = 0; !ending; number++) {
      boolean leaves = leaveNanos > 0 && number % 2 == 1;
      ask(request, leaves ? leaveNanos : Long.MAX_VALUE);
    }
  }

  private void ask(HttpRequest request, long nanosMax) {
    CompletableFuture<HttpResponse<String>> asked =
        http.sendAsync(request, HeavyClients::contentOfRefusals);
    try {
      HttpResponse<String> answer = asked.get(nanosMax, TimeUnit.NANOSECONDS);
      if (answer.statusCode() == OK) {
        answers.increment();
      } else {
        failed("%d %s".formatted(answer.statusCode(), answer.body().strip()));
      }
    } catch (TimeoutException _) {
      boolean _ = asked.cancel(true); // closes the connection
      left.increment();
    } catch (ExecutionException broken) {
      failed(String.valueOf(broken.getCause()));
    } catch (InterruptedException _) { // by close
      boolean _ = asked.cancel(true);
      Thread.currentThread().interrupt();
    }
  }

  /// Discards the body of a result; keeps the body of a refusal.
  private static HttpResponse.BodySubscriber<String> contentOfRefusals(
      HttpResponse.ResponseInfo head) {
    return head.statusCode() == OK
        ? BodySubscribers.replacing("")
        : BodySubscribers.ofString(StandardCharsets.UTF_8);
  }

  private void failed(String what) {
    failures.increment();
    failure.compareAndSet(null, what);
    LockSupport.parkNanos(PAUSE_MILLIS * Quantity.MILLI);
  }

  /// Ends the clients, and waits for them.
  @Override
  public void close() {
    ending = true;
    threads.forEach(Thread::interrupt);
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
        break;
      }
    }
    http.shutdownNow();
    http.close();
  }
}
