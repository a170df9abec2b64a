package io.widerow.loadgen.peers;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;

/// The wide-row table, as Widerow lays out its partitions: `(bucket | type | shard)`, clustered by
/// timeuuid, with compaction by time window.
final class CassandraTable {
  static final int SHARDS = 4;
  static final String PARTITIONS = "SELECT DISTINCT bucket, type, shard FROM load.events";
  static final String IDS =
      "SELECT id FROM load.events WHERE bucket = ? AND type = ? AND shard = ?";

  static final String ROWS =
      "SELECT id, body FROM load.events WHERE bucket = ? AND type = ? AND shard = ?";

  private static final String KEYSPACE =
      "CREATE KEYSPACE IF NOT EXISTS load WITH replication ="
          + " {'class': 'SimpleStrategy', 'replication_factor': 1}";
  private static final String TABLE =
      "CREATE TABLE IF NOT EXISTS load.events (bucket text, type text, shard smallint, id timeuuid,"
          + " body text, PRIMARY KEY ((bucket, type, shard), id)) WITH compaction ="
          + " {'class': 'TimeWindowCompactionStrategy', 'compaction_window_unit': 'HOURS',"
          + " 'compaction_window_size': 1} AND compression = {'class': 'LZ4Compressor'}";
  private static final String INSERT =
      "INSERT INTO load.events (bucket, type, shard, id, body) VALUES (?, ?, ?, ?, ?)";

  private CassandraTable() {}

  static void create(CqlSession session) {
    session.execute(KEYSPACE);
    session.execute(TABLE);
  }

  static PreparedStatement prepareInsert(CqlSession session) {
    return session.prepare(INSERT);
  }
}
