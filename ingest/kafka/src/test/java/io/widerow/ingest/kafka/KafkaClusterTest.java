package io.widerow.ingest.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cluster.CassandraNode;
import io.widerow.cluster.MemoryKeyspace;
import io.widerow.faults.Await;
import io.widerow.faults.Seeds;
import io.widerow.faults.Slice;
import io.widerow.ingest.Daemon;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.storage.EventStore;
import io.widerow.storage.StoreView;
import io.widerow.storage.cassandra.CassandraStore;
import io.widerow.storage.cassandra.ClusterStores;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.KeyspaceException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Goal: daemons that share a store on a cluster divide the partitions among them and store each
/// record once, or write a letter, while daemons come, go, are killed, stand still for longer than
/// their session, and while one of them cannot reach the cluster and so does not notice that
/// another one has its partitions. Method: a real broker; daemons over one keyspace in memory, and
/// as processes over a real node. The whole test: `-Dkafka.cluster.records=1000000 -Dkills=50`.
@Timeout(value = 8, unit = TimeUnit.HOURS)
class KafkaClusterTest extends BrokerTest {
  private static final int PARTITIONS = 6;
  private static final int POISON = 100; // one record in so many cannot be decoded
  private static final Duration LONG = Duration.ofMinutes(30);
  private static final String SOURCE = "logs?format=json&refresh=1s";
  private static final String NOBODY = "cassandra://127.0.0.1:1/kafka?dc=datacenter1";

  /// A daemon in this process, and the switch of its connection to the cluster.
  private static final class Member implements AutoCloseable {
    private final CassandraStore store;
    private final Daemon daemon;
    volatile boolean isAway;

    Member(DaemonConfig config, MemoryKeyspace keyspace) {
      Class<?>[] implemented = {Keyspace.class};
      var connection =
          (Keyspace)
              Proxy.newProxyInstance(
                  Keyspace.class.getClassLoader(),
                  implemented,
                  (_, method, arguments) ->
                      isAway && method.getReturnType().equals(CompletableFuture.class)
                          ? CompletableFuture.failedFuture(
                              new KeyspaceException(KeyspaceException.Kind.UNREACHABLE, "away"))
                          : method.invoke(keyspace, arguments));
      store = ClusterStore.open(config, connection);
      daemon = Daemon.start(config, store);
    }

    /// The numbers of the partitions that it reads now.
    int partitions() throws Exception {
      return KafkaDaemon.count(KafkaDaemon.get(daemon.httpAddress().getPort(), "/v1/kafka"));
    }

    @Override
    public void close() {
      daemon.close();
      store.close();
    }
  }

  private Member member(String name, MemoryKeyspace keyspace) {
    Map<String, String> keys = new HashMap<>();
    keys.put("store", NOBODY);
    keys.put("kafka", broker.address() + "/" + SOURCE);
    keys.put("kafka-set.session.timeout.ms", "6000");
    return new Member(KafkaDaemon.config(directory.resolve(name), keys), keyspace);
  }

  private void send(int from, int until) {
    broker.send(
        "logs", PARTITIONS, IntStream.range(from, until).mapToObj(i -> json("record " + i)));
  }

  private static long stored(EventStore store) {
    try (StoreView view = store.view()) {
      return StoredRecords.offsets(view, "logs"::equals).values().stream()
          .mapToLong(BitSet::cardinality)
          .sum();
    }
  }

  @Test
  void daemonsThatShareAKeyspaceStoreEachRecordOnce() throws Exception {
    broker.create("logs", PARTITIONS, Map.of());
    MemoryKeyspace keyspace = new MemoryKeyspace();
    send(0, 2_000);
    try (Member first = member("first", keyspace)) {
      Await.until(() -> stored(first.store) == 2_000, "the first daemon has all");
      assertEquals(PARTITIONS, first.partitions());
      first.isAway = true;
      send(2_000, 4_000);
      Await.until(
          () -> first.store.cluster().pendingEvents() >= 2_000, "they wait for the cluster");
      try (Member second = member("second", keyspace)) {
        Await.until(() -> second.partitions() == PARTITIONS / 2, "they have a half each");
        Await.until(() -> stored(second.store) > 2_000, "the second daemon stores its half");
        first.isAway = false;
        Await.until(() -> stored(second.store) == 4_000, "both have stored their half");
        Await.until(() -> first.store.cluster().pendingEvents() == 0, "nothing waits any more");
        assertTrue(
            first.store.cluster().counters().stream()
                .anyMatch(each -> each.kind().equals("offsets") && each.value() > 0),
            "the first daemon leaves out what the second one has");
        send(4_000, 6_000);
        Await.until(() -> stored(first.store) == 6_000, "both go on");
      }
      send(6_000, 8_000);
      Await.until(() -> stored(first.store) == 8_000, "the first daemon has all again");
      assertEquals(PARTITIONS, first.partitions());
    }
  }

  @Test
  void killedDaemonsOverARealNodeStoreEachRecordOnce() throws Exception {
    CassandraNode.require();
    int records = Slice.of("kafka.cluster.records", 6_000, 60_000);
    int faults = Slice.of("kills", 4, 12);
    int members = Slice.of("kafka.cluster.daemons", 2, 3);
    SplittableRandom random = new SplittableRandom(Seeds.one());
    broker.create("logs", PARTITIONS, Map.of());
    broker.create("dead", 1, Map.of());
    Map<String, String> keys = new HashMap<>();
    keys.put("store", CassandraNode.shared().uri("kafka" + broker.port));
    keys.put("insecure", "true");
    keys.put("kafka", broker.address() + "/" + SOURCE + "&dead-letter=dead");
    keys.put("kafka-set.session.timeout.ms", "6000");
    List<KafkaDaemon> daemons = new ArrayList<>();
    try {
      for (int number = 0; number < members; number++) {
        daemons.add(new KafkaDaemon(directory.resolve("data-" + number), keys));
      }
      CompletableFuture<Void> sender =
          CompletableFuture.runAsync(
              () -> sendSome(records), task -> Thread.ofPlatform().start(task));
      for (int fault = 0; fault < faults; fault++) {
        long reached = (fault + 1L) * records / (faults + 2);
        Await.until(() -> sumOfNext(daemons) >= reached / 2, Broker.PATIENCE, "offsets are read");
        Await.pause(Duration.ofMillis(random.nextInt(1_000)));
        int one = random.nextInt(members);
        KafkaDaemon daemon = daemons.get(one);
        List<KafkaDaemon> others = new ArrayList<>(daemons);
        others.remove(one);
        switch (fault % 4) {
          case 0 -> daemon.kill();
          case 1 -> {
            daemon.signal("STOP");
            awaitAll(others);
            daemon.signal("CONT");
          }
          case 2 -> {
            daemon.stop();
            awaitAll(others);
          }
          default -> broker.killAndStart();
        }
        if (fault % 2 == 0) {
          daemons.set(one, new KafkaDaemon(directory.resolve("data-" + one), keys));
        }
      }
      sender.join();
      int letters = (records + POISON - 1) / POISON;
      Await.until(() -> sumOfNext(daemons) >= records, LONG, "all records are read");
      try (EventStore store =
          ClusterStores.openForReading(
              ClusterStore.options(KafkaDaemon.config(directory.resolve("none"), keys)))) {
        Await.until(() -> stored(store) == records - letters, LONG, "each record is stored");
      }
      Await.until(() -> letters() == letters, LONG, "each other one has a letter");
    } finally {
      daemons.forEach(KafkaDaemon::close);
    }
  }

  private static long sumOfNext(List<KafkaDaemon> daemons) throws Exception {
    long sum = 0;
    for (KafkaDaemon daemon : daemons) {
      sum += daemon.sumOfNext();
    }
    return sum;
  }

  /// These daemons have all partitions.
  private static void awaitAll(List<KafkaDaemon> daemons) {
    Await.until(
        () -> {
          int read = 0;
          for (KafkaDaemon daemon : daemons) {
            read += KafkaDaemon.count(daemon.get("/v1/kafka"));
          }
          return read == PARTITIONS;
        },
        Broker.PATIENCE,
        "they have all partitions");
  }

  private void sendSome(int records) {
    for (int from = 0; from < records; from += 500) {
      broker.send(
          "logs",
          PARTITIONS,
          IntStream.range(from, from + 500)
              .mapToObj(i -> i % POISON == 0 ? "poison " + i : json("record " + i)));
    }
  }

  /// The number of records that have a letter.
  private long letters() {
    return letters("dead").stream()
        .map(letter -> header(letter, "widerow.partition") + "@" + header(letter, "widerow.offset"))
        .distinct()
        .count();
  }
}
