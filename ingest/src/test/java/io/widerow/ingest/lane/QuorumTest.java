package io.widerow.ingest.lane;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.widerow.event.EventId;
import io.widerow.faults.Await;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.storage.Durability;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Goal: no batch is said to be on the cluster before it is, each is answered once, and a cluster
/// that is away costs little. Method: lanes over a store in memory, in which the test decides which
/// batches are applied.
@Timeout(300)
class QuorumTest {
  private static final byte[] TYPE = "t".getBytes(StandardCharsets.US_ASCII);
  private static final Duration LONG = Duration.ofHours(1);
  private static final Duration SHORT = Duration.ofMillis(20);

  private final MemoryStore store = new MemoryStore(1);
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  /// The outcome of a batch, and whether it waited.
  private static final class Answer implements BatchListener {
    final CompletableFuture<BatchOutcome> kept = new CompletableFuture<>();
    final CompletableFuture<BatchOutcome> last = new CompletableFuture<>();
    final AtomicInteger told = new AtomicInteger();

    @Override
    public void kept(BatchOutcome.Stored stored) {
      assertTrue(kept.complete(stored), "kept twice");
    }

    @Override
    public void accept(BatchOutcome outcome) {
      told.incrementAndGet();
      last.complete(outcome);
    }

    BatchOutcome.Stored kept() {
      return stored(kept);
    }

    BatchOutcome.Stored last() {
      return stored(last);
    }

    private static BatchOutcome.Stored stored(CompletableFuture<BatchOutcome> of) {
      return assertInstanceOf(
          BatchOutcome.Stored.class, of.orTimeout(Await.SECONDS, TimeUnit.SECONDS).join());
    }
  }

  private Lanes open(MemoryStore in, int slots, Duration wait) {
    Lanes lanes =
        new Lanes(
            in,
            new Lanes.Settings(slots, 1_000, 1 << 20, 900, wait.toNanos(), Long.MAX_VALUE),
            () -> new SpinThenParkWaitStrategy(10_000),
            new BatchPool(1 << 20, 1 << 16, 64),
            registry,
            () -> 1_000);
    lanes.start();
    return lanes;
  }

  private static Answer write(Lanes lanes, @Nullable BatchKey key, Durability level) {
    IncomingBatch batch = lanes.begin(1_000);
    batch.events.begin(TYPE, 0, 1, 5_000L);
    batch.end();
    Answer answer = new Answer();
    lanes.write(batch, key, level, answer);
    return answer;
  }

  @Test
  void aBatchIsAnsweredWhenItsGroupIsApplied() {
    try (Lanes lanes = open(store, 64, LONG)) {
      Answer first = write(lanes, null, Durability.QUORUM);
      assertEquals(Durability.DISK, first.kept().durability());
      Answer disk = write(lanes, null, Durability.DISK);
      assertEquals(Durability.DISK, disk.last().durability());
      Answer third = write(lanes, null, Durability.QUORUM);
      third.kept();
      store.lanes.getFirst().applied(0);
      store.lanes.getFirst().applied(1);
      assertEquals(Durability.QUORUM, first.last().durability());
      assertFalse(third.last.isDone(), "its group is the third");
      store.lanes.getFirst().applied(3);
      assertEquals(Durability.QUORUM, third.last().durability());
      assertFalse(disk.kept.isDone(), "it need not wait");
    }
    assertEquals(List.of(Durability.QUORUM, Durability.DISK, Durability.QUORUM), store.levels);
  }

  @Test
  void whatIsNotAppliedInTimeIsAnsweredWithWhatItHas() {
    try (Lanes lanes = open(store, 64, SHORT)) {
      Answer late = write(lanes, null, Durability.QUORUM);
      assertEquals(Durability.DISK, late.last().durability());
      store.lanes.getFirst().applied(1);
      assertEquals(Durability.DISK, late.last().durability());
      assertEquals(1, late.told.get());
    }
    assertEquals(1.0, registry.counter("widerow.quorum.late", "lane", "0").count());
  }

  @Test
  void aRepeatHasTheLevelOfItsFirst() {
    BatchKey key = new BatchKey(7, 9);
    try (Lanes lanes = open(store, 64, LONG)) {
      Answer first = write(lanes, key, Durability.MEMORY);
      assertEquals(Durability.MEMORY, first.last().durability());
      Answer repeat = write(lanes, key, Durability.QUORUM);
      assertEquals(1, repeat.kept().duplicates());
      assertFalse(repeat.last.isDone());
      store.lanes.getFirst().applied(1);
      assertEquals(Durability.QUORUM, repeat.last().durability());
      Answer again = write(lanes, key, Durability.QUORUM);
      assertEquals(Durability.QUORUM, again.last().durability());
      assertEquals(1, again.last().duplicates());
      assertFalse(again.kept.isDone(), "it is applied");
    }
    assertEquals(1, store.committed.size());
  }

  @Test
  void aRepeatAfterARestartWaitsUntilWhatWasThereIsApplied() {
    BatchKey key = new BatchKey(7, 9);
    try (Lanes lanes = open(store, 64, SHORT)) {
      assertEquals(Durability.DISK, write(lanes, key, Durability.QUORUM).last().durability());
      write(lanes, null, Durability.DISK).last();
    }
    try (Lanes lanes = open(store, 64, LONG)) {
      Answer repeat = write(lanes, key, Durability.QUORUM);
      repeat.kept();
      store.lanes.getFirst().applied(1);
      assertFalse(repeat.last.isDone(), "a part of the stored events");
      store.lanes.getFirst().applied(2);
      assertEquals(Durability.QUORUM, repeat.last().durability());
      assertEquals(1, repeat.last().duplicates());
    }
  }

  /// Before a lane has its journal no group can be applied.
  @Test
  void aRepeatAfterAStartOnAFullDiskIsNotTakenForApplied() {
    BatchKey key = new BatchKey(7, 9);
    try (Lanes lanes = open(store, 64, SHORT)) {
      assertEquals(Durability.DISK, write(lanes, key, Durability.QUORUM).last().durability());
    }
    store.withoutJournal = true;
    try (Lanes lanes = open(store, 64, LONG)) {
      store.lanes.getFirst().applied(0);
      Answer early = write(lanes, key, Durability.QUORUM);
      assertEquals(Durability.DISK, early.last().durability(), "nobody knows what to wait for");
      store.withoutJournal = false;
      write(lanes, null, Durability.DISK).last();
      store.lanes.getFirst().applied(1);
      Answer repeat = write(lanes, key, Durability.QUORUM);
      repeat.kept();
      assertFalse(repeat.last.isDone(), "a part of the stored events");
      store.lanes.getFirst().applied(2);
      assertEquals(Durability.QUORUM, repeat.last().durability());
    }
  }

  @Test
  void eachNewBatchWithAKeyIsClaimed() {
    try (Lanes lanes = open(store, 64, SHORT)) {
      write(lanes, new BatchKey(7, 9), Durability.DISK).last();
      write(lanes, new BatchKey(7, 9), Durability.QUORUM).last();
      write(lanes, null, Durability.DISK).last();
    }
    byte[] key = ByteBuffer.allocate(16).putLong(7).putLong(9).array();
    assertEquals(1, store.lanes.getFirst().claims.size());
    assertArrayEquals(key, store.lanes.getFirst().claims.getFirst());
  }

  @Test
  void aStopAnswersAllWhoWait() {
    List<Answer> waiting = new ArrayList<>();
    try (Lanes lanes = open(store, 64, LONG)) {
      for (int i = 0; i < 30; i++) {
        waiting.add(write(lanes, null, Durability.QUORUM));
      }
      waiting.forEach(Answer::kept);
      lanes.endWaiting();
      waiting.forEach(each -> assertEquals(Durability.DISK, each.last().durability()));
      Answer after = write(lanes, null, Durability.QUORUM);
      assertEquals(Durability.DISK, after.last().durability());
    }
    store.lanes.getFirst().applied(1_000); // the applier may be told later than the lanes
    waiting.forEach(each -> assertEquals(1, each.told.get()));
  }

  @Test
  void closingAnswersAllWhoWait() {
    Lanes lanes = open(store, 64, LONG);
    Answer waiting = write(lanes, null, Durability.QUORUM);
    waiting.kept();
    lanes.close();
    assertEquals(
        Durability.DISK,
        assertInstanceOf(BatchOutcome.Stored.class, waiting.last.getNow(null)).durability());
  }

  @Test
  void aFailureOfWritingDoesNotTouchWhatIsKept() {
    try (Lanes lanes = open(store, 64, LONG)) {
      Answer kept = write(lanes, null, Durability.QUORUM);
      kept.kept();
      store.failure = "EIO";
      Answer lost = write(lanes, null, Durability.QUORUM);
      assertInstanceOf(BatchOutcome.Failed.class, lost.last.join());
      assertFalse(kept.last.isDone());
      store.lanes.getFirst().applied(1);
      assertEquals(Durability.QUORUM, kept.last().durability());
    }
  }

  @Test
  void aFullDiskIsToldAtOnce() {
    try (Lanes lanes = open(store, 64, LONG)) {
      store.fullAtCommit = true;
      Answer refused = write(lanes, new BatchKey(1, 2), Durability.QUORUM);
      assertInstanceOf(BatchOutcome.DiskFull.class, refused.last.join());
      store.fullAtCommit = false;
      Answer stored = write(lanes, new BatchKey(1, 2), Durability.QUORUM);
      assertEquals(1, stored.kept().accepted());
      store.lanes.getFirst().applied(1);
      assertEquals(Durability.QUORUM, stored.last().durability());
    }
  }

  @Test
  void aBatchOfTwoLanesIsOnTheClusterWhenBothPartsAre() {
    MemoryStore two = new MemoryStore(2);
    try (Lanes lanes = open(two, 64, LONG)) {
      IncomingBatch batch = lanes.begin(1_000);
      for (int i = 0; i < 40; i++) {
        batch.events.begin(TYPE, 0, 1, EventId.leastOf(i * 100L));
        batch.end();
      }
      Answer answer = new Answer();
      lanes.write(batch, null, Durability.QUORUM, answer);
      for (String lane : List.of("0", "1")) {
        Gauge waiting = registry.get("widerow.quorum.waiting").tag("lane", lane).gauge();
        Await.until(() -> waiting.value() > 0, "a part of it waits in lane " + lane);
      }
      two.lanes.get(0).applied(1);
      assertFalse(answer.last.isDone(), "a part is on this machine only");
      two.lanes.get(1).applied(1);
      assertEquals(Durability.QUORUM, answer.last().durability());
      assertEquals(40, answer.last().accepted());
      assertEquals(1, answer.told.get());
    }
  }

  /// More than a queue holds: those beyond are answered at once, truthfully.
  @Test
  void aClusterThatIsAwayCostsAQueueAndNoThreads() {
    List<Answer> all = new ArrayList<>();
    try (Lanes lanes = open(store, 1 << 15, LONG)) {
      int threads = Thread.activeCount();
      for (int i = 0; i < QuorumWaits.WAITING_MAX + 1_000; i++) {
        all.add(write(lanes, null, Durability.QUORUM));
      }
      Answer last = all.getLast();
      assertEquals(Durability.DISK, last.last().durability());
      assertEquals(QuorumWaits.WAITING_MAX, all.stream().filter(a -> !a.last.isDone()).count());
      assertTrue(Thread.activeCount() < threads + 100, "a thread for each who waits");
      store.lanes.getFirst().applied(Long.MAX_VALUE);
      all.forEach(each -> each.last.join());
      long onCluster =
          all.stream().filter(each -> each.last().durability() == Durability.QUORUM).count();
      assertEquals(QuorumWaits.WAITING_MAX, onCluster);
    }
    all.forEach(each -> assertEquals(1, each.told.get()));
  }
}
