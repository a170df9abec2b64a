package io.widerow.ingest.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.widerow.event.EventId;
import io.widerow.event.TimeUuid;
import io.widerow.faults.Await;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.Refusals;
import io.widerow.storage.Durability;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: every batch in a ring gets a truthful answer, whatever the store does. Method: lanes over
/// a store in memory whose commits can be delayed and made to fail.
@Timeout(300)
public class LanesTest {
  private static final byte[] TYPE = "t".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] NAME = "n".getBytes(StandardCharsets.US_ASCII);

  private MemoryStore store = new MemoryStore(1);

  private static Lanes open(MemoryStore in, int slots) {
    return open(in, new Lanes.Settings(slots, 1_000, 1 << 20, 900));
  }

  private static Lanes open(MemoryStore in, Lanes.Settings settings) {
    Lanes lanes =
        new Lanes(
            in,
            settings,
            () -> new SpinThenParkWaitStrategy(10_000),
            new BatchPool(1 << 20, 1 << 16, 64),
            new SimpleMeterRegistry(),
            () -> 1_000);
    lanes.start();
    return lanes;
  }

  private static CompletableFuture<BatchOutcome> write(
      Lanes lanes, @Nullable BatchKey key, Durability level, long... values) {
    IncomingBatch batch = lanes.begin(1_000);
    for (long value : values) {
      batch.events.begin(TYPE, 0, 1, value);
      batch.events.putLong(NAME, 0, 1, value);
      batch.end();
    }
    CompletableFuture<BatchOutcome> done = new CompletableFuture<>();
    lanes.write(batch, key, level, done::complete);
    return done;
  }

  private static BatchOutcome join(CompletableFuture<BatchOutcome> done) {
    return done.orTimeout(Await.SECONDS, TimeUnit.SECONDS).join();
  }

  /// @return its batch, to which others are added
  private List<CompletableFuture<BatchOutcome>> commitThatWaits(Lanes lanes, Durability level) {
    store.commits.drainPermits();
    List<CompletableFuture<BatchOutcome>> all = new ArrayList<>();
    all.add(write(lanes, null, level, 1));
    Await.until(() -> store.commits.getQueueLength() != 0, "a commit waits");
    return all;
  }

  @Test
  void batchesThatWaitDuringACommitFormOneGroupAtTheStrongestLevel() {
    try (Lanes lanes = open(store, 64)) {
      List<CompletableFuture<BatchOutcome>> all = commitThatWaits(lanes, Durability.OS);
      for (int i = 0; i < 20; i++) {
        all.add(write(lanes, null, i == 7 ? Durability.DISK : Durability.MEMORY, i));
      }
      store.commits.release(1_000);
      all.forEach(done -> assertInstanceOf(BatchOutcome.Stored.class, join(done)));
      assertEquals(List.of(1, 20), store.groups);
      assertEquals(List.of(Durability.OS, Durability.DISK), store.levels);
      assertEquals(21, store.committed.size());
    }
  }

  @Test
  void tellsWhetherSomethingWasWrittenLately() {
    try (Lanes lanes = open(store, 64)) {
      assertFalse(lanes.wroteLately());
      store.commits.release(1_000_000);
      do { // again, should this thread have to pause between the two
        join(write(lanes, null, Durability.OS, 1));
      } while (!lanes.wroteLately());
      Await.until(() -> !lanes.wroteLately(), "the write is long ago");
    }
  }

  @Test
  void takesTimesUpToTheLimitAheadOfTheClock() {
    long hour = Duration.ofHours(1).toNanos();
    try (Lanes lanes = open(store, new Lanes.Settings(64, 1_000, 1 << 20, 900, 0, hour))) {
      long before = store.latestNanos();
      IncomingBatch batch = lanes.begin(1_000);
      long after = store.latestNanos();
      assertTrue(batch.takes(before + hour), "no more than an hour ahead");
      assertFalse(batch.takes(after + hour + 1), "more than an hour ahead");
      lanes.drop(batch);
    }
    try (Lanes lanes = open(store, 64)) {
      IncomingBatch batch = lanes.begin(1_000);
      assertTrue(batch.takes(TimeUuid.NANOS_LIMIT - 1), "without a limit");
      lanes.drop(batch);
    }
  }

  @Test
  void noBatchIsAnsweredBeforeTheCommit() {
    try (Lanes lanes = open(store, 64)) {
      store.commits.drainPermits();
      CompletableFuture<BatchOutcome> done = write(lanes, null, Durability.DISK, 1);
      awaitCommits(1, done);
      boolean early = done.isDone();
      store.commits.release(1_000);
      assertInstanceOf(BatchOutcome.Stored.class, join(done));
      assertFalse(early, "answered before the commit");
      assertEquals(1, store.committed.size());
    }
  }

  /// Waits until so many lanes are blocked in a commit, or the batch is answered too early.
  private void awaitCommits(int lanes, CompletableFuture<BatchOutcome> done) {
    Await.until(
        () -> done.isDone() || store.commits.getQueueLength() >= lanes, lanes + " lanes commit");
  }

  @Test
  void aBatchOfTwoLanesIsAnsweredWhenBothHaveIt() {
    store = new MemoryStore(2);
    try (Lanes lanes = open(store, 64)) {
      store.commits.drainPermits();
      CompletableFuture<BatchOutcome> done = writeMixed(lanes, new BatchKey(7, 9));
      awaitCommits(2, done);
      store.commits.release();
      awaitCommits(1, done);
      boolean early = done.isDone();
      store.commits.release(1_000);
      assertEquals(40, assertInstanceOf(BatchOutcome.Stored.class, join(done)).accepted());
      assertFalse(early, "answered when one lane had its part");
    }
  }

  @Test
  void aBatchWhoseOtherPartFailsIsNotAcknowledged() {
    store = new MemoryStore(2);
    try (Lanes lanes = open(store, 64)) {
      store.commits.drainPermits();
      CompletableFuture<BatchOutcome> done = writeMixed(lanes, new BatchKey(7, 9));
      awaitCommits(2, done);
      store.commits.release();
      Await.until(() -> !store.committed.isEmpty(), "one part is stored");
      store.failure = "EIO";
      store.commits.release(1_000);
      assertInstanceOf(BatchOutcome.Failed.class, join(done));
    }
  }

  @Test
  void closingLanesAnswerAllTheirBatches() throws InterruptedException {
    Lanes lanes = open(store, 64);
    store.commits.drainPermits();
    List<CompletableFuture<BatchOutcome>> all = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      all.add(write(lanes, null, Durability.DISK, i));
    }
    awaitCommits(1, all.getLast());
    Thread closing = Thread.ofPlatform().start(lanes::close);
    assertFalse(closing.join(Duration.ofMillis(200)), "closed while batches wait");
    store.commits.release(1_000);
    closing.join();
    all.forEach(done -> assertInstanceOf(BatchOutcome.Stored.class, done.getNow(null)));
    assertEquals(5, store.committed.size());
  }

  @Test
  void aRefusalOfTheStoreNamesTheEventOfTheRequest() {
    store.rejectFromNanos = 5_000;
    try (Lanes lanes = open(store, 8)) {
      IncomingBatch batch = lanes.begin(1_000);
      batch.refuse("bad");
      for (long value : new long[] {1_000, 9_000}) {
        batch.events.begin(TYPE, 0, 1, value);
        batch.end();
      }
      CompletableFuture<BatchOutcome> done = new CompletableFuture<>();
      lanes.write(batch, null, Durability.DISK, done::complete);
      Refusals refused = assertInstanceOf(BatchOutcome.Stored.class, join(done)).refused();
      assertEquals(2, refused.count());
      assertEquals(2, refused.index(0) + refused.index(1), "refused are the first and the third");
    }
  }

  @Test
  void aFailureFailsWaitingAndLaterBatches() {
    try (Lanes lanes = open(store, 8)) {
      List<CompletableFuture<BatchOutcome>> all = commitThatWaits(lanes, Durability.DISK);
      for (int i = 0; i < 6; i++) {
        all.add(write(lanes, null, Durability.DISK, i));
      }
      store.failure = "EIO";
      store.commits.release(1_000);
      all.forEach(done -> assertInstanceOf(BatchOutcome.Failed.class, join(done)));
      store.failure = null;
      for (int i = 0; i < 100; i++) { // many times the size of the ring: it does not stall
        assertInstanceOf(BatchOutcome.Failed.class, join(write(lanes, null, Durability.DISK, i)));
      }
      assertTrue(store.committed.isEmpty());
    }
  }

  @Test
  void aFullRingIsReportedAsOverload() {
    try (Lanes lanes = open(store, 4)) {
      store.commits.drainPermits();
      List<CompletableFuture<BatchOutcome>> all = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        all.add(write(lanes, null, Durability.DISK, i));
      }
      boolean told = all.stream().anyMatch(CompletableFuture::isDone);
      store.commits.release(1_000);
      assertTrue(told, "no batch was refused");
      long stored = all.stream().filter(f -> join(f) instanceof BatchOutcome.Stored).count();
      long refused = all.stream().filter(f -> join(f) instanceof BatchOutcome.Overloaded).count();
      assertEquals(40, stored + refused);
      assertEquals(stored, store.committed.size());
      assertTrue(stored >= 4);
    }
  }

  @Test
  void aRepeatIsAnsweredAndNotStoredAgainAlsoAfterARestart() {
    BatchKey key = new BatchKey(7, 9);
    store.rejectFromNanos = 5_000;
    try (Lanes lanes = open(store, 8)) {
      assertStored(join(write(lanes, key, Durability.DISK, 1_000, 9_000, 2_000)), false);
      assertStored(join(write(lanes, key, Durability.DISK, 1_000, 9_000, 2_000)), true);
    }
    try (Lanes lanes = open(store, 8)) {
      assertStored(join(write(lanes, key, Durability.DISK, 1_000, 9_000, 2_000)), true);
      join(write(lanes, new BatchKey(7, 10), Durability.DISK, 1_000));
    }
    assertEquals(3, store.committed.size());
  }

  private static void assertStored(BatchOutcome outcome, boolean duplicate) {
    var stored = assertInstanceOf(BatchOutcome.Stored.class, outcome);
    assertEquals(duplicate ? 0 : 2, stored.accepted());
    assertEquals(duplicate ? 2 : 0, stored.duplicates());
    assertEquals(1, stored.refused().count());
    assertEquals(1, stored.refused().index(0));
    assertEquals(duplicate, stored.repeated());
  }

  @Test
  void theRepeatOfAFailedBatchIsNew() {
    BatchKey key = new BatchKey(7, 9);
    try (Lanes lanes = open(store, 8)) {
      store.full = true;
      assertInstanceOf(BatchOutcome.DiskFull.class, join(write(lanes, key, Durability.DISK, 1)));
      store.full = false;
      var stored =
          assertInstanceOf(BatchOutcome.Stored.class, join(write(lanes, key, Durability.DISK, 1)));
      assertEquals(0, stored.duplicates());
    }
    assertEquals(1, store.committed.size());
  }

  @Test
  void aGroupThatFindsTheDiskFullAtItsCommitIsForgotten() {
    BatchKey key = new BatchKey(7, 9);
    try (Lanes lanes = open(store, 64)) {
      store.fullAtCommit = true;
      store.commits.drainPermits();
      List<CompletableFuture<BatchOutcome>> all = new ArrayList<>();
      for (int i = 0; i < 20; i++) { // groups of several batches, some of them repeats
        all.add(write(lanes, i % 3 == 0 ? key : null, Durability.DISK, i));
      }
      store.commits.release(1_000);
      all.forEach(done -> assertInstanceOf(BatchOutcome.DiskFull.class, join(done)));
      lanes.tick();
      store.fullAtCommit = false;
      var stored =
          assertInstanceOf(BatchOutcome.Stored.class, join(write(lanes, key, Durability.DISK, 1)));
      assertEquals(0, stored.duplicates());
    }
    assertEquals(1, store.committed.size());
    assertEquals(1, store.lanes.get(0).notes.size());
  }

  private static CompletableFuture<BatchOutcome> writeMixed(Lanes lanes, BatchKey key) {
    IncomingBatch batch = lanes.begin(1_000);
    for (int i = 0; i < 40; i++) {
      if (i % 2 == 0) {
        batch.events.begin(TYPE, 0, 1, EventId.leastOf(i * 10_000L));
      } else {
        batch.events.begin(TYPE, 0, 1, i * 10_000L);
      }
      batch.end();
    }
    CompletableFuture<BatchOutcome> done = new CompletableFuture<>();
    lanes.write(batch, key, Durability.DISK, done::complete);
    return done;
  }

  /// @return events that were stored now
  private static int storeMixed(Lanes lanes, BatchKey key) {
    var stored = assertInstanceOf(BatchOutcome.Stored.class, join(writeMixed(lanes, key)));
    assertEquals(40, stored.stored());
    return stored.accepted();
  }

  /// The daemon is killed when only one lane has stored its part of a batch. It starts again with
  /// another number of lanes, each with the notes of all, and the batch is repeated.
  @ParameterizedTest
  @CsvSource({"3,3", "3,2", "1,4", "4,1"})
  void aStoredPartDoesNotVouchForTheOthers(int before, int after) {
    BatchKey key = new BatchKey(7, 9);
    MemoryStore first = new MemoryStore(before);
    try (Lanes lanes = open(first, 8)) {
      assertEquals(40, storeMixed(lanes, key));
    }
    List<byte[]> notes =
        first.lanes.stream()
            .flatMap(lane -> lane.notes.values().stream())
            .flatMap(List::stream)
            .toList();
    int recognised = 0;
    for (byte[] note : notes) {
      MemoryStore second = new MemoryStore(after);
      second.lanes.forEach(lane -> lane.notes.put(1L, List.of(note)));
      try (Lanes lanes = open(second, 8)) {
        assertEquals(storeMixed(lanes, key), second.committed.size());
        recognised += 40 - second.committed.size();
        long assigned = second.committed.stream().filter(event -> event.ownId() == null).count();
        assertTrue(assigned == 0 || assigned == 20, "a part is recognized as a whole");
      }
    }
    assertEquals(40, recognised, "each part is recognised by its own note");
  }

  @Test
  void eventsWithOwnIdsGoToTheirLanes() {
    MemoryStore four = new MemoryStore(4);
    four.rejectFromNanos = 900_000;
    try (Lanes lanes = open(four, 8)) {
      IncomingBatch batch = lanes.begin(1_000);
      for (int i = 0; i < 100; i++) {
        if (i % 10 == 3) {
          batch.refuse("bad");
        } else if (i % 2 == 0) {
          batch.events.begin(TYPE, 0, 1, EventId.leastOf(i * 10_000L));
          batch.end();
        } else {
          batch.events.begin(TYPE, 0, 1, i * 10_000L);
          batch.end();
        }
      }
      CompletableFuture<BatchOutcome> done = new CompletableFuture<>();
      lanes.write(batch, new BatchKey(1, 2), Durability.DISK, done::complete);
      var stored = assertInstanceOf(BatchOutcome.Stored.class, join(done));
      Refusals refused = stored.refused();
      assertEquals(81, stored.accepted());
      assertEquals(19, refused.count());
      for (int i = 0; i < refused.listed(); i++) {
        assertEquals(
            refused.index(i) < 90 || refused.index(i) == 93 ? "bad" : "x",
            refused.reason(i).equals("bad") ? "bad" : "x");
      }
      assertEquals(81, four.committed.size());
    }
  }

  @Test
  void aBatchThatDoesNotFitBesideOthersBeginsTheNextGroup() {
    store.groupEventsMax = 3;
    try (Lanes lanes = open(store, 64)) {
      List<CompletableFuture<BatchOutcome>> all = commitThatWaits(lanes, Durability.DISK);
      for (int i = 0; i < 10; i++) {
        all.add(
            write(lanes, null, i % 2 == 0 ? Durability.DISK : Durability.MEMORY, 2L * i, 2L * i));
      }
      all.add(write(lanes, null, Durability.MEMORY, 1, 2, 3, 4)); // never fits
      store.commits.release(1_000);
      for (CompletableFuture<BatchOutcome> each : all.subList(0, 11)) {
        var stored = assertInstanceOf(BatchOutcome.Stored.class, join(each));
        assertEquals(0, stored.refused().count());
      }
      var never = assertInstanceOf(BatchOutcome.Stored.class, join(all.getLast()));
      assertEquals(4, never.refused().count());
      assertEquals(21, store.committed.size());
      assertTrue(store.levels.stream().filter(Durability.DISK::equals).count() >= 5);
    }
  }

  private static CompletableFuture<BatchOutcome> writeOfSource(
      Lanes lanes, SourcePartition of, int number, int padding) {
    IncomingBatch batch = lanes.begin(1_000);
    for (int event = 0; number > 0 && event < 10; event++) {
      batch.events.begin(TYPE, 0, 1, 1_000 + event);
      batch.events.putString(NAME, 0, 1, new byte[padding], 0, padding);
      batch.end();
    }
    long first = 10L * Math.max(0, number - 1); // the first one has no offsets
    CompletableFuture<BatchOutcome> done = new CompletableFuture<>();
    lanes.write(batch, SourcePlace.whole(of, 0, first, 10L * number, 0), done::complete);
    return done;
  }

  /// From the first one on: a partition has no position then that would tell of a gap.
  @Test
  void noBatchOfASourceIsStoredAfterOneThatFoundTheRingFull() {
    try (Lanes lanes = open(store, 4)) {
      for (int partition = 0; partition < 50; partition++) {
        var of = new SourcePartition(new UUID(1, 2), partition);
        int stored = 0;
        while (stored < 30) {
          List<CompletableFuture<BatchOutcome>> all = new ArrayList<>();
          for (int number = stored; number < 30; number++) {
            all.add(writeOfSource(lanes, of, number, 1));
          }
          List<Boolean> isStored =
              all.stream().map(each -> join(each) instanceof BatchOutcome.Stored).toList();
          int first = isStored.contains(false) ? isStored.indexOf(false) : isStored.size();
          assertFalse(isStored.subList(first, isStored.size()).contains(true), "after a gap");
          stored += first;
          assertEquals(null, lanes.failure());
        }
      }
    }
    assertEquals(50 * 29 * 10, store.committed.size());
  }

  /// A batch of a source after them would move the position over them.
  @ParameterizedTest
  @CsvSource({"25,10", "1000,60000"})
  void nothingIsStoredAfterBatchesOfASourceThatFoundTheDiskFull(int eventsMax, int padding) {
    store.groupEventsMax = eventsMax;
    var of = new SourcePartition(new UUID(1, 2), 0);
    try (Lanes lanes = open(store, 64)) {
      List<CompletableFuture<BatchOutcome>> all = commitThatWaits(lanes, Durability.DISK);
      for (int i = 0; i < 12; i++) {
        all.add(writeOfSource(lanes, of, i, padding));
      }
      store.commits.release(1);
      join(all.get(0));
      store.fullAtCommit = true;
      store.commits.release(1);
      assertInstanceOf(BatchOutcome.DiskFull.class, join(all.get(1)));
      store.fullAtCommit = false; // no later commit has a permit yet
      store.commits.release(1_000);
      all.subList(1, 13)
          .forEach(each ->
              assertFalse(
                  join(each) instanceof BatchOutcome.Stored, "after batches that are dropped"));
      assertEquals(1, store.committed.size());
    }
  }
}
