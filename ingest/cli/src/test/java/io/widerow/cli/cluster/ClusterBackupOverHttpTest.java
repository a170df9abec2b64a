package io.widerow.cli.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cluster.CassandraNode;
import io.widerow.cluster.MemoryKeyspace;
import io.widerow.faults.Await;
import io.widerow.ingest.Daemon;
import io.widerow.ingest.Http;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.cassandra.CassandraStore;
import io.widerow.storage.cassandra.ClusterReading;
import io.widerow.storage.cassandra.apply.ApplyOptions;
import io.widerow.storage.cassandra.keyspace.ClusterOptions;
import io.widerow.storage.cassandra.keyspace.DriverKeyspace;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.StoreUri;
import io.widerow.storage.cassandra.read.ReadOptions;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.objects.DirectoryObjects;
import io.widerow.storage.objects.ObjectsException;
import io.widerow.storage.objects.Restore;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: two daemons on a cluster have one backup, which one of them makes; a restore of it and a
/// snapshot are stores with everything that both have acknowledged. Method: daemons over a keyspace
/// in memory, and over a node; the restored stores are served by a daemon of their own.
@Timeout(600)
class ClusterBackupOverHttpTest {
  private static final int EVENTS = 500; // of each daemon

  @TempDir Path temporary;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  @AfterEach
  void end() {
    threads.close();
  }

  private Map<String, String> keys(String name) {
    return Map.of(
        "http",
        "127.0.0.1:0",
        "lanes",
        "1",
        "store",
        "cassandra://127.0.0.1/widerow?dc=dc1",
        "data",
        temporary.resolve(name).toString(),
        "backup",
        "file:" + temporary.resolve("objects"),
        "backup-checkpoint",
        "1s");
  }

  private StoreConfig local(String name) {
    return StoreConfig.at(temporary.resolve(name))
        .withLanes(1, 2)
        .withMemory(8L << 20, Duration.ofMinutes(1))
        .withJournal(1 << 20, 8 << 20)
        .withDiskReserveBytes(0);
  }

  private Daemon daemon(String name, Keyspace keyspace) {
    ClusterReading reading =
        new ClusterReading(
            keyspace,
            new ClusterReading.Settings(ReadOptions.DEFAULT, Duration.ofHours(1), null),
            threads,
            threads);
    return Daemon.start(
        DaemonConfig.of(keys(name)),
        CassandraStore.open(keyspace, local(name), ApplyOptions.of(name), reading, threads));
  }

  private static void send(Http http, int from) throws IOException, InterruptedException {
    StringBuilder lines = new StringBuilder();
    Instant time = Instant.now().minus(Duration.ofHours(4));
    for (int i = from; i < from + EVENTS; i++) {
      lines.append(
          "{\"ts\":\"%s\",\"type\":\"t%d\",\"body\":\"b%d\"}\n"
              .formatted(time.plusSeconds(10L * i), i % 3, i));
    }
    HttpResponse<String> answer = http.post("/v1/events", Http.NDJSON, lines.toString());
    assertEquals(200, answer.statusCode(), answer.body());
  }

  private static List<String> expected() {
    return IntStream.range(0, 2 * EVENTS).mapToObj(i -> "b" + i).sorted().toList();
  }

  @Test
  void aKeyspaceInMemoryIsBackedUp() throws IOException, InterruptedException {
    var keyspace = new MemoryKeyspace();
    keyspace.setClockMillis(System.currentTimeMillis());
    backedUp(keyspace, keyspace);
  }

  @Test
  @Tag("cluster")
  void aClusterIsBackedUp() throws IOException, InterruptedException {
    CassandraNode.require();
    try (CassandraNode node = CassandraNode.start()) {
      ClusterOptions options = ClusterOptions.at(StoreUri.parse(node.uri("backed")));
      backedUp(DriverKeyspace.open(options), DriverKeyspace.open(options));
    }
  }

  private void backedUp(Keyspace one, Keyspace two) throws IOException, InterruptedException {
    try (Daemon first = daemon("one", one);
        Daemon second = daemon("two", two);
        Http toFirst = new Http(first);
        Http toSecond = new Http(second)) {
      send(toFirst, 0);
      send(toSecond, EVENTS);
      assertEquals(expected(), toFirst.bodies());
      Await.until(
          () -> toFirst.get("/v1/status").body().contains("\"checkpoint\":\"checkpoints/"),
          "the first daemon makes checkpoints");
      String standby = toSecond.get("/v1/status").body();
      assertTrue(standby.contains("\"backup\":{\"state\":\"standby\""), standby);
      assertEquals(503, toSecond.post("/v1/admin/backup", Http.TEXT, "").statusCode());
      HttpResponse<String> made = toFirst.post("/v1/admin/backup", Http.TEXT, "");
      assertEquals(200, made.statusCode(), made.body());

      HttpResponse<String> snapshot = toSecond.post("/v1/admin/snapshot?name=now", Http.TEXT, "");
      assertEquals(200, snapshot.statusCode(), snapshot.body());
      assertTrue(snapshot.body().contains("\"events\":" + 2 * EVENTS), snapshot.body());
      HttpResponse<String> again = toSecond.post("/v1/admin/snapshot?name=now", Http.TEXT, "");
      assertEquals(409, again.statusCode(), again.body());
    }
    Path restored = temporary.resolve("restored");
    var _ = restore(restored);
    assertServed(restored);
    assertServed(temporary.resolve("two-snapshots").resolve("now"));
  }

  private Restore.Result restore(Path target) throws ObjectsException {
    return new Restore(new DirectoryObjects(temporary.resolve("objects")), target)
        .run(Long.MAX_VALUE);
  }

  private void assertServed(Path directory) throws IOException, InterruptedException {
    StoreConfig config = local(directory.getFileName().toString()).in(directory);
    try (Daemon daemon =
            Daemon.start(
                DaemonConfig.of(Map.of("http", "127.0.0.1:0", "lanes", "1")),
                EmbeddedStore.open(config, Runnable::run));
        Http http = new Http(daemon)) {
      assertEquals(expected(), http.bodies(), directory.toString());
    }
  }
}
