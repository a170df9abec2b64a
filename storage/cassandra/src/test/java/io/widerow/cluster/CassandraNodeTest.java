package io.widerow.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Goal: the harness starts the requested nodes, and leaves nothing. Method: a node through a kill,
/// a restart on its directory and the end; three nodes that see each other.
@Tag("process")
class CassandraNodeTest {
  @BeforeAll
  static void node() {
    CassandraNode.require();
  }

  @Test
  void aKilledNodeComesBackWithItsRowsAndNothingStays() {
    Path directory;
    try (CassandraNode node = CassandraNode.start()) {
      directory = node.directory();
      node.execute(
          "CREATE KEYSPACE k WITH replication ="
              + " {'class': 'SimpleStrategy', 'replication_factor': 1}",
          "CREATE TABLE k.t (a int PRIMARY KEY, b text)",
          "INSERT INTO k.t (a, b) VALUES (1, 'one')");
      assertTrue(node.isRunning());

      node.kill();
      assertFalse(node.isRunning());
      assertThrows(AllNodesFailedException.class, () -> node.execute("SELECT * FROM k.t"));

      node.restart();
      assertEquals("one", node.execute("SELECT b FROM k.t").getFirst().getString("b"));
    }
    assertFalse(Files.exists(directory));
  }

  @Test
  @Tag("cluster")
  void threeNodesSeeEachOther() {
    try (CassandraNodes nodes = CassandraNodes.start(3)) {
      for (int node = 0; node < 3; node++) {
        assertEquals(
            2, nodes.node(node).execute("SELECT peer FROM system.peers_v2").size(), "node " + node);
      }
      nodes.node(2).freeze();
      nodes.node(2).thaw();
    }
  }
}
