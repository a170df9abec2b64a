package io.widerow.ingest.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.faults.Await;
import io.widerow.faults.Slice;
import io.widerow.ingest.decode.Refusals;
import io.widerow.storage.Durability;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Goal: the outcome of a batch over two lanes has those of both parts, whichever lane is last.
/// Method: both lanes answer at the same moment, very often.
@Timeout(300)
class JoinTest {
  private static final int ROUNDS = Slice.of(40_000, 200_000);

  private static BatchOutcome.Stored stored(int events) {
    return new BatchOutcome.Stored(events, 0, new Refusals(), Durability.DISK);
  }

  /// A sender that is told "stored" drops what another lane had no room for.
  @Test
  void noPartIsLostWhenTwoLanesAnswerAtOnce() throws Exception {
    BatchSplit.Join[] joins = new BatchSplit.Join[ROUNDS];
    BatchOutcome[] told = new BatchOutcome[ROUNDS];
    BatchOutcome.Stored[] kept = new BatchOutcome.Stored[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
      int round = i;
      joins[i] =
          new BatchSplit.Join(
              2,
              new BatchListener() {
                @Override
                public void kept(BatchOutcome.Stored all) {
                  kept[round] = all;
                }

                @Override
                public void accept(BatchOutcome all) {
                  told[round] = all;
                }
              });
    }
    AtomicInteger one = new AtomicInteger();
    AtomicInteger other = new AtomicInteger();
    ExecutorService lanes = Executors.newFixedThreadPool(2);
    try {
      CompletableFuture.allOf(
              CompletableFuture.runAsync(
                  () -> answer(joins, one, other, stored(1), stored(1)), lanes),
              CompletableFuture.runAsync(
                  () -> answer(joins, other, one, stored(2), new BatchOutcome.Overloaded()), lanes))
          .get(Await.SECONDS, TimeUnit.SECONDS);
    } finally {
      lanes.shutdownNow(); // a lane whose other has failed ends
    }
    for (int i = 0; i < ROUNDS; i++) {
      assertEquals(3, kept[i].stored(), "round " + i);
      assertEquals(new BatchOutcome.Overloaded(), told[i], "round " + i);
    }
  }

  /// Answers each batch as soon as the other lane has answered the one before.
  private static void answer(
      BatchSplit.Join[] joins,
      AtomicInteger done,
      AtomicInteger doneByOther,
      BatchOutcome.Stored kept,
      BatchOutcome outcome) {
    for (BatchSplit.Join join : joins) {
      while (doneByOther.get() < done.get() && !Thread.currentThread().isInterrupted()) {
        // both go on at the same time, which is what may break it
      }
      join.kept(kept);
      join.accept(outcome);
      done.incrementAndGet();
    }
  }
}
