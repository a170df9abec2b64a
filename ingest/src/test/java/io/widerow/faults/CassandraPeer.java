package io.widerow.faults;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// Cassandra, over its native protocol. A batch is one unlogged batch of one partition, which it
/// applies atomically. A repeat replaces the same rows.
///
/// - Threads: any; one connection for each sender.
public final class CassandraPeer implements Peer {
  private static final String KEYSPACE =
      "CREATE KEYSPACE IF NOT EXISTS load WITH replication ="
          + " {'class': 'SimpleStrategy', 'replication_factor': 1}";
  private static final String TABLE =
      "CREATE TABLE IF NOT EXISTS load.events (s int, n int, body text, PRIMARY KEY (s, n))";
  private static final int SENDERS = 4;

  private final String setting;
  private final Map<Integer, CqlConnection> connections = new ConcurrentHashMap<>();

  public CassandraPeer(String setting) {
    this.setting = setting;
  }

  @Override
  public @Nullable String missing() {
    return Peer.missing("cassandra");
  }

  @Override
  public String promise() {
    return switch (setting) {
      case "periodic" ->
          "its default: in a buffer, forced every 10 s; no promise for a power cut of one node";
      default -> "commitlog_sync: batch: forced before it responds";
    };
  }

  @Override
  public List<String> command(Path data, int port, boolean again) {
    return Peer.script("cassandra", data, port, setting, again);
  }

  @Override
  public void ready(int port) throws IOException {
    try (CqlConnection connection = new CqlConnection(port)) {
      var _ = connection.query(KEYSPACE);
      var _ = connection.query(TABLE);
    }
  }

  @Override
  public boolean send(int port, int sender, int batch) throws IOException {
    StringBuilder cql = new StringBuilder("BEGIN UNLOGGED BATCH");
    for (int i = 0; i < LedgerLoad.EVENTS_PER_BATCH; i++) {
      int n = batch * LedgerLoad.EVENTS_PER_BATCH + i;
      cql.append(" INSERT INTO load.events (s, n, body) VALUES (").append(sender).append(", ");
      cql.append(n).append(", '").append(Peer.body(sender, n)).append("');");
    }
    cql.append(" APPLY BATCH");
    CqlConnection connection = connections.get(sender);
    try {
      if (connection == null) {
        connection = new CqlConnection(port);
        connections.put(sender, connection);
      }
      var _ = connection.query(cql.toString());
      return true;
    } catch (IOException failed) {
      if (connection != null) {
        connection.close();
      }
      connections.remove(sender);
      throw failed;
    }
  }

  @Override
  public void read(int port, Rows rows) throws IOException {
    try (CqlConnection connection = new CqlConnection(port)) {
      for (int sender = 0; sender < SENDERS; sender++) {
        for (List<ByteBuffer> row :
            connection.query("SELECT s, n, body FROM load.events WHERE s = " + sender)) {
          rows.row(row.get(0).getInt(), row.get(1).getInt(), text(row.get(2)));
        }
      }
    }
  }

  private static String text(ByteBuffer value) {
    return StandardCharsets.UTF_8.decode(value).toString();
  }
}
