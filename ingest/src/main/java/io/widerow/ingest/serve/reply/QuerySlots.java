package io.widerow.ingest.serve.reply;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.ingest.http.HttpResponses;
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

  /// Queries that wait at a time; more are refused at once.
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

  /// Runs `work` on the server's blocking executor when a slot is free; returns [#busy()] when none
  /// becomes free in time.
  public HttpResponse answer(ServiceRequestContext context, Supplier<HttpResponse> work) {
    return take(() ->
        HttpResponse.of(
            CompletableFuture.supplyAsync(() -> inSlot(work), context.blockingTaskExecutor())));
  }

  private HttpResponse inSlot(Supplier<HttpResponse> work) {
    try {
      return work.get();
    } finally {
      leave();
    }
  }

  /// Begins a response when a slot is free; returns [#busy()] when none becomes free in time.
  ///
  /// @param withSlot begins the response, on this thread or another one; that response must
  ///   [#leave()]. When this throws, the slot is free again
  public HttpResponse take(Supplier<HttpResponse> withSlot) {
    return take(withSlot, QuerySlots::busy);
  }

  /// As [#take(Supplier)].
  ///
  /// @param refused the response when no slot becomes free
  public HttpResponse take(Supplier<HttpResponse> withSlot, Supplier<HttpResponse> refused) {
    if (trySlot()) {
      return begin(withSlot);
    }
    if (!waiting.tryAcquire()) {
      return refused.get();
    }
    CompletableFuture<HttpResponse> begun = new CompletableFuture<>();
    var _ = Thread.ofVirtual().name("widerow-slot").start(() -> await(withSlot, refused, begun));
    return HttpResponse.of(begun);
  }

  /// Takes a free slot that no query waits for: a plain `tryAcquire()` would overtake the waiting
  /// queries, indefinitely under load.
  private boolean trySlot() {
    try {
      return free.tryAcquire(0, TimeUnit.NANOSECONDS);
    } catch (InterruptedException interrupted) { // another thread waits for the slot
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /// Whether a query waits for a slot.
  boolean isAwaited() {
    return free.hasQueuedThreads();
  }

  private HttpResponse begin(Supplier<HttpResponse> withSlot) {
    try {
      return withSlot.get();
    } catch (Throwable failure) { // as when there is no memory for a thread
      leave();
      throw failure;
    }
  }

  private void await(
      Supplier<HttpResponse> withSlot,
      Supplier<HttpResponse> refused,
      CompletableFuture<HttpResponse> begun) {
    try {
      boolean has = free.tryAcquire(patienceMillis, TimeUnit.MILLISECONDS);
      begun.complete(has ? begin(withSlot) : refused.get());
    } catch (Throwable failure) { // else the client would wait indefinitely
      begun.completeExceptionally(failure);
    } finally {
      waiting.release();
    }
  }

  /// Frees a slot that was taken.
  public void leave() {
    free.release();
  }

  /// The response when there are too many.
  public static HttpResponse busy() {
    return HttpResponses.error(HttpStatus.SERVICE_UNAVAILABLE, "too many queries; try again");
  }
}
