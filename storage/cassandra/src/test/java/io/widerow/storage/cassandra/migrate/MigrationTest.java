package io.widerow.storage.cassandra.migrate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cluster.MemoryKeyspace;
import io.widerow.event.AttributeName;
import io.widerow.event.Bucket;
import io.widerow.event.PartitionKey;
import io.widerow.faults.Slice;
import io.widerow.faults.TestEvent;
import io.widerow.storage.EventCursor;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.RetentionLookup;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreView;
import io.widerow.storage.cassandra.keyspace.DaemonRow;
import io.widerow.storage.cassandra.keyspace.DirectoryRow;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.Stamp;
import io.widerow.storage.cassandra.read.ClusterReader;
import io.widerow.storage.cassandra.read.ReadOptions;
import io.widerow.storage.cassandra.value.SegmentValue;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.segment.SegmentProfile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: after a migration, whatever interrupted it, both places give the same results; a
/// difference is found. Method: seeded stores, and a keyspace in memory that ends the process or is
/// away at any statement.
class MigrationTest {
  private static final int FEW = 6_000;

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<ClusterReader> readers = new ArrayList<>();
  private final MemoryKeyspace keyspace = new MemoryKeyspace();
  @TempDir Path temporary;

  @AfterEach
  void end() {
    readers.forEach(ClusterReader::close);
    threads.shutdownNow();
  }

  private Migration migration(Keyspace to) {
    return migration(to, MigrationWatch.NONE);
  }

  private Migration migration(Keyspace to, MigrationWatch watch) {
    Settings settings = new Settings(threads, 2, Duration.ofSeconds(30), _ -> {});
    ClusterReader reader =
        new ClusterReader(keyspace, RetentionLookup.FOREVER, ReadOptions.DEFAULT, threads);
    readers.add(reader);
    return new Migration(to, reader::view, settings, watch);
  }

  private SeededStore store(String name, long seed) {
    return new SeededStore(temporary.resolve(name), seed);
  }

  private Path directory(String name) {
    return temporary.resolve(name);
  }

  private List<String> cluster(boolean descending) {
    return SeededStore.read(new KeyspaceView(keyspace), descending);
  }

  private void assertSame(Path directory) {
    assertEqualLines(SeededStore.read(directory, false), cluster(false));
    assertEqualLines(SeededStore.read(directory, true), cluster(true));
  }

  /// Names the first difference only.
  private static void assertEqualLines(List<String> expected, List<String> lines) {
    for (int i = 0; i < Math.min(expected.size(), lines.size()); i++) {
      assertEquals(expected.get(i), lines.get(i));
    }
    assertEquals(expected.size(), lines.size());
  }

  private static void assertClean(MigrationOutcome outcome) {
    assertEquals(List.of(), outcome.differences());
  }

  @Test
  @Tag("deep")
  void twoHundredThousandEventsGoThereAndBack() {
    SeededStore store = store("a", 1);
    store.write(150_000);
    store.changeLayout();
    store.write(50_000);

    MigrationOutcome there = migration(keyspace).toCluster(directory("a"));
    assertClean(there);
    assertTrue(there.copied() > 150_000, () -> there.copied() + " events");
    assertSame(directory("a"));

    MigrationOutcome back = migration(keyspace).toDirectory(directory("b"));
    assertClean(back);
    assertSame(directory("b"));
    assertClean(migration(keyspace).verifyDirectory(directory("b")));

    SeededStore goesOn = store("b", 2);
    goesOn.changeLayout();
    goesOn.write(3_000); // its upserts win, and it opens as any store does
    SeededStore same = store("a", 2);
    same.changeLayout();
    same.write(3_000);
    assertEqualLines(
        withoutAssignedIds(SeededStore.read(directory("a"), false)),
        withoutAssignedIds(SeededStore.read(directory("b"), false)));
  }

  /// Events with clients' ids, as they are shown.
  private static List<String> withoutAssignedIds(List<String> lines) {
    return lines.stream().filter(line -> line.contains(" true ")).toList();
  }

  @Test
  void aSecondRunTakesOnlyWhatIsNew() {
    SeededStore store = store("a", 3);
    try (EmbeddedStore running = store.open()) {
      store.write(running, FEW);
      running.snapshot(directory("snapshot"));
      assertClean(migration(keyspace).toCluster(directory("snapshot")));
      store.write(running, 1_000);
    }
    MigrationOutcome second = migration(keyspace).toCluster(directory("a"));
    assertClean(second);
    assertTrue(second.copied() <= 1_000 && second.copied() > 900, () -> second.copied() + " new");
    assertSame(directory("a"));

    Cuts counted = new Cuts(keyspace);
    MigrationOutcome third = migration(counted.keyspace()).toCluster(directory("a"));
    assertEquals(new MigrationOutcome(0, 0, List.of()), third);
    assertEquals(1, counted.statements(), "the record alone is read");
  }

  @Test
  void backATimeAgainTakesOnlyWhatIsNew() {
    SeededStore store = store("a", 4);
    store.write(FEW);
    assertClean(migration(keyspace).toCluster(directory("a")));
    assertClean(migration(keyspace).toDirectory(directory("b")));
    store.write(1_000);
    assertClean(migration(keyspace).toCluster(directory("a")));
    MigrationOutcome second = migration(keyspace).toDirectory(directory("b"));
    assertClean(second);
    assertTrue(second.copied() <= 1_000 && second.copied() > 900, () -> second.copied() + " new");
    assertSame(directory("b"));
    assertEquals(
        new MigrationOutcome(0, 0, List.of()), migration(keyspace).toDirectory(directory("b")));
  }

  @Test
  void severalDirectoriesShareACluster() {
    SeededStore first = store("a", 5);
    first.write(FEW);
    SeededStore second = store("b", 6);
    second.daemon(7);
    second.clientsOfItsOwn();
    second.write(FEW);
    assertClean(migration(keyspace).toCluster(directory("a")));
    assertClean(migration(keyspace).toCluster(directory("b")));
    assertClean(migration(keyspace).verifyCluster(directory("b")));
    assertClean(migration(keyspace).toDirectory(directory("c")));
    assertSame(directory("c"));
  }

  @Test
  void killedAtEachStatementItGoesOn() {
    SeededStore store = store("a", 7);
    store.write(FEW);
    long at = 0;
    int kills = 0;
    boolean through = false;
    while (!through) { // each run gets a little further, and more arrives between some of them
      Cuts cut = new Cuts(keyspace).killAt(at);
      try {
        assertClean(migration(cut.keyspace()).toCluster(directory("a")));
        through = true;
      } catch (Cuts.Killed killed) {
        kills++;
        at += Slice.of(3, 1);
        if (kills % 8 == 0) {
          store.write(200);
        }
      }
    }
    int killed = kills;
    assertTrue(killed > Slice.of(6, 20), () -> killed + " kills");
    assertSame(directory("a"));
    assertEquals(
        cluster(false).size(), cluster(false).stream().distinct().count(), "nothing twice");
    assertClean(migration(keyspace).verifyCluster(directory("a")));
  }

  @Test
  void killedOnTheWayBackItGoesOn() {
    SeededStore store = store("a", 8);
    store.write(FEW);
    assertClean(migration(keyspace).toCluster(directory("a")));
    int kills = 0;
    boolean through = false;
    while (!through) {
      AtomicInteger left = new AtomicInteger(kills < 16 ? kills % 4 : 1 << 20);
      MigrationWatch cut =
          atEach(() -> {
            if (left.getAndDecrement() <= 0) {
              throw new Cuts.Killed();
            }
          });
      try {
        assertClean(migration(keyspace, cut).toDirectory(directory("b")));
        through = true;
      } catch (Cuts.Killed killed) {
        kills++;
        if (kills % 8 == 0) {
          store.write(200);
          assertClean(migration(keyspace).toCluster(directory("a")));
        }
      }
    }
    int killed = kills;
    assertTrue(killed > 5, () -> killed + " kills");
    assertSame(directory("b"));
    assertClean(migration(keyspace).verifyDirectory(directory("b")));
  }

  private static MigrationWatch atEach(Runnable step) {
    return new MigrationWatch() {
      @Override
      public void begin(String phase, long events) {}

      @Override
      public void moved(long events, long bytes) {
        step.run();
      }

      @Override
      public void trouble(String why) {}
    };
  }

  @Test
  void aClusterThatIsAwayForAWhileIsWaitedFor() {
    store("a", 9).write(FEW);
    List<String> told = new ArrayList<>();
    MigrationWatch watch =
        new MigrationWatch() {
          @Override
          public void begin(String phase, long events) {}

          @Override
          public void moved(long events, long bytes) {}

          @Override
          public synchronized void trouble(String why) {
            told.add(why);
          }
        };
    Cuts away = new Cuts(keyspace).away(20, 35);
    assertClean(migration(away.keyspace(), watch).toCluster(directory("a")));
    assertTrue(told.contains("no answer of 127.0.0.1"), told::toString);
    assertSame(directory("a"));
  }

  @Test
  void aClusterThatStaysAwayEndsTheRunAndTheNextOneGoesOn() {
    store("a", 10).write(FEW);
    Cuts away = new Cuts(keyspace).away(20, Long.MAX_VALUE);
    StorageException.Unreachable failed =
        assertThrows(
            StorageException.Unreachable.class,
            () -> migration(away.keyspace()).toCluster(directory("a")));
    assertEquals(
        "no answer of 127.0.0.1; copied events are kept: the same command continues from there",
        failed.getMessage());
    assertEquals(List.of(), cluster(false), "nothing is shown before all is there");
    assertClean(migration(keyspace).toCluster(directory("a")));
    assertSame(directory("a"));
  }

  @Test
  void aNumberOfAnotherIsRefused() {
    store("a", 11).write(500);
    DaemonRow.Applied applied = new DaemonRow.Applied(Stamp.of(1, 4), 9, List.of(9L));
    assertTrue(keyspace.begin(0, null, new UUID(8, 9), "host7", 1, 1 << 28).join());
    keyspace.applied(0, applied).join();
    StorageException.ReadOnly refused =
        assertThrows(
            StorageException.ReadOnly.class, () -> migration(keyspace).toCluster(directory("a")));
    assertTrue(
        String.valueOf(refused.getMessage()).contains("daemon number 0")
            && String.valueOf(refused.getMessage()).contains("on host7"),
        refused::getMessage);
    assertEquals(List.of(), keyspace.spans().join(), "nothing was written");
  }

  @Test
  void aSourceInUseAndTargetsOfOthersAreRefused() throws IOException {
    SeededStore store = store("a", 12);
    try (EmbeddedStore running = store.open()) {
      store.write(running, 500);
      assertThrows(
          StorageException.Locked.class, () -> migration(keyspace).toCluster(directory("a")));
    }
    assertClean(migration(keyspace).toCluster(directory("a")));
    StorageException.Incompatible notEmpty =
        assertThrows(
            StorageException.Incompatible.class,
            () -> migration(keyspace).toDirectory(directory("a")));
    assertTrue(String.valueOf(notEmpty.getMessage()).contains("empty"), notEmpty::getMessage);

    Files.createDirectory(directory("c"));
    Files.writeString(directory("c").resolve("notes.txt"), "mine");
    assertThrows(
        StorageException.Incompatible.class, () -> migration(keyspace).toDirectory(directory("c")));
    assertEquals("mine", Files.readString(directory("c").resolve("notes.txt")));

    assertClean(migration(keyspace).toDirectory(directory("b")));
    store("b", 13).write(10);
    StorageException.ReadOnly taken =
        assertThrows(
            StorageException.ReadOnly.class, () -> migration(keyspace).toDirectory(directory("b")));
    assertTrue(String.valueOf(taken.getMessage()).contains("a daemon has it"), taken::getMessage);
  }

  @Test
  void oneEventMoreOrLessOrOtherIsFound() {
    store("a", 14).write(FEW);
    assertClean(migration(keyspace).toCluster(directory("a")));
    PartitionKey key =
        Views.partitions(new KeyspaceView(keyspace), null).stream()
            .filter(info -> info.key().type().equals("app") && info.events() > 3)
            .map(PartitionInfo::key)
            .findFirst()
            .orElseThrow();
    List<TestEvent> events = new ArrayList<>();
    try (StoreView view = new KeyspaceView(keyspace);
        EventCursor cursor = view.open(List.of(key), Scan.all())) {
      while (Views.next(cursor)) {
        events.add(TestEvent.copyOf(cursor.event()));
      }
    }
    TestEvent first = events.getFirst();
    List<TestEvent> rest = events.subList(1, events.size());

    rewrite(key, rest);
    assertOneDifference(key, -1);

    TestEvent more = new TestEvent(first.id().next(), 0, "app", first.attributes());
    List<TestEvent> doubled = new ArrayList<>(events);
    doubled.add(1, more);
    rewrite(key, doubled);
    assertOneDifference(key, 1);

    TreeMap<AttributeName, Object> other = new TreeMap<>(first.attributes());
    TestEvent.putText(other, "body", "another body");
    List<TestEvent> changed = new ArrayList<>(rest);
    changed.addFirst(new TestEvent(first.id(), first.version(), "app", other));
    rewrite(key, changed);
    assertOneDifference(key, 0);

    rewrite(key, events);
    assertClean(migration(keyspace).verifyCluster(directory("a")));
  }

  /// Puts other events under the keys of a migrated partition.
  private void rewrite(PartitionKey key, List<TestEvent> events) {
    DirectoryRow before = keyspace.directory(key).join().rows().getFirst();
    UUID storeId = keyspace.identity().id();
    try (SegmentValue.Writer writer = new SegmentValue.Writer(key, SegmentProfile.FINAL, storeId)) {
      events.forEach(writer::add);
      SegmentValue.Encoded value = writer.finish();
      keyspace.write(value.row(before.key()), value.bytes(), 0).join();
    }
  }

  private void assertOneDifference(PartitionKey key, long more) {
    MigrationOutcome found = migration(keyspace).verifyCluster(directory("a"));
    assertEquals(1, found.differences().size(), found::toString);
    HourMismatch difference = found.differences().getFirst();
    assertEquals("app", difference.type());
    Bucket bucket = Bucket.of(key);
    assertTrue(
        bucket.overlaps(difference.hour().fromNanos(), difference.hour().untilNanos()),
        difference::toString);
    assertEquals(more, difference.to().events() - difference.from().events());
  }
}
