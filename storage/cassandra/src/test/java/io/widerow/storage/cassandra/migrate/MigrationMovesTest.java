package io.widerow.storage.cassandra.migrate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cluster.MemoryKeyspace;
import io.widerow.event.PartitionKey;
import io.widerow.faults.TestEvent;
import io.widerow.storage.EventCursor;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.RetentionLookup;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.cassandra.keyspace.DirectoryRow;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.SegmentKey;
import io.widerow.storage.cassandra.read.ClusterReader;
import io.widerow.storage.cassandra.read.ReadOptions;
import io.widerow.storage.cassandra.value.SegmentValue;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.segment.SegmentProfile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a migration that is killed and continues from another snapshot ends with exactly the
/// events of that snapshot, each stored once, although the store moved events to other partitions
/// in between. Method: four snapshots of one store, with merges between them, into a keyspace in
/// memory that ends the process at any statement.
class MigrationMovesTest {
  private static final int FEW = 1_200;
  private static final int MORE = 200;
  private static final int CUTS = 6;
  private static final int ROUNDS = 8;

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<ClusterReader> readers = new ArrayList<>();
  private MemoryKeyspace keyspace = new MemoryKeyspace();

  /// Snapshots, which migrations only read: events in buckets of hours; the same and more in wider
  /// ones; more in hours in addition to these; these in wider ones too.
  private static Path narrow = Path.of("");

  private static Path wide = Path.of("");
  private static Path both = Path.of("");
  private static Path widest = Path.of("");

  @BeforeAll
  static void snapshots(@TempDir Path temporary) {
    narrow = temporary.resolve("narrow");
    wide = temporary.resolve("wide");
    both = temporary.resolve("both");
    widest = temporary.resolve("widest");
    SeededStore store = new SeededStore(temporary.resolve("store"), 21);
    try (EmbeddedStore running = store.open()) {
      store.write(running, FEW);
      running.snapshot(narrow);
      store.write(running, MORE);
      SeededStore.merge(running);
      running.snapshot(wide);
      store.write(running, MORE);
      running.snapshot(both);
      SeededStore.merge(running);
      running.snapshot(widest);
    }
    List<PartitionKey> before = SeededStore.keys(narrow);
    assertFalse(SeededStore.keys(wide).containsAll(before), "the merge moved events");
    assertTrue(
        SeededStore.keys(both).containsAll(SeededStore.keys(wide)),
        "and the next events came next to them");
    assertNotEquals(SeededStore.keys(both), SeededStore.keys(widest), "until another merge");
  }

  @AfterEach
  void end() {
    readers.forEach(ClusterReader::close);
    threads.shutdownNow();
  }

  private Migration migration(Keyspace to) {
    return migration(to, 2);
  }

  private Migration migration(Keyspace to, int workers) {
    Settings settings = new Settings(threads, workers, Duration.ofSeconds(30), _ -> {});
    ClusterReader reader =
        new ClusterReader(keyspace, RetentionLookup.FOREVER, ReadOptions.DEFAULT, threads);
    readers.add(reader);
    return new Migration(to, reader::view, settings, MigrationWatch.NONE);
  }

  private void begin() {
    keyspace = new MemoryKeyspace();
  }

  /// Statements of a whole run into an empty keyspace, which is thrown away.
  private long statements(Path snapshot) {
    begin();
    Cuts counted = new Cuts(keyspace);
    assertEquals(List.of(), migration(counted.keyspace()).toCluster(snapshot).differences());
    begin();
    return counted.statements();
  }

  private void kill(Path snapshot, long at) {
    Migration killed = migration(new Cuts(keyspace).killAt(at).keyspace());
    assertThrows(Cuts.Killed.class, () -> killed.toCluster(snapshot));
  }

  /// Continues to the end: both sides are the same, each event is stored once, and nothing is left
  /// to do or to report.
  private void goOn(Path snapshot, String what) {
    assertEquals(List.of(), migration(keyspace).toCluster(snapshot).differences(), what);
    KeyspaceView view = new KeyspaceView(keyspace);
    assertEquals(List.of(), view.doubles(), what);
    List<String> expected = SeededStore.read(snapshot, false);
    List<String> shown = SeededStore.read(view, false);
    assertEquals(expected.size(), shown.size(), what);
    assertTrue(expected.equals(shown), what);
    assertEquals(List.of(), migration(keyspace).verifyCluster(snapshot).differences(), what);
    assertEquals(
        new MigrationOutcome(0, 0, List.of()), migration(keyspace).toCluster(snapshot), what);
  }

  /// Kills runs of a snapshot early and late, and continues from each with another snapshot.
  private void killAndGoOn(Path snapshot, Path next) {
    long statements = statements(snapshot);
    for (int cut = 1; cut < CUTS; cut++) {
      begin();
      kill(snapshot, cut * statements / CUTS);
      goOn(next, "cut " + cut);
    }
  }

  @Test
  void eventsThatLeftTheirPartitionsAreStoredOnce() {
    killAndGoOn(narrow, wide);
  }

  @Test
  void eventsThatCameToAPartitionThatIsDoneAreNotLeftOut() {
    killAndGoOn(both, widest);
  }

  @Test
  void anOlderSnapshotHasTheLastWordToo() {
    kill(widest, statements(widest) * 3 / 4);
    goOn(narrow, "older");
  }

  /// The round may be shown already, although the record does not say so.
  @Test
  void killedAtTheLastStatementsItGoesOn() {
    long statements = statements(both);
    for (int last = 1; last <= CUTS; last++) {
      begin();
      kill(both, statements - last);
      goOn(widest, "killed %d before the end".formatted(last));
    }
  }

  /// It may not write any more: the other one has shown all that is there. A single write that is
  /// held up on its way for the whole of the other run is not stopped.
  @Test
  void aRunThatIsStillUnderWayEndsWhenAnotherOneBegins() {
    long statements = statements(narrow);
    for (int cut = 1; cut < CUTS; cut++) {
      begin();
      Cuts slow =
          new Cuts(keyspace)
              .pauseFrom(cut * statements / CUTS, () -> goOn(wide, "while another one waits"));
      Migration first = migration(slow.keyspace(), 1);
      var ended = assertThrows(StorageException.ReadOnly.class, () -> first.toCluster(narrow));
      String why = String.valueOf(ended.getMessage());
      assertTrue(why.startsWith("another migration of this store has begun"), why);
      goOn(wide, "cut " + cut);
    }
  }

  @Test
  void killedAgainAndAgainWithAnySnapshotItEndsWithTheLastOne() {
    List<Path> all = List.of(narrow, wide, both, widest);
    long statements = statements(narrow);
    SplittableRandom random = new SplittableRandom(22);
    for (int round = 0; round < ROUNDS; round++) {
      begin();
      StringBuilder what = new StringBuilder("round ").append(round);
      for (int run = 0; run < 4; run++) {
        Path snapshot = all.get(random.nextInt(all.size()));
        long at = random.nextLong(statements);
        what.append(", ").append(snapshot.getFileName()).append(" at ").append(at);
        try {
          MigrationOutcome _ =
              migration(new Cuts(keyspace).killAt(at).keyspace()).toCluster(snapshot);
        } catch (Cuts.Killed killed) {
          what.append(" killed");
        }
      }
      goOn(widest, what.toString());
    }
  }

  /// As if the directory had had something else then.
  @Test
  void anAttemptOfAnotherSourceIsNotTrusted() {
    kill(narrow, statements(narrow) * 3 / 4);
    editRecord("(?m)^(attempt \\S+ \\S+).*$", "$1 0-0");
    goOn(wide, "another snapshot");

    kill(narrow, statements(narrow) * 3 / 4);
    editRecord("(?m)^(attempt \\S+ \\S+).*$", "$1 0-0");
    goOn(narrow, "the same snapshot");
  }

  /// Missing events are reported by each run until they are there, not only once.
  @Test
  void aRunThatWasNotFoundTheSameIsComparedAgain() {
    long last = statements(narrow) - 1;
    kill(narrow, last % 2 == 1 ? last : last - 1); // all is shown, and nothing says that it was
    PartitionKey lost = partition();
    keyspace.deletePartition(lost).join();
    for (int run = 0; run < 2; run++) {
      MigrationOutcome again = migration(keyspace).toCluster(narrow);
      assertEquals(0, again.copied());
      assertFalse(again.differences().isEmpty(), "run " + run);
    }
  }

  @Test
  void aRecordThatWasNotComparedIsComparedOnce() {
    goOn(narrow, "as it is");
    editRecord(" compared", "");
    MigrationOutcome once = migration(keyspace).toCluster(narrow);
    assertEquals(SeededStore.read(narrow, false).size(), once.compared());
    assertEquals(List.of(), once.differences());
    assertEquals(new MigrationOutcome(0, 0, List.of()), migration(keyspace).toCluster(narrow));
  }

  @Test
  void eventsThatAreStoredTwiceAreTold() {
    goOn(narrow, "as it is");
    PartitionKey key = partition();
    long events = storeAgain(key);
    assertEquals(events, new KeyspaceView(keyspace).doubles().size());
    List<HourMismatch> told = migration(keyspace).verifyCluster(narrow).differences();
    assertEquals(1, told.size(), told::toString);
    assertTrue(
        told.getFirst()
            .toString()
            .endsWith(
                " events on both sides; aggregates count %d of the target twice".formatted(events)),
        told::toString);
  }

  /// A partition of an hour, without clients' ids.
  private PartitionKey partition() {
    return Views.partitions(new KeyspaceView(keyspace), null).stream()
        .map(PartitionInfo::key)
        .filter(key -> key.type().equals("app"))
        .filter(key -> keyspace.directory(key).join().rows().stream().noneMatch(DirectoryRow::own))
        .findFirst()
        .orElseThrow();
  }

  /// Writes what a partition has a second time, as an earlier attempt may have left it.
  private long storeAgain(PartitionKey key) {
    DirectoryRow row = keyspace.directory(key).join().rows().getFirst();
    SegmentKey at = row.key();
    SegmentKey earlier = new SegmentKey(key, at.tier(), at.daemon(), at.seq() - 1, at.part());
    try (SegmentValue.Writer writer =
            new SegmentValue.Writer(key, SegmentProfile.FINAL, keyspace.identity().id());
        EventCursor events = new KeyspaceView(keyspace).open(List.of(key), Scan.all())) {
      while (Views.next(events)) {
        writer.add(TestEvent.copyOf(events.event()));
      }
      SegmentValue.Encoded value = writer.finish();
      keyspace.write(value.row(earlier), value.bytes(), 0).join();
      return value.events();
    }
  }

  private void editRecord(String regex, String replacement) {
    Map<String, String> policies = keyspace.policies().join();
    assertEquals(1, policies.size(), policies::toString);
    policies.forEach(
        (name, text) -> keyspace.policy(name, text.replaceAll(regex, replacement)).join());
  }
}
