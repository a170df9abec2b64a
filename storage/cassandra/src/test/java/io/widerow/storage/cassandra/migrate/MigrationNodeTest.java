package io.widerow.storage.cassandra.migrate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cluster.CassandraNode;
import io.widerow.event.PartitionKey;
import io.widerow.faults.Await;
import io.widerow.faults.ChildJvm;
import io.widerow.faults.Seeds;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.RetentionLookup;
import io.widerow.storage.cassandra.keyspace.ClusterOptions;
import io.widerow.storage.cassandra.keyspace.DriverKeyspace;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.KeyspaceException;
import io.widerow.storage.cassandra.keyspace.StoreUri;
import io.widerow.storage.cassandra.read.ClusterReader;
import io.widerow.storage.cassandra.read.ReadOptions;
import io.widerow.storage.embedded.EmbeddedStore;
import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a migration to a real node and back, cut at random points, shows nothing before a run is
/// through, and after the last run both places are the same. Method: half of the runs end at a
/// seeded statement or step, the others are processes that are killed at a seeded time; the source
/// grows between some of them, and moves events to larger partitions. Some runs meet a node that
/// stands still, and the last one to the cluster one that is killed and started again.
/// `-Dmigration.cuts=<n>` each way, `-Dcluster.events=<n>`, `-Dseed=<n>`.
@Tag("cluster")
class MigrationNodeTest {
  private static final int EVENTS = Integer.getInteger("cluster.events", 100_000);
  private static final int CUTS = Integer.getInteger("migration.cuts", 40);
  private static final int MORE = 300;
  private static final int FREEZE_EVERY = 5;
  private static final int MERGE_EVERY = 6;
  private static final long STILL_MILLIS_MAX = 6_000;
  private static final long CONNECTED_NANOS_MAX = TimeUnit.MINUTES.toNanos(1);

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private int cuts;
  private int kills;
  private int through;
  private long runMillis = 3_000; // of a whole run of a process, as far as is known

  static List<Long> seeds() {
    return Seeds.of(1);
  }

  @BeforeAll
  static void node() {
    CassandraNode.require();
  }

  private Migration migration(Keyspace to, ClusterReader reader, MigrationWatch watch) {
    return new Migration(to, reader::view, Settings.of(threads, 2), watch);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void cutAnywhereItGoesOn(long seed, @TempDir Path temporary) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    Path a = temporary.resolve("a");
    Path b = temporary.resolve("b");
    SeededStore store = new SeededStore(a, seed);
    Path narrow = temporary.resolve("narrow");
    try (EmbeddedStore running = store.open()) {
      store.write(running, EVENTS);
      running.snapshot(narrow);
      SeededStore.merge(running);
    }
    try (CassandraNode node = CassandraNode.start();
        Keyspace keyspace =
            DriverKeyspace.open(ClusterOptions.at(StoreUri.parse(node.uri("moved"))));
        ClusterReader reader =
            new ClusterReader(keyspace, RetentionLookup.FOREVER, ReadOptions.DEFAULT, threads)) {
      killBeforeAMerge(narrow, keyspace, reader, a);
      there(random, store, node, keyspace, reader, a);
      String toCluster = told();
      back(random, store, node, keyspace, reader, a, b);
      System.out.printf(
          "seed %d: %d events; to the cluster %s; back %s%n",
          seed, SeededStore.read(a, false).size(), toCluster, told());
    } finally {
      threads.shutdownNow();
    }
  }

  private String told() {
    String told =
        "%d runs cut, %d more killed, %d came through before".formatted(cuts, kills, through);
    assertTrue(cuts + kills > CUTS / 2, told);
    cuts = 0;
    kills = 0;
    through = 0;
    return told;
  }

  private void there(
      SplittableRandom random,
      SeededStore store,
      CassandraNode node,
      Keyspace keyspace,
      ClusterReader reader,
      Path a)
      throws Exception {
    long statements = 1_000; // of a run
    long shown = 0;
    for (int cut = 0; cut < CUTS; cut++) {
      CompletableFuture<Void> thawed = freeze(random, node, cut);
      boolean whole;
      if (cut % 2 == 0) {
        Cuts cutting = new Cuts(keyspace).killAt(random.nextLong(statements));
        whole = isThrough(migration(cutting.keyspace(), reader, MigrationWatch.NONE), a, true);
        if (whole) {
          statements = Math.max(20, cutting.statements());
        }
      } else {
        whole = runKilled(random, node.uri("moved"), a, "there");
      }
      thawed.join();
      long now = shown(keyspace);
      if (whole) {
        assertTrue(now >= shown, shown + " were shown, then " + now);
        shown = now;
      } else if (now != shown) {
        shown = now;
        assertSame(SeededStore.read(a, false), cluster(keyspace, false)); // cut after the last step
      }
      if (cut % 2 == 1) { // the other runs go on from what those before them had
        try (EmbeddedStore running = store.open()) {
          store.write(running, 2 * MORE);
          if (cut % MERGE_EVERY == 1) {
            SeededStore.merge(running);
          }
        }
      }
    }
    CompletableFuture<Void> restarted = CompletableFuture.runAsync(node::restart, threads);
    assertClean(migration(keyspace, reader, MigrationWatch.NONE).toCluster(a));
    restarted.join();
    assertClean(migration(keyspace, reader, MigrationWatch.NONE).verifyCluster(a));
    List<String> up = cluster(keyspace, false);
    assertEquals(up.size(), new HashSet<>(up).size(), "nothing twice");
    assertEquals(List.of(), read(keyspace, KeyspaceView::doubles), "and nothing stored twice");
    assertSame(SeededStore.read(a, false), up);
    assertSame(SeededStore.read(a, true), cluster(keyspace, true));
  }

  /// Kills a run that has copied half of a snapshot's partitions; the store has moved events out of
  /// these since. One step is made for each partition that is looked at, then one for each that is
  /// copied.
  private void killBeforeAMerge(Path narrow, Keyspace keyspace, ClusterReader reader, Path a) {
    List<PartitionKey> before = SeededStore.keys(narrow);
    assertFalse(SeededStore.keys(a).containsAll(before), "the merge moved events");
    Steps half = new Steps(before.size() + before.size() / 2);
    assertFalse(isThrough(migration(keyspace, reader, half), narrow, true));
  }

  private void back(
      SplittableRandom random,
      SeededStore store,
      CassandraNode node,
      Keyspace keyspace,
      ClusterReader reader,
      Path a,
      Path b)
      throws Exception {
    long steps = 50; // of a run
    for (int cut = 0; cut < CUTS; cut++) {
      CompletableFuture<Void> thawed = freeze(random, node, cut);
      boolean whole;
      if (cut % 2 == 0) {
        Steps counted = new Steps(random.nextLong(steps));
        whole = isThrough(migration(keyspace, reader, counted), b, false);
        if (whole) {
          steps = Math.max(4, counted.made.get());
        }
      } else {
        whole = runKilled(random, node.uri("moved"), b, "back");
      }
      thawed.join();
      if (whole) {
        store.write(MORE);
        assertClean(migration(keyspace, reader, MigrationWatch.NONE).toCluster(a));
      }
    }
    assertClean(migration(keyspace, reader, MigrationWatch.NONE).toDirectory(b));
    assertClean(migration(keyspace, reader, MigrationWatch.NONE).verifyDirectory(b));
    assertSame(SeededStore.read(a, false), SeededStore.read(b, false));
    assertSame(SeededStore.read(a, true), SeededStore.read(b, true));
  }

  /// Lets the node stand still during a fifth of the runs, for less than a reader waits.
  private CompletableFuture<Void> freeze(SplittableRandom random, CassandraNode node, int cut) {
    if (cut % FREEZE_EVERY > 0) {
      return CompletableFuture.completedFuture(null);
    }
    long after = random.nextLong(runMillis);
    long millis = random.nextLong(100, STILL_MILLIS_MAX);
    return CompletableFuture.runAsync(
        () -> {
          Await.pauseNanos(TimeUnit.MILLISECONDS.toNanos(after));
          node.freeze();
          Await.pauseNanos(TimeUnit.MILLISECONDS.toNanos(millis));
          node.thaw();
        },
        threads);
  }

  /// False when it was cut.
  private boolean isThrough(Migration migration, Path directory, boolean there) {
    try {
      assertClean(there ? migration.toCluster(directory) : migration.toDirectory(directory));
      through++;
      return true;
    } catch (Cuts.Killed killed) {
      cuts++;
      return false;
    }
  }

  /// Starts a process and kills it at a random time after it began. False when it was killed.
  private boolean runKilled(SplittableRandom random, String uri, Path directory, String way)
      throws Exception {
    Process process =
        ChildJvm.plain().start(MigrationChild.class, uri, directory.toString(), way).start();
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      assertEquals("begin", lines.readLine());
      long began = System.nanoTime();
      if (process.waitFor(random.nextLong(runMillis), TimeUnit.MILLISECONDS)) {
        runMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began) + 1;
        assertEquals("end 0", lines.readLine(), "exit " + process.exitValue());
        through++;
        return true;
      }
      kills++;
      return false;
    } finally {
      process.destroyForcibly();
      process.onExit().join();
    }
  }

  private static long shown(Keyspace keyspace) {
    return read(
        keyspace,
        view ->
            view.partitions(_ -> true, 0, Long.MAX_VALUE, null).stream()
                .mapToLong(PartitionInfo::events)
                .sum());
  }

  private static List<String> cluster(Keyspace keyspace, boolean descending) {
    return read(keyspace, view -> SeededStore.read(view, descending));
  }

  /// Reads until the node is connected: one that stood still on a busy machine has lost its
  /// connections, and the next attempt of the driver comes a moment later.
  private static <T> T read(Keyspace keyspace, Function<KeyspaceView, T> question) {
    long began = System.nanoTime();
    while (true) {
      try (KeyspaceView view = new KeyspaceView(keyspace)) {
        return question.apply(view);
      } catch (CompletionException failed) {
        boolean passes =
            failed.getCause() instanceof KeyspaceException known
                && known.kind != KeyspaceException.Kind.REFUSED;
        if (!passes || System.nanoTime() - began > CONNECTED_NANOS_MAX) {
          throw failed;
        }
        Await.pauseNanos(TimeUnit.MILLISECONDS.toNanos(100));
      }
    }
  }

  /// Names the first difference only.
  private static void assertSame(List<String> expected, List<String> lines) {
    for (int i = 0; i < Math.min(expected.size(), lines.size()); i++) {
      assertEquals(expected.get(i), lines.get(i));
    }
    assertEquals(expected.size(), lines.size());
  }

  private static void assertClean(MigrationOutcome outcome) {
    assertEquals(List.of(), outcome.differences());
  }

  /// Ends the process at a step, as the code that runs in it sees it.
  private static final class Steps implements MigrationWatch {
    private final long last;
    private final AtomicLong made = new AtomicLong();

    Steps(long last) {
      this.last = last;
    }

    @Override
    public void begin(String phase, long events) {}

    @Override
    public void moved(long events, long bytes) {
      if (made.getAndIncrement() >= last) {
        throw new Cuts.Killed();
      }
    }

    @Override
    public void trouble(String why) {}
  }
}
