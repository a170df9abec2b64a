package io.widerow.ingest.serve.reply;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.ingest.http.HttpAnswers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/// Limits concurrent queries per kind. A query without a free slot waits a moment for one: a client
/// that sends one query after the other has its whole result a moment before its slot is free, and
/// would be refused when it is faster than these threads. Waiting queries get slots in FIFO order,
/// before later queries.
///
/// - Threads: any; taking a slot never blocks.
public final class QuerySlots {
  private static final int PATIENCE_MILLIS = 250;

  /// Questions that wait at a time; more are refused at once.
  private static final int WAITING_MAX = 256;

  private final Semaphore free;
  private final Semaphore waiting = new Semaphore(WAITING_MAX);
  private final int patienceMillis;

  /// @param most answers at a time
  public QuerySlots(int most) {
    this(most, PATIENCE_MILLIS);
  }

  QuerySlots(int most, int patienceMillis) {
    this.free = new Semaphore(most, true);
    this.patienceMillis = patienceMillis;
  }

  /// The answer that `work` makes on the server's blocking executor, in a place, now or soon;
  /// [#busy()] when none gets free.
  public HttpResponse answer(ServiceRequestContext context, Supplier<HttpResponse> work) {
    return take(() ->
        HttpResponse.of(
            CompletableFuture.supplyAsync(() -> inPlace(work), context.blockingTaskExecutor())));
  }

  private HttpResponse inPlace(Supplier<HttpResponse> work) {
    try {
      return work.get();
    } finally {
      leave();
    }
  }

  /// The answer of one who has a place, now or soon; [#busy()] when none gets free.
  ///
  /// @param withPlace begins the answer, on this thread or another one; that answer must
  ///   [#leave()]. When this throws, the place is free again
  public HttpResponse take(Supplier<HttpResponse> withPlace) {
    return take(withPlace, QuerySlots::busy);
  }

  /// As [#take(Supplier)].
  ///
  /// @param refused the answer when no place gets free
  public HttpResponse take(Supplier<HttpResponse> withPlace, Supplier<HttpResponse> refused) {
    if (tryPlace()) {
      return begin(withPlace);
    }
    if (!waiting.tryAcquire()) {
      return refused.get();
    }
    CompletableFuture<HttpResponse> begun = new CompletableFuture<>();
    var _ = Thread.ofVirtual().name("widerow-place").start(() -> await(withPlace, refused, begun));
    return HttpResponse.of(begun);
  }

  /// Takes a place that is free, and that nobody waits for: a plain `tryAcquire()` would pass those
  /// who wait, again and again when many ask.
  private boolean tryPlace() {
    try {
      return free.tryAcquire(0, TimeUnit.NANOSECONDS);
    } catch (InterruptedException interrupted) { // the thread that waits for a place is another one
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /// Whether somebody waits for a place.
  boolean isAwaited() {
    return free.hasQueuedThreads();
  }

  private HttpResponse begin(Supplier<HttpResponse> withPlace) {
    try {
      return withPlace.get();
    } catch (Throwable failure) { // as when there is no memory for a thread
      leave();
      throw failure;
    }
  }

  private void await(
      Supplier<HttpResponse> withPlace,
      Supplier<HttpResponse> refused,
      CompletableFuture<HttpResponse> begun) {
    try {
      boolean has = free.tryAcquire(patienceMillis, TimeUnit.MILLISECONDS);
      begun.complete(has ? begin(withPlace) : refused.get());
    } catch (Throwable failure) { // else the client would wait for ever
      begun.completeExceptionally(failure);
    } finally {
      waiting.release();
    }
  }

  /// Frees a place that was taken.
  public void leave() {
    free.release();
  }

  /// The answer when there are too many.
  public static HttpResponse busy() {
    return HttpAnswers.error(HttpStatus.SERVICE_UNAVAILABLE, "too many queries; try again");
  }
}
