package io.widerow.cli.ship;

import io.widerow.query.QueryException;
import io.widerow.query.remote.DaemonAddress;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/// Sends batches to the daemon until each is acknowledged, refused, or the command ends.
///
/// | response | action |
/// |---|---|
/// | 200, 202 (kept here), or 400 with `rejected` | done, once [Delivery#remedy] is sent, too |
/// | no connection, no response, 408, 429, 5xx | the same again after a while, with the same key |
/// | anything else | the command ends with this response |
///
/// - Threads: one calls [#start]; each batch has a virtual thread.
final class Sender implements AutoCloseable {
  private static final int TOGETHER = 8;
  private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(60);
  private static final long WAIT_NANOS_MIN = 100_000_000L;
  private static final long WAIT_NANOS_MAX = 10_000_000_000L;
  private static final long RETRY_AFTER_SECONDS_MAX = 60;
  private static final int BUSY_TELLS_AFTER = 4; // a busy daemon is usually free a second later
  private static final int STOP_SECONDS = 5; // that a batch in progress gets at a stop
  private static final long SECOND_NANOS = 1_000_000_000L;

  private final DaemonAddress address;
  private final HttpClient client;
  private final String durability;
  private final Tally tally;
  private final Console console;
  private final StopSignal stop;
  private final long giveUpNanos;
  private final Semaphore together = new Semaphore(TOGETHER);
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private long troubleNanos; // since when; 0 for none
  private boolean troubleTold;

  /// @param durability level of the acknowledgement; empty for that of the daemon
  /// @param giveUpNanos longest outage of the daemon; 0 for no limit
  Sender(
      DaemonAddress address,
      String durability,
      Tally tally,
      Console console,
      StopSignal stop,
      long giveUpNanos) {
    this.address = address;
    this.client = address.client();
    this.durability = durability;
    this.tally = tally;
    this.console = console;
    this.stop = stop;
    this.giveUpNanos = giveUpNanos;
  }

  /// A batch that is being sent.
  ///
  /// @param done true when it was acknowledged, false when the command ended before
  record Sending<D extends Delivery>(D batch, CompletableFuture<Boolean> done) {
    /// @return null when it is not done within a second
    private @Nullable Boolean awaitSecond() {
      try {
        return done.get(1, TimeUnit.SECONDS);
      } catch (TimeoutException unanswered) {
        return null;
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        return false;
      } catch (ExecutionException failed) {
        if (failed.getCause() instanceof QueryException.Remote refused) {
          throw refused;
        }
        throw new IllegalStateException(failed.getCause());
      }
    }
  }

  /// Waits until a batch is acknowledged; when the command is to end, a few seconds more.
  ///
  /// @param meanwhile called each second
  /// @return whether it is acknowledged
  /// @throws QueryException.Remote when the daemon does not take it
  boolean await(Sending<?> sending, Runnable meanwhile) {
    int stopSeconds = 0;
    while (stopSeconds < STOP_SECONDS) {
      Boolean done = sending.awaitSecond();
      if (done != null) {
        return done;
      }
      stopSeconds += stop.isAsked() ? 1 : 0;
      meanwhile.run();
    }
    return false;
  }

  /// Begins to send batches of different files.
  <D extends Delivery> List<Sending<D>> start(List<D> batches) {
    List<Sending<D>> all = new ArrayList<>();
    for (D batch : batches) {
      all.add(new Sending<>(batch, CompletableFuture.supplyAsync(() -> deliver(batch), threads)));
    }
    return all;
  }

  private boolean deliver(Delivery batch) {
    try {
      together.acquire();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return false;
    }
    try {
      Deque<Delivery> left = new ArrayDeque<>(List.of(batch));
      while (!left.isEmpty()) {
        if (!send(left.remove(), left)) {
          return false;
        }
      }
      return true;
    } finally {
      together.release();
    }
  }

  /// Sends it until it is acknowledged. False when the command ends before.
  ///
  /// @param more receives the deliveries that retry parts of it
  private boolean send(Delivery batch, Deque<Delivery> more) {
    HttpRequest request = request(batch);
    for (int attempt = 1; ; attempt++) {
      long wait = attempt(batch, request, attempt, more);
      if (wait < 0) {
        return true;
      }
      if (stop.await(wait)) {
        return false;
      }
    }
  }

  private HttpRequest request(Delivery batch) {
    String level = durability.isEmpty() ? "" : "&durability=" + durability;
    return address
        .request(batch.path() + "?" + batch.parameters() + level)
        .version(HttpClient.Version.HTTP_1_1) // an upgrade would send the body twice
        .timeout(ANSWER_TIMEOUT)
        .header("Content-Type", batch.mediaType())
        .header("Idempotency-Key", batch.key())
        .POST(HttpRequest.BodyPublishers.ofByteArray(batch.json()))
        .build();
  }

  /// Sends it once. Negative when it is acknowledged, else how long to wait, in nanoseconds.
  private long attempt(Delivery batch, HttpRequest request, int attempt, Deque<Delivery> more) {
    try {
      HttpResponse<String> answer =
          client.send(request, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
      int status = answer.statusCode();
      BatchResponse all = batch.response(status, answer.body());
      if (all != null) {
        Delivery.Remedy remedy = batch.remedy(all);
        tally.add(batch, all, remedy);
        more.addAll(remedy.again());
        recovered();
        return -1;
      }
      if (status != 408 && status != 429 && status < 500) {
        throw refused(status, answer.body());
      }
      String why = "%s answers %d: %s".formatted(address, status, answer.body().strip());
      troubled(why, status == 507 || attempt >= BUSY_TELLS_AFTER);
      return retryAfterNanos(answer, attempt);
    } catch (IOException failed) {
      if (failed instanceof SSLException) {
        throw address.unreachable(failed);
      }
      if (attempt == 1 && !(failed instanceof ConnectException)) {
        requireSpeaksPlain(failed);
      }
      String why =
          failed instanceof ConnectException
              ? "no daemon answers at " + address
              : "no response from %s (%s)".formatted(address, message(failed));
      troubled(why, true);
      return backOffNanos(attempt);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return 0;
    }
  }

  /// A daemon with TLS sends no readable response to a plain-text request.
  private void requireSpeaksPlain(IOException failed) {
    QueryException.Remote why = address.unreachable(failed);
    if (String.valueOf(why.getMessage()).contains("speaks TLS")) {
      throw why;
    }
  }

  private static String message(IOException failed) {
    String message = failed.getMessage();
    return message == null ? failed.getClass().getSimpleName() : message;
  }

  private QueryException.Remote refused(int status, String body) {
    if (status == 413) {
      return new QueryException.Remote(
          "%s answered 413: %s; send smaller batches with --batch-bytes, or raise its"
                  .formatted(address, body.strip())
              + " body-bytes-max");
    }
    return address.refused(status, body.strip());
  }

  /// Twice as long each time, at random so that many senders do not come back together.
  private static long backOffNanos(int attempt) {
    long most = Math.min(WAIT_NANOS_MAX, WAIT_NANOS_MIN << Math.min(attempt, 10));
    return ThreadLocalRandom.current().nextLong(most / 2, most);
  }

  private static long retryAfterNanos(HttpResponse<String> answer, int attempt) {
    String after = answer.headers().firstValue("Retry-After").orElse("");
    return after.matches("\\d{1,9}")
        ? Math.min(RETRY_AFTER_SECONDS_MAX, Long.parseLong(after)) * SECOND_NANOS
        : backOffNanos(attempt);
  }

  private synchronized void troubled(String why, boolean tell) {
    long now = System.nanoTime();
    if (troubleNanos == 0) {
      troubleNanos = now;
    }
    if (giveUpNanos > 0 && now - troubleNanos > giveUpNanos) {
      throw new QueryException.Remote(
          "%s; gave up after %d s".formatted(why, (now - troubleNanos) / SECOND_NANOS));
    }
    if (tell && !troubleTold) {
      troubleTold = true;
      console.tell(why + "; waiting, nothing is lost");
    }
  }

  private synchronized void recovered() {
    if (troubleTold) {
      long seconds = (System.nanoTime() - troubleNanos) / SECOND_NANOS;
      console.tell("%s takes events again, after %d s".formatted(address, seconds));
    }
    troubleNanos = 0;
    troubleTold = false;
  }

  @Override
  public void close() {
    List<Runnable> _ = threads.shutdownNow();
    client.shutdownNow();
  }
}
