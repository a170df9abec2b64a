package io.widerow.storage.cassandra.keyspace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cluster.CassandraNode;
import io.widerow.storage.StorageException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Goal: a store is made once, and a keyspace that is not what this program knows is refused with
/// what differs, and left as it is. Method: keyspaces of one node, changed by hand.
@Tag("process")
class ClusterSchemaTest {
  private static CassandraNode node() {
    return CassandraNode.shared();
  }

  @BeforeAll
  static void node17() {
    CassandraNode.require();
  }

  private static ClusterOptions options(String keyspace) {
    return ClusterOptions.at(StoreUri.parse(node().uri(keyspace)));
  }

  private static StoreIdentity made(String keyspace) {
    try (DriverKeyspace store = DriverKeyspace.open(options(keyspace))) {
      return store.identity();
    }
  }

  private static String incompatible(String keyspace) {
    return KeyspaceContract.message(
        assertThrows(
            StorageException.Incompatible.class, () -> DriverKeyspace.open(options(keyspace))));
  }

  private static String unreachable(String uri) {
    return KeyspaceContract.message(
        assertThrows(
            StorageException.Unreachable.class,
            () -> DriverKeyspace.open(ClusterOptions.at(StoreUri.parse(uri)))));
  }

  private static String compaction(String keyspace) {
    return node()
        .execute(
            "SELECT compaction FROM system_schema.tables WHERE keyspace_name = '"
                + keyspace
                + "' AND table_name = 'segments'")
        .getFirst()
        .getFormattedContents();
  }

  @Test
  void daemonsThatComeFirstTogetherMakeOneStore() throws Exception {
    Set<StoreIdentity> identities = ConcurrentHashMap.newKeySet();
    try (var threads = Executors.newFixedThreadPool(3)) {
      for (int daemon = 0; daemon < 3; daemon++) {
        threads.execute(() -> identities.add(made("together")));
      }
    }
    assertEquals(1, identities.size());
    assertEquals(identities, Set.of(made("together")), "and it stays");
    assertNotEquals(identities, Set.of(made("another")));
    assertTrue(compaction("another").contains("UnifiedCompactionStrategy"));
    DriverKeyspace.open(options("windows").withTtl(true)).close();
    assertTrue(compaction("windows").contains("TimeWindowCompactionStrategy"));
  }

  @Test
  void whatIsMissingOrOfAnotherFormatIsNamedAndLeftAlone() {
    made("differs");
    node().execute("UPDATE differs.store SET format = 7 WHERE one = 0");
    String newer = incompatible("differs");
    assertTrue(newer.contains("format 7") && newer.contains("knows 1"), newer);
    node().execute("UPDATE differs.store SET format = 0 WHERE one = 0");
    assertTrue(incompatible("differs").contains("format 0, older than format 1"));
    node()
        .execute(
            "UPDATE differs.store SET format = 1 WHERE one = 0",
            "ALTER TABLE differs.directory DROP crc",
            "ALTER TABLE differs.policies ADD note text",
            "DROP TABLE differs.claims");
    String differs = incompatible("differs");
    assertTrue(differs.contains("directory.crc is missing and must be int (regular)"), differs);
    assertTrue(differs.contains("table claims is missing"), differs);
    assertTrue(!differs.contains("policies"), differs);
    assertEquals(differs, incompatible("differs"), "nothing was changed");
  }

  @Test
  void aTableThatIsDroppedAtWorkIsNamedByTheStatementThatMissesIt() throws Exception {
    try (DriverKeyspace store = DriverKeyspace.open(options("dropped"))) {
      store.policies().get();
      node().execute("DROP TABLE dropped.policies");
      var failed = assertThrows(ExecutionException.class, () -> store.policies().get());
      var refused = assertInstanceOf(KeyspaceException.class, failed.getCause());
      assertEquals(KeyspaceException.Kind.REFUSED, refused.kind);
      assertTrue(
          String.valueOf(refused.getMessage()).contains("table policies is missing"),
          refused.getMessage());
      node()
          .execute(
              "CREATE TABLE dropped.policies"
                  + " (one int, name text, body text, PRIMARY KEY (one, name))");
      assertEquals(java.util.Map.of(), store.policies().get(), "it goes on by itself");
    }
  }

  @Test
  void whereThereIsNoStoreTheMessageSaysWhatToDo() {
    String address = node().address();
    String absent = unreachable("cassandra://" + address + "/absent?dc=datacenter1");
    assertTrue(absent.contains("CREATE KEYSPACE") && absent.contains("&replication=3"), absent);
    String wrong = unreachable("cassandra://" + address + "/absent?dc=dc9&replication=1");
    assertTrue(wrong.contains("'dc9', but datacenter1"), wrong);
    String nobody = unreachable("cassandra://127.0.0.1:1,127.0.0.2:1/k?dc=dc1");
    assertTrue(nobody.contains("127.0.0.1:1, 127.0.0.2:1"), nobody);
    assertThrows(
        StorageException.Unreachable.class, () -> DriverKeyspace.openExisting(options("absent")));
    assertTrue(
        node()
            .execute("SELECT * FROM system_schema.keyspaces WHERE keyspace_name = 'absent'")
            .isEmpty());
  }
}
