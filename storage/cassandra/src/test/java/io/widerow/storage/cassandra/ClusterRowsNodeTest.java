package io.widerow.storage.cassandra;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.datastax.oss.driver.api.core.cql.Row;
import io.widerow.cluster.CassandraNode;
import io.widerow.event.EventBatch;
import io.widerow.faults.Appends;
import io.widerow.faults.Await;
import io.widerow.storage.Durability;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.cassandra.apply.ApplyOptions;
import io.widerow.storage.cassandra.keyspace.ClusterOptions;
import io.widerow.storage.cassandra.keyspace.DriverKeyspace;
import io.widerow.storage.cassandra.keyspace.StoreUri;
import io.widerow.storage.cassandra.read.ReadOptions;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: other programs that read a real node over CQL find the events that were written: the rows
/// of `events`, and the time to live of rows of a type with a retention. Method: events of two
/// types, one of them kept indefinitely, through a store with `cluster-rows` and `cluster-ttl`.
@Tag("cluster")
@Timeout(300)
class ClusterRowsNodeTest {
  private static final int EVENTS = 300;
  private static final Duration KEPT = Duration.ofDays(2);
  private static final Duration SLACK = Duration.ofDays(7);
  private static final byte[] BODY = utf8("body");
  private static final byte[] HOST = utf8("host");
  private static final byte[] COUNT = utf8("n");
  private static final byte[] RATIO = utf8("x");

  private final BlockingQueue<Long> told = new LinkedBlockingQueue<>();

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @BeforeAll
  static void node() {
    CassandraNode.require();
  }

  private static void add(EventBatch batch, String type, int number, long nowNanos) {
    byte[] name = utf8(type);
    batch.begin(name, 0, name.length, nowNanos + 1_000L * number);
    byte[] body = utf8("line " + number);
    batch.putString(BODY, 0, BODY.length, body);
    byte[] host = utf8("h" + number % 3);
    batch.putString(HOST, 0, HOST.length, host);
    batch.putLong(COUNT, 0, COUNT.length, number);
    batch.putDouble(RATIO, 0, RATIO.length, number / 8.0);
    assertNull(batch.end());
  }

  private void awaitApplied(long group) throws InterruptedException {
    long reached = -1;
    while (reached < group) {
      Long next = told.poll(Await.SECONDS, TimeUnit.SECONDS);
      assertNotNull(next, "nobody told that group " + group + " is applied");
      reached = next;
    }
  }

  @Test
  void rowsAreTheEventsAndLiveAsLongAsTheyAreKept(@TempDir Path directory)
      throws InterruptedException {
    CassandraNode node = CassandraNode.shared();
    var options = ClusterOptions.at(StoreUri.parse(node.uri("rows"))).withTtl(true);
    long now = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
    try (ExecutorService threads = Executors.newCachedThreadPool()) {
      var keyspace = DriverKeyspace.open(options.withRequestTimeout(Duration.ofSeconds(30)));
      var settings = new ClusterReading.Settings(ReadOptions.DEFAULT, Duration.ofHours(1), SLACK);
      try (CassandraStore store =
              CassandraStore.open(
                  keyspace,
                  StoreConfig.at(directory.resolve("data")).withDiskReserveBytes(0),
                  ApplyOptions.of("here").withRows(List.of("app")),
                  new ClusterReading(keyspace, settings, threads, threads),
                  Runnable::run);
          EventBatch batch = new EventBatch(1 << 10, 1 << 20)) {
        store.lane(0).onQuorum(told::add);
        store.retain("app", KEPT);
        for (int number = 0; number < EVENTS; number++) {
          add(batch, number % 3 == 0 ? "audit" : "app", number, now);
        }
        Appends.all(store.lane(0), batch, 0);
        awaitApplied(store.lane(0).commit(Durability.QUORUM));
      }
    }
    requireRows(node);
    requireLives(node);
  }

  private static void requireRows(CassandraNode node) {
    Map<String, Row> rows = new TreeMap<>();
    for (Row row : node.execute("SELECT * FROM rows.events")) {
      assertEquals("app", row.getString("type"));
      assertNull(rows.put(String.valueOf(row.getString("body")), row));
    }
    assertEquals(EVENTS - EVENTS / 3, rows.size());
    for (int number = 0; number < EVENTS; number++) {
      Row row = rows.get("line " + number);
      if (number % 3 == 0) {
        assertNull(row);
      } else {
        assertNotNull(row, "event " + number);
        assertEquals(
            Map.of("n", (double) number, "x", number / 8.0),
            row.getMap("numbers", String.class, Double.class));
        assertEquals(
            Map.of("host", "h" + number % 3), row.getMap("attributes", String.class, String.class));
      }
    }
  }

  /// Each row lives until its bucket's end, the retention and the slack are over.
  private static void requireLives(CassandraNode node) {
    long least = KEPT.plus(SLACK).toSeconds() - Duration.ofMinutes(10).toSeconds();
    long most = KEPT.plus(SLACK).toSeconds() + Duration.ofDays(1).toSeconds();
    for (String query :
        List.of(
            "SELECT type, TTL(data) AS ttl FROM rows.segments",
            "SELECT type, TTL(events) AS ttl FROM rows.directory",
            "SELECT type, TTL(body) AS ttl FROM rows.events")) {
      List<Row> rows = node.execute(query);
      assertFalse(rows.isEmpty(), query);
      for (Row row : rows) {
        if ("audit".equals(row.getString("type"))) {
          assertTrue(row.isNull("ttl"), query + " of a type that is kept for ever");
        } else {
          int ttl = row.getInt("ttl");
          assertTrue(ttl >= least && ttl <= most, "%s: %d s".formatted(query, ttl));
        }
      }
    }
  }
}
