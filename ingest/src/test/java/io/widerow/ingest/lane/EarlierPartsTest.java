package io.widerow.ingest.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.widerow.event.EventId;
import io.widerow.event.Rejection;
import io.widerow.faults.Await;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.Refusals;
import io.widerow.storage.Durability;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: a batch with ids of senders is stored once, also when it is retried over another number of
/// lanes, and every response to it has the counts of the first. Method: starts with changing
/// numbers of lanes, each after a crash that some parts survive, compared with a set of the parts
/// that must be there.
@Timeout(300)
class EarlierPartsTest {
  private static final byte[] TYPE = "t".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] NAME = "n".getBytes(StandardCharsets.US_ASCII);
  private static final BatchKey KEY = new BatchKey(7, 9);
  private static final int EVENTS = 100;
  private static final long FUTURE = 1_000_000;

  private static MemoryStore store(int lanes) {
    MemoryStore store = new MemoryStore(lanes);
    store.rejectFromNanos = FUTURE;
    return store;
  }

  private static Lanes open(MemoryStore store, long quorumNanos) {
    return open(store, quorumNanos, () -> 1_000);
  }

  private static Lanes open(MemoryStore store, long quorumNanos, LongSupplier epochSeconds) {
    Lanes lanes =
        new Lanes(
            store,
            new Lanes.Settings(64, 1_000, 1 << 20, 900, quorumNanos, Long.MAX_VALUE),
            () -> new SpinThenParkWaitStrategy(10_000),
            new BatchPool(1 << 20, 1 << 16, 64),
            new SimpleMeterRegistry(),
            epochSeconds);
    lanes.start();
    return lanes;
  }

  /// Of each ten events one is refused by the decoder, one by the store, and half of the others
  /// have own ids.
  private static CompletableFuture<BatchOutcome> send(Lanes lanes, Durability durability) {
    return send(lanes, KEY, durability);
  }

  private static CompletableFuture<BatchOutcome> send(
      Lanes lanes, BatchKey key, Durability durability) {
    IncomingBatch batch = lanes.begin(1_000);
    for (int i = 0; i < EVENTS; i++) {
      if (i % 10 == 3) {
        batch.refuse("bad");
        continue;
      }
      long nanos = i % 10 == 6 || i % 10 == 7 ? FUTURE + i * 100L : i * 100L;
      if (hasOwnId(i)) {
        batch.events.begin(TYPE, 0, 1, EventId.leastOf(nanos));
      } else {
        batch.events.begin(TYPE, 0, 1, nanos);
      }
      batch.events.putLong(NAME, 0, 1, i);
      batch.end();
    }
    CompletableFuture<BatchOutcome> done = new CompletableFuture<>();
    lanes.write(batch, key, durability, done::complete);
    return done;
  }

  private static boolean hasOwnId(int event) {
    return event % 2 == 0;
  }

  private static BatchOutcome.Stored join(CompletableFuture<BatchOutcome> done) {
    return assertInstanceOf(
        BatchOutcome.Stored.class, done.orTimeout(Await.SECONDS, TimeUnit.SECONDS).join());
  }

  private static void assertFigures(BatchOutcome.Stored answer) {
    assertEquals(70, answer.stored());
    Refusals refused = answer.refused();
    assertEquals(30, refused.count());
    assertEquals(30, refused.listed());
    for (int i = 0; i < refused.listed(); i++) {
      int digit = List.of(3, 6, 7).get(i % 3);
      assertEquals(i / 3 * 10 + digit, refused.index(i));
      assertEquals(digit == 3 ? "bad" : Rejection.TIME_IN_FUTURE.reason(), refused.reason(i));
    }
  }

  private static Set<Long> events(MemoryStore store) {
    return store.committed.stream()
        .map(event -> (Long) event.attributes().get("n"))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /// Stores the batch in a store with so many lanes, and returns its notes.
  private static List<byte[]> notesOfAFirst(int laneCount) {
    MemoryStore store = store(laneCount);
    try (Lanes lanes = open(store, 0)) {
      BatchOutcome.Stored answer = join(send(lanes, Durability.DISK));
      assertFigures(answer);
      assertEquals(0, answer.duplicates());
    }
    return store.lanes.stream()
        .flatMap(lane -> lane.notes.values().stream())
        .flatMap(List::stream)
        .toList();
  }

  /// Each lane of a store reads the notes of all lanes.
  private static MemoryStore restarted(int lanes, List<byte[]> notes) {
    MemoryStore store = store(lanes);
    store.lanes.forEach(lane -> lane.notes.put(1L, notes));
    return store;
  }

  @ParameterizedTest(name = "{0} lanes, then {1}")
  @CsvSource({"1,2", "2,1", "2,3", "3,2", "4,8", "8,4", "64,5", "5,64", "4,4"})
  void aRepeatOverAnotherNumberOfLanesIsAnsweredAsTheFirst(int before, int after) {
    MemoryStore second = restarted(after, notesOfAFirst(before));
    try (Lanes lanes = open(second, 0)) {
      for (int i = 0; i < 2; i++) {
        BatchOutcome.Stored answer = join(send(lanes, Durability.DISK));
        assertFigures(answer);
        assertTrue(answer.repeated());
        assertEquals(Durability.DISK, answer.durability());
      }
    }
    assertEquals(Set.of(), events(second), "a later write of these ids would be replaced");
  }

  /// Each crash leaves one more part, with its note. The next start, over any number of lanes,
  /// stores exactly the missing parts, and responds as if all of them had been stored at once.
  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void whatACrashLeftIsCompletedWhateverTheLanes(long seed) {
    var random = new SplittableRandom(seed);
    List<byte[]> notes = List.of();
    Set<Long> stored = new TreeSet<>();
    int starts = 0;
    for (; stored.size() < 70; starts++) {
      MemoryStore store = restarted(random.nextInt(1, 7), notes);
      int missing = 70 - stored.size();
      try (Lanes lanes = open(store, 0)) {
        for (int i = 0; i < 2; i++) {
          BatchOutcome.Stored answer = join(send(lanes, Durability.DISK));
          assertFigures(answer);
          assertEquals(i == 0 ? missing : 0, answer.accepted());
        }
      }
      Set<Long> now = events(store);
      assertEquals(now.size(), store.committed.size());
      assertTrue(now.stream().noneMatch(stored::contains), "stored again");
      assertEquals(missing, now.size(), "all is there after an answer");
      List<MemoryStore.Part> parts =
          store.lanes.stream().flatMap(lane -> lane.parts.stream()).toList();
      MemoryStore.Part survivor = parts.get(random.nextInt(parts.size()));
      survivor.events.forEach(event -> stored.add((Long) event.attributes().get("n")));
      notes = Stream.concat(notes.stream(), Stream.of(survivor.note)).toList();
    }
    assertTrue(starts > 1, "one part was all");
  }

  /// As a lane forgets keys: when enough others came after them, and they are old.
  @Test
  void partsAreForgottenAsOtherKeysAre() {
    List<byte[]> notes = notesOfAFirst(2);
    MemoryStore second = restarted(3, notes);
    AtomicLong now = new AtomicLong(1_000);
    try (Lanes lanes = open(second, 0, now::get)) {
      for (int i = 0; i < 3 * 1_000; i++) {
        assertFigures(join(send(lanes, new BatchKey(8, i), Durability.MEMORY)));
      }
      assertEquals(0, join(send(lanes, Durability.MEMORY)).accepted(), "many, but not old");
      now.addAndGet(901);
      BatchOutcome.Stored answer = join(send(lanes, Durability.MEMORY));
      assertFigures(answer);
      // The lane may have forgotten the part without own ids too, when it answered the one before.
      int withoutOwnIds = answer.duplicates() == 0 ? 30 : 0;
      assertEquals(40, answer.accepted() - withoutOwnIds, "many, and old");
    }
    MemoryStore third = restarted(3, notes);
    try (Lanes lanes = open(third, 0, now::get)) {
      now.addAndGet(901);
      assertEquals(0, join(send(lanes, Durability.MEMORY)).accepted(), "old, but the newest");
    }
  }

  @Test
  void aRepeatWaitsForTheCluster() {
    List<byte[]> notes = notesOfAFirst(2);
    MemoryStore second = restarted(3, notes);
    second.applying = true;
    try (Lanes lanes = open(second, TimeUnit.HOURS.toNanos(1))) {
      BatchOutcome.Stored answer = join(send(lanes, Durability.QUORUM));
      assertFigures(answer);
      assertEquals(Durability.QUORUM, answer.durability());
    }
  }
}
