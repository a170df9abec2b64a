package io.widerow.cli.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.CommandDaemon;
import io.widerow.cli.CommandDaemon.Ran;
import io.widerow.cli.ExitCode;
import io.widerow.cli.Main;
import io.widerow.cluster.MemoryKeyspace;
import io.widerow.event.EventBatch;
import io.widerow.event.PartitionKey;
import io.widerow.faults.Appends;
import io.widerow.storage.Durability;
import io.widerow.storage.RetentionLookup;
import io.widerow.storage.RetentionSettings;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.cassandra.ClusterRetention;
import io.widerow.storage.cassandra.keyspace.DaemonRow;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.KeyspaceException;
import io.widerow.storage.cassandra.keyspace.Stamp;
import io.widerow.storage.cassandra.maintenance.ClusterPolicies;
import io.widerow.storage.cassandra.read.ClusterReader;
import io.widerow.storage.cassandra.read.ReadOptions;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: each command reports its outcome and ends with its exit code. Method: commands in this
/// process, on a keyspace in memory.
class ClusterCommandsTest {
  private static final String URI = "cassandra://127.0.0.1/widerow?dc=dc1";
  private static final long NOW_MILLIS = 1_764_000_000_000L;

  private final MemoryKeyspace keyspace = new MemoryKeyspace();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  @TempDir Path directory;

  private final class Opened implements OpenCluster {
    private final ClusterPolicies policies = new ClusterPolicies(keyspace, () -> NOW_MILLIS);
    private final ClusterReader reader =
        new ClusterReader(keyspace, RetentionLookup.FOREVER, ReadOptions.DEFAULT, threads);

    @Override
    public Keyspace keyspace() {
      return keyspace;
    }

    @Override
    public StoreView view() {
      return reader.view();
    }

    @Override
    public RetentionSettings retention() {
      return new ClusterRetention(policies, reader, () -> NOW_MILLIS);
    }

    @Override
    public void close() {
      reader.close();
    }
  }

  @AfterEach
  void end() {
    threads.shutdownNow();
  }

  private Ran migrate(String... arguments) {
    return run("migrate", (_, _, _) -> new Opened(), arguments);
  }

  private Ran cluster(String... arguments) {
    return run("cluster", (_, _, _) -> new Opened(), arguments);
  }

  private static Ran run(String name, ClusterConnector connector, String... arguments) {
    return CommandDaemon.run(
        Map.of(),
        shell ->
            name.equals("migrate")
                ? Main.of(new MigrateCommand(connector, shell), shell)
                : Main.of(new ClusterCommand(connector, shell, () -> NOW_MILLIS), shell),
        arguments);
  }

  private Path store() {
    Path data = directory.resolve("data");
    byte[] type = "cpu".getBytes(StandardCharsets.UTF_8);
    byte[] name = "n".getBytes(StandardCharsets.UTF_8);
    StoreConfig config = StoreConfig.at(data).withDiskReserveBytes(0);
    try (EmbeddedStore store = EmbeddedStore.open(config, Runnable::run);
        EventBatch batch = new EventBatch(1 << 16, 1 << 20)) {
      for (int i = 0; i < 100; i++) {
        batch.begin(type, 0, type.length, 1_763_900_000_000_000_000L + i);
        batch.putLong(name, 0, name.length, i);
        assertNull(batch.end());
      }
      Appends.all(store.lane(0), batch, 0);
      store.lane(0).commit(Durability.OS);
    }
    return data;
  }

  @Test
  void aStoreGoesThereAndBack() {
    Path data = store();
    Ran there = migrate("--from", data.toString(), "--to", URI);
    assertEquals(0, there.code(), there.err());
    assertTrue(
        there.out().startsWith("copied 100 events\ncompared 100 events: both sides are the same\n"),
        there.out());
    assertTrue(
        there.out().contains("widerow serve --store '" + URI + "' --data " + data + "-front"),
        there.out());

    Ran verified = migrate("--from", data.toString(), "--to", URI, "--verify");
    assertEquals(new Ran(0, "compared 100 events: both sides are the same\n", ""), verified);

    Path copy = directory.resolve("copy");
    Ran back = migrate("--from", URI, "--to", copy.toString());
    assertEquals(0, back.code(), back.err());
    assertTrue(back.out().contains("widerow serve --data " + copy), back.out());
  }

  @Test
  void aDifferenceIsNamedAndEndsWithOne() {
    Path data = store();
    assertEquals(0, migrate("--from", data.toString(), "--to", URI).code());
    List<String> spans = keyspace.spans().join();
    var row = keyspace.buckets(spans.getFirst()).join().getFirst();
    keyspace
        .deletePartition(
            new PartitionKey(
                row.bucket().startMinutes(), row.bucket().widthMinutes(), row.type(), 0))
        .join();
    Ran run = migrate("--from", data.toString(), "--to", URI, "--verify");
    assertEquals(ExitCode.DAMAGE_FOUND.number, run.code(), run.err());
    assertEquals(
        """
        compared 100 events: 1 hours differ
        2025-11-23T12|cpu: 100 events in the source, 0 in the target, -100
        """,
        run.out());
  }

  @Test
  void wrongUseIsToldWithItsValues() throws Exception {
    Ran both = migrate("--from", URI, "--to", URI);
    assertEquals(ExitCode.USAGE.number, both.code());
    assertTrue(both.err().contains("one of --from and --to is a directory"), both.err());
    assertEquals(
        ExitCode.USAGE.number, migrate("--from", "a", "--to", URI, "--threads", "0").code());
    assertEquals(
        ExitCode.NO_STORE.number,
        migrate("--from", directory.resolve("none").toString(), "--to", URI).code());
    Path full = Files.createDirectory(directory.resolve("full"));
    Files.writeString(full.resolve("mine"), "x");
    assertEquals(ExitCode.NO_STORE.number, migrate("--from", URI, "--to", full.toString()).code());
    assertEquals(ExitCode.USAGE.number, cluster("status").code(), "no --store");
    assertEquals(ExitCode.USAGE.number, cluster().code());
    assertEquals(ExitCode.USAGE.number, cluster("retain", "7", "--store", URI).code());
  }

  @Test
  void aSourceInUseAndAnUnreachableClusterHaveTheirCodes() {
    Path data = directory.resolve("used");
    StoreConfig config = StoreConfig.at(data).withDiskReserveBytes(0);
    try (EmbeddedStore open = EmbeddedStore.open(config, Runnable::run)) {
      Ran run = migrate("--from", data.toString(), "--to", URI);
      assertEquals(ExitCode.IN_USE.number, run.code(), run.err());
      assertEquals("", open.statistics().failure());
    }
    ClusterConnector away =
        (uri, _, _) -> {
          throw new StorageException.Unreachable(
              "no node of " + uri + " answers",
              new KeyspaceException(KeyspaceException.Kind.UNREACHABLE, "none"));
        };
    assertEquals(
        new Ran(
            ExitCode.UNAVAILABLE.number,
            "",
            "widerow cluster migrate: no node of " + URI + " answers\n"),
        run("migrate", away, "--from", data.toString(), "--to", URI));
    assertEquals(
        ExitCode.UNAVAILABLE.number, run("cluster", away, "status", "--store", URI).code());
  }

  @Test
  void statusListsDaemonsAndPolicies() {
    assertTrue(keyspace.begin(3, null, new UUID(4, 5), "host9", 2, 1 << 28).join());
    keyspace.applied(3, new DaemonRow.Applied(Stamp.of(2, 17), 0, List.of(40L))).join();
    keyspace.seen(3, NOW_MILLIS - 40_000, NOW_MILLIS - 5_000).join();
    assertEquals(0, cluster("retain", "nginx.access", "30d", "--store", URI).code());
    Ran status = cluster("status", "--store", URI);
    assertEquals(0, status.code(), status.err());
    assertTrue(status.out().contains("nodes: 1 up, 0 down, 1 replicas"), status.out());
    assertTrue(
        status.out().lines().anyMatch(line -> line.matches(" +3 +host9 +2\\.17 +40 s +5 s ago")),
        status.out());
    assertTrue(status.out().contains("nginx.access PT720H"), status.out());
  }

  @Test
  void retentionByAFilterIsPlannedSetAndUnset() {
    assertEquals(0, migrate("--from", store().toString(), "--to", URI).code());
    String[] some = {"retain", "c*", "1h", "--where", "n < 7", "--store", URI};
    List<String> planned = new ArrayList<>(List.of(some));
    planned.add("--plan");
    Ran plan = cluster(planned.toArray(String[]::new));
    assertEquals(0, plan.code(), plan.err());
    assertTrue(
        plan.out()
            .endsWith(
                "c* where n < 7: retention period 1h; would hide 7 events of 1 partitions, not yet"
                    + " deleted\n"),
        plan.out());
    assertEquals(2, plan.out().lines().count(), plan.out());
    assertFalse(cluster("status", "--store", URI).out().contains("filtered"));
    keyspace.setClockMillis(NOW_MILLIS);
    Ran set = cluster(some);
    assertEquals(
        "c* where n < 7: retention period 1h; hides 7 events of 1 partitions, not yet deleted\n",
        set.out());
    String status = cluster("status", "--store", URI).out();
    assertTrue(status.contains("policy retention.filtered: c* PT1H n < 7\n"), status);
    keyspace.setClockMillis(NOW_MILLIS + 60_000); // the lease is over
    Ran unset = cluster("retain", "c*", "forever", "--where", "n < 7", "--store", URI);
    assertEquals("c* where n < 7: retention period forever\n", unset.out());
    keyspace.setClockMillis(NOW_MILLIS + 120_000);
    Ran again = cluster("retain", "c*", "forever", "--where", "n < 7", "--store", URI);
    assertEquals(ExitCode.USAGE.number, again.code());
    assertTrue(again.err().contains("no policy was set for 'c*' where n < 7"), again.err());
    long nowMillis = NOW_MILLIS + 180_000;
    for (String[] wrong :
        List.of(
            new String[] {"retain", "1h", "--where", "n < 7"},
            new String[] {"retain", "c*", "1h", "--plan"},
            new String[] {"retain", "cpu", "1h", "--grace", "1h"},
            new String[] {"retain", "c*", "1h", "--where", "n < 7", "--grace", "soon"},
            new String[] {"retain", "c*", "1h", "--where", "ts < 7d"},
            new String[] {"retain", "c*", "1h", "--where", "n ~ \"x.*y+\""},
            new String[] {"retain", "c*", "forever", "--where", "n < 7", "--plan"},
            new String[] {"retain", "c*", "1h", "--where", "n <"})) {
      List<String> words = new ArrayList<>(List.of(wrong));
      words.addAll(List.of("--store", URI));
      keyspace.setClockMillis(nowMillis += 60_000);
      Ran refused = cluster(words.toArray(String[]::new));
      assertEquals(ExitCode.USAGE.number, refused.code(), refused.err());
      assertTrue(refused.err().startsWith("widerow cluster"), refused.err());
    }
  }

  @Test
  void releaseAsksTwiceForADaemonThatMayRun() {
    assertTrue(keyspace.begin(3, null, new UUID(4, 5), "host9", 2, 1 << 28).join());
    keyspace.seen(3, 0, NOW_MILLIS - 5_000).join();
    Ran asked = cluster("release", "3", "--store", URI);
    assertEquals(ExitCode.IN_USE.number, asked.code(), asked.err());
    assertTrue(asked.out().contains("may still run; --yes releases it"), asked.out());
    assertEquals(new UUID(4, 5), keyspace.daemons().join().getFirst().owner());

    Ran done = cluster("release", "3", "--yes", "--store", URI);
    assertEquals(0, done.code(), done.err());
    assertNull(keyspace.daemons().join().getFirst().owner());
    assertEquals(ExitCode.USAGE.number, cluster("release", "3", "--yes", "--store", URI).code());
    assertEquals(ExitCode.USAGE.number, cluster("release", "4", "--store", URI).code());
  }
}
