package io.widerow.query;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;

/// Goal: each piece is done once, whatever the other threads do, and none works after the end.
/// Method: executors that help, that drop work and that come late; pieces that fail.
class SharedWorkTest {
  private static final int PIECES = 5_000;

  private static int[] done(Executor others) {
    AtomicIntegerArray times = new AtomicIntegerArray(PIECES);
    new SharedWork(PIECES, times::incrementAndGet, () -> {}).run(others, 3);
    int[] all = new int[PIECES];
    Arrays.setAll(all, times::get);
    return all;
  }

  @Test
  void eachPieceIsDoneOnce() {
    int[] once = new int[PIECES];
    Arrays.fill(once, 1);
    assertArrayEquals(once, done(_ -> {}), "dropped");
    assertArrayEquals(once, done(Runnable::run), "done by the first helper");
    try (ExecutorService threads = Executors.newFixedThreadPool(3)) {
      assertArrayEquals(once, done(threads), "shared");
    }
  }

  @Test
  void aHelperThatComesLateDoesNothing() {
    Runnable[] late = new Runnable[1];
    AtomicInteger pieces = new AtomicInteger();
    new SharedWork(9, _ -> pieces.incrementAndGet(), () -> {}).run(help -> late[0] = help, 1);
    assertEquals(9, pieces.get());
    late[0].run();
    assertEquals(9, pieces.get());
  }

  @Test
  void theFirstFailureEndsTheWork() {
    AtomicInteger pieces = new AtomicInteger();
    SharedWork failing =
        new SharedWork(
            PIECES,
            piece -> {
              pieces.incrementAndGet();
              throw new IllegalStateException("piece " + piece);
            },
            () -> {});
    assertThrows(IllegalStateException.class, () -> failing.run(Runnable::run, 1));
    assertEquals(1, pieces.get(), "a helper's failure");
    CountDownLatch checked = new CountDownLatch(1); // helpers do not finish all before that
    SharedWork cancelled =
        new SharedWork(
            PIECES,
            _ -> {
              await(checked);
              pieces.incrementAndGet();
            },
            () -> {
              checked.countDown();
              throw new QueryException.Stopped("the query was cancelled");
            });
    try (ExecutorService threads = Executors.newFixedThreadPool(3)) {
      assertThrows(QueryException.Stopped.class, () -> cancelled.run(threads, 3));
      assertTrue(pieces.get() <= PIECES);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }
}
