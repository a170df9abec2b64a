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

/// Goal: a query without a free slot waits for one instead of being refused; a query that gets none
/// in time is refused, and takes none. Method: slots that the test frees, with answers that it
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

  private CompletableFuture<AggregatedHttpResponse> ask(QuerySlots slots) {
    return slots.take(this::answer).aggregate();
  }

  private CompletableFuture<AggregatedHttpResponse> ask(
      QuerySlots slots, List<Integer> order, int number) {
    return slots
        .take(() -> {
          order.add(number);
          return answer();
        })
        .aggregate();
  }

  @Test
  void whoComesTooEarlyWaits() {
    QuerySlots slots = new QuerySlots(2, LONG_MILLIS);
    assertEquals(HttpStatus.OK, ask(slots).join().status());
    assertEquals(HttpStatus.OK, ask(slots).join().status());
    CompletableFuture<AggregatedHttpResponse> third = ask(slots);
    CompletableFuture<AggregatedHttpResponse> fourth = ask(slots);
    assertEquals(2, begun.get());
    assertFalse(third.isDone());
    slots.leave();
    CompletableFuture.anyOf(third, fourth).join();
    assertEquals(3, begun.get(), "one slot was free");
    slots.leave();
    assertEquals(HttpStatus.OK, third.join().status());
    assertEquals(HttpStatus.OK, fourth.join().status());
  }

  @Test
  void whoFindsNoneIsRefusedAndTakesNone() {
    QuerySlots slots = new QuerySlots(1, SHORT_MILLIS);
    ask(slots).join();
    AggregatedHttpResponse refused = ask(slots).join();
    assertEquals(HttpStatus.SERVICE_UNAVAILABLE, refused.status());
    assertTrue(refused.contentUtf8().contains("too many queries; try again"));
    HttpStatus other =
        slots
            .take(this::answer, () -> HttpResponse.of(HttpStatus.TOO_MANY_REQUESTS))
            .aggregate()
            .join()
            .status();
    assertEquals(HttpStatus.TOO_MANY_REQUESTS, other, "as this interface says it");
    assertEquals(1, begun.get());
    slots.leave();
    assertEquals(HttpStatus.OK, ask(slots).join().status());
  }

  @Test
  void theWaitingAreNotMoreThanSome() {
    QuerySlots slots = new QuerySlots(1, LONG_MILLIS);
    ask(slots).join();
    List<CompletableFuture<AggregatedHttpResponse>> waiting = new ArrayList<>();
    for (int i = 0; i < 256; i++) {
      waiting.add(ask(slots));
    }
    assertEquals(HttpStatus.SERVICE_UNAVAILABLE, ask(slots).join().status(), "at once");
    for (int i = 0; i < waiting.size(); i++) {
      slots.leave();
    }
    waiting.forEach(each -> assertEquals(HttpStatus.OK, each.join().status()));
  }

  /// In each round one waits when the slot gets free and another one comes. Without turns the one
  /// who comes is faster than the thread of the one who waits.
  @Test
  void whoComesLaterDoesNotPassWhoWaits() {
    QuerySlots slots = new QuerySlots(1, LONG_MILLIS);
    List<Integer> order = new CopyOnWriteArrayList<>();
    List<Integer> expected = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      ask(slots).join();
      int first = 2 * round;
      CompletableFuture<AggregatedHttpResponse> waits = ask(slots, order, first);
      Await.until(() -> slots.isAwaited(), "a slot is awaited");
      slots.leave();
      CompletableFuture<AggregatedHttpResponse> comes = ask(slots, order, first + 1);
      Await.until(() -> order.size() != first, "the next one has its slot");
      slots.leave();
      assertEquals(HttpStatus.OK, waits.join().status());
      assertEquals(HttpStatus.OK, comes.join().status());
      slots.leave();
      expected.addAll(List.of(first, first + 1));
    }
    assertEquals(expected, order);
  }

  @Test
  void whoIsInterruptedWaitsForASlot() {
    QuerySlots slots = new QuerySlots(1, LONG_MILLIS);
    Thread.currentThread().interrupt();
    CompletableFuture<AggregatedHttpResponse> asked = ask(slots);
    assertTrue(Thread.interrupted(), "it is still said");
    assertEquals(HttpStatus.OK, asked.join().status());
  }

  @Test
  void anAnswerThatCannotBeginLeavesItsSlot() {
    QuerySlots slots = new QuerySlots(1, LONG_MILLIS);
    assertThrows(
        IllegalStateException.class,
        () ->
            slots.take(() -> {
              throw new IllegalStateException("no thread");
            }));
    assertEquals(HttpStatus.OK, ask(slots).join().status());
  }
}
