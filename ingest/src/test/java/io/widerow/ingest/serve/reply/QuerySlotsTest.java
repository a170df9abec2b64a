package io.widerow.ingest.serve.reply;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import io.widerow.faults.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Goal: who comes a moment too early waits for a place instead of being refused; who finds none in
/// time is refused, and takes none. Method: places that the test frees, with answers that it
/// counts.
@Timeout(300)
class QuerySlotsTest {
  private static final int LONG_MILLIS = 50_000;
  private static final int SHORT_MILLIS = 1;
  private static final int ROUNDS = 100;

  private final AtomicInteger begun = new AtomicInteger();

  private HttpResponse answer() {
    begun.incrementAndGet();
    return HttpResponse.of(HttpStatus.OK);
  }

  private CompletableFuture<AggregatedHttpResponse> ask(QuerySlots places) {
    return places.take(this::answer).aggregate();
  }

  private CompletableFuture<AggregatedHttpResponse> ask(
      QuerySlots places, List<Integer> order, int number) {
    return places
        .take(() -> {
          order.add(number);
          return answer();
        })
        .aggregate();
  }

  @Test
  void whoComesTooEarlyWaits() {
    QuerySlots places = new QuerySlots(2, LONG_MILLIS);
    assertEquals(HttpStatus.OK, ask(places).join().status());
    assertEquals(HttpStatus.OK, ask(places).join().status());
    CompletableFuture<AggregatedHttpResponse> third = ask(places);
    CompletableFuture<AggregatedHttpResponse> fourth = ask(places);
    assertEquals(2, begun.get());
    assertFalse(third.isDone());
    places.leave();
    CompletableFuture.anyOf(third, fourth).join();
    assertEquals(3, begun.get(), "one place was free");
    places.leave();
    assertEquals(HttpStatus.OK, third.join().status());
    assertEquals(HttpStatus.OK, fourth.join().status());
  }

  @Test
  void whoFindsNoneIsRefusedAndTakesNone() {
    QuerySlots places = new QuerySlots(1, SHORT_MILLIS);
    ask(places).join();
    AggregatedHttpResponse refused = ask(places).join();
    assertEquals(HttpStatus.SERVICE_UNAVAILABLE, refused.status());
    assertTrue(refused.contentUtf8().contains("too many queries; try again"));
    HttpStatus other =
        places
            .take(this::answer, () -> HttpResponse.of(HttpStatus.TOO_MANY_REQUESTS))
            .aggregate()
            .join()
            .status();
    assertEquals(HttpStatus.TOO_MANY_REQUESTS, other, "as this interface says it");
    assertEquals(1, begun.get());
    places.leave();
    assertEquals(HttpStatus.OK, ask(places).join().status());
  }

  @Test
  void theWaitingAreNotMoreThanSome() {
    QuerySlots places = new QuerySlots(1, LONG_MILLIS);
    ask(places).join();
    List<CompletableFuture<AggregatedHttpResponse>> waiting = new ArrayList<>();
    for (int i = 0; i < 256; i++) {
      waiting.add(ask(places));
    }
    assertEquals(HttpStatus.SERVICE_UNAVAILABLE, ask(places).join().status(), "at once");
    for (int i = 0; i < waiting.size(); i++) {
      places.leave();
    }
    waiting.forEach(each -> assertEquals(HttpStatus.OK, each.join().status()));
  }

  /// In each round one waits when the place gets free and another one comes. Without turns the one
  /// who comes is faster than the thread of the one who waits.
  @Test
  void whoComesLaterDoesNotPassWhoWaits() {
    QuerySlots places = new QuerySlots(1, LONG_MILLIS);
    List<Integer> order = new CopyOnWriteArrayList<>();
    List<Integer> expected = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      ask(places).join();
      int first = 2 * round;
      CompletableFuture<AggregatedHttpResponse> waits = ask(places, order, first);
      Await.until(() -> places.isAwaited(), "a place is awaited");
      places.leave();
      CompletableFuture<AggregatedHttpResponse> comes = ask(places, order, first + 1);
      Await.until(() -> order.size() != first, "the next one has its place");
      places.leave();
      assertEquals(HttpStatus.OK, waits.join().status());
      assertEquals(HttpStatus.OK, comes.join().status());
      places.leave();
      expected.addAll(List.of(first, first + 1));
    }
    assertEquals(expected, order);
  }

  @Test
  void whoIsInterruptedWaitsForAPlace() {
    QuerySlots places = new QuerySlots(1, LONG_MILLIS);
    Thread.currentThread().interrupt();
    CompletableFuture<AggregatedHttpResponse> asked = ask(places);
    assertTrue(Thread.interrupted(), "it is still said");
    assertEquals(HttpStatus.OK, asked.join().status());
  }

  @Test
  void anAnswerThatCannotBeginLeavesItsPlace() {
    QuerySlots places = new QuerySlots(1, LONG_MILLIS);
    assertThrows(
        IllegalStateException.class,
        () ->
            places.take(() -> {
              throw new IllegalStateException("no thread");
            }));
    assertEquals(HttpStatus.OK, ask(places).join().status());
  }
}
