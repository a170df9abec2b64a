package io.widerow.storage.cassandra.keyspace;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import io.widerow.storage.StorageException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/// The tables of a cluster store: makes them when the keyspace has no store yet, and checks them
/// column by column. It never alters a table. It never makes a missing table of an existing store
/// again: the rows of the table are lost, and only an operator can accept that.
///
/// All nodes make tables for themselves, and two that make the same one at once do not agree on it
/// afterwards. So every daemon lets the same node make them: of the nodes that are up, the one with
/// the least host id.
final class ClusterSchema {
  /// The format that this program reads and writes.
  static final int FORMAT = 1;

  private static final int SECRET_BYTES = 32;

  private static final String UNIFIED =
      "compaction = {'class': 'UnifiedCompactionStrategy', 'scaling_parameters': 'T4'}";
  private static final String TIME_WINDOW =
      "compaction = {'class': 'TimeWindowCompactionStrategy',"
          + " 'compaction_window_unit': 'DAYS', 'compaction_window_size': '1'}";

  /// In the order in which they are made: a store that has the first has all, since its row is
  /// written last.
  static final List<ClusterTable> TABLES =
      List.of(
          ClusterTable.of(
              "store",
              """
              one int
              id uuid
              secret blob
              format int
              compaction text\
              """,
              "one",
              ""),
          ClusterTable.of(
              "segments",
              """
              bucket text
              type text
              shard int
              tier int
              daemon int
              seq bigint
              part int
              data blob\
              """,
              "bucket, type, shard | tier, daemon, seq, part",
              "compression = {'enabled': 'false'}"),
          ClusterTable.of(
              "directory",
              """
              bucket text
              type text
              shard int
              generation int static
              covered frozen<map<int, bigint>> static
              tier int
              daemon int
              seq bigint
              part int
              first timeuuid
              last timeuuid
              events int
              bytes int
              own boolean
              crc int\
              """,
              "bucket, type, shard | tier, daemon, seq, part",
              ""),
          ClusterTable.of(
              "buckets",
              """
              span text
              type text
              bucket text
              shards int\
              """,
              "span | type, bucket, shards",
              ""),
          ClusterTable.of("spans", "one int\nspan text", "one | span", ""),
          ClusterTable.of(
              "daemons",
              """
              slot int
              daemon int
              owner uuid
              host text
              epoch int
              reserved bigint
              applied bigint
              applied_version bigint
              applied_lanes frozen<list<bigint>>
              oldest timestamp
              seen timestamp\
              """,
              "slot | daemon",
              ""),
          ClusterTable.of(
              "claims",
              """
              key blob
              daemon int
              stamp bigint
              counter_from bigint\
              """,
              "key",
              ""),
          ClusterTable.of(
              "sources",
              """
              topic uuid
              partition int
              term int static
              position bigint static
              leader_epoch int static
              daemon int
              claim_term int
              first bigint
              next bigint
              stamp bigint\
              """,
              "topic, partition | daemon",
              ""),
          ClusterTable.of("policies", "one int\nname text\nbody text", "one | name", ""),
          ClusterTable.of("leases", "what text\ndaemon int", "what", ""),
          ClusterTable.of(
              "events",
              """
              bucket text
              type text
              shard int
              id timeuuid
              body text
              attributes frozen<map<text, text>>
              numbers frozen<map<text, double>>\
              """,
              "bucket, type, shard | id",
              ""));

  /// Tables of events, which a TTL empties.
  private static final List<String> OF_EVENTS = List.of("segments", "directory", "events");

  private final CqlSession session;
  private final StoreUri uri;

  ClusterSchema(CqlSession session, StoreUri uri) {
    this.session = session;
    this.uri = uri;
  }

  /// The statements that make all tables.
  ///
  /// @param keyspace as in CQL
  /// @param ttl whether the events' tables get time-window compaction
  static List<String> statements(String keyspace, boolean ttl) {
    return TABLES.stream()
        .map(table ->
            table.create(
                keyspace, OF_EVENTS.contains(table.name()) ? ttl ? TIME_WINDOW : UNIFIED : ""))
        .toList();
  }

  private static String statement(StoreUri uri) {
    return "CREATE KEYSPACE IF NOT EXISTS %s WITH replication = %s"
        .formatted(
            uri.keyspaceInCql(),
            "{'class': 'NetworkTopologyStrategy', '%s': %d}"
                .formatted(uri.datacenter().replace("'", "''"), Math.max(1, uri.replication())));
  }

  /// Makes missing tables, if it may, and checks all tables.
  ///
  /// @param make false to fail when there is no store
  /// @throws StorageException.Unreachable when there is no keyspace or no store and it may not be
  ///   made
  /// @throws StorageException.Incompatible when the tables are not those of this program
  StoreIdentity open(boolean make, boolean ttl) {
    String keyspace = uri.keyspace();
    boolean there =
        !session
            .execute(
                SimpleStatement.newInstance(
                    "SELECT keyspace_name FROM system_schema.keyspaces WHERE keyspace_name = ?",
                    keyspace))
            .all()
            .isEmpty();
    if (!there) {
      if (!make || uri.replication() == 0) {
        throw absent(
            "there is no keyspace '%s'; add &replication=3 to the URI of a daemon, or run: %s"
                .formatted(
                    keyspace, statement(new StoreUri(uri.hosts(), keyspace, uri.datacenter(), 3))));
      }
      execute(statement(uri));
    }
    Row row = storeRow();
    if (row == null) {
      if (!make) {
        throw absent(
            "there is no store in keyspace '%s' yet; make one: widerow cluster init --store URI"
                .formatted(keyspace));
      }
      makeTables(ttl);
      row = Objects.requireNonNull(storeRow(), "the row of the store, just written");
    }
    requireFormat(row.getInt("format"));
    requireTables();
    ByteBuffer secret = Rows.present(row.getByteBuffer("secret"));
    byte[] bytes = new byte[secret.remaining()];
    secret.get(bytes);
    return new StoreIdentity(
        Rows.present(row.getUuid("id")), HexFormat.of().formatHex(bytes), row.getInt("format"));
  }

  private StorageException.Unreachable absent(String what) {
    String sentence = uri + ": " + what;
    return new StorageException.Unreachable(
        sentence, new KeyspaceException(KeyspaceException.Kind.REFUSED, sentence));
  }

  /// The row that makes the keyspace a store; null when there is none.
  private @Nullable Row storeRow() {
    Map<String, ClusterTable.Found> columns = found().get("store");
    if (columns == null) {
      return null;
    }
    List<String> differences = TABLES.getFirst().differences(columns);
    if (columns.containsKey("format")) {
      // The format first: a table of another format may have other columns.
      Row row =
          session
              .execute(
                  SimpleStatement.newInstance(
                          "SELECT * FROM %s.store WHERE one = 0".formatted(uri.keyspaceInCql()))
                      .setConsistencyLevel(ConsistencyLevel.LOCAL_SERIAL))
              .one();
      if (row != null) {
        requireFormat(row.getInt("format"));
      }
      if (differences.isEmpty()) {
        return row;
      }
    }
    throw incompatible(differences);
  }

  private void makeTables(boolean ttl) {
    statements(uri.keyspaceInCql(), ttl).forEach(this::execute);
    requireTables();
    byte[] secret = new byte[SECRET_BYTES];
    new SecureRandom().nextBytes(secret);
    // Of several daemons that start first, one writes the row; all read that row.
    session.execute(
        SimpleStatement.newInstance(
                "INSERT INTO %s.store (one, id, secret, format, compaction)"
                        .formatted(uri.keyspaceInCql())
                    + " VALUES (0, ?, ?, ?, ?) IF NOT EXISTS",
                UUID.randomUUID(),
                ByteBuffer.wrap(secret),
                FORMAT,
                ttl ? "time-window" : "unified")
            .setIdempotent(true));
  }

  private void execute(String statement) {
    Node node =
        session.getMetadata().getNodes().values().stream()
            .filter(one -> one.getState() == NodeState.UP && one.getHostId() != null)
            .min(Comparator.comparing(Node::getHostId))
            .orElse(null);
    ResultSet done = session.execute(SimpleStatement.newInstance(statement).setNode(node));
    if (!done.getExecutionInfo().isSchemaInAgreement() && !session.checkSchemaAgreement()) {
      String sentence = "%s: the nodes do not agree on the schema yet; again later".formatted(uri);
      throw new StorageException.Unreachable(
          sentence, new KeyspaceException(KeyspaceException.Kind.TIMEOUT, sentence));
    }
  }

  private void requireFormat(int format) {
    if (format != FORMAT) {
      throw new StorageException.Incompatible(
          uri.toString(),
          format > FORMAT
              ? "the store has format %d and this program knows %d: use a newer version of Widerow"
                  .formatted(format, FORMAT)
              : "the store has format %d, older than format %d of this program: copy it with a"
                      .formatted(format, FORMAT)
                  + " version that knows both");
    }
  }

  private void requireTables() {
    List<String> differences = differences(found());
    if (!differences.isEmpty()) {
      throw incompatible(differences);
    }
  }

  private StorageException.Incompatible incompatible(List<String> differences) {
    return new StorageException.Incompatible(uri.toString(), sentence(differences));
  }

  private String sentence(List<String> differences) {
    return "the tables of keyspace '%s' are not those of format %d: %s; nothing was changed"
        .formatted(uri.keyspace(), FORMAT, String.join("; ", differences));
  }

  private static List<String> differences(Map<String, Map<String, ClusterTable.Found>> found) {
    List<String> differences = new ArrayList<>();
    for (ClusterTable table : TABLES) {
      Map<String, ClusterTable.Found> columns = found.get(table.name());
      if (columns == null) {
        differences.add("table %s is missing".formatted(table.name()));
      } else {
        differences.addAll(table.differences(columns));
      }
    }
    return differences;
  }

  private SimpleStatement ofColumns() {
    return SimpleStatement.newInstance(
            "SELECT table_name, column_name, type, kind, position FROM system_schema.columns"
                + " WHERE keyspace_name = ?",
            uri.keyspace())
        .setIdempotent(true);
  }

  private Map<String, Map<String, ClusterTable.Found>> found() {
    var found = new TreeMap<String, Map<String, ClusterTable.Found>>();
    session.execute(ofColumns()).forEach(row -> add(found, row));
    return found;
  }

  private static void add(Map<String, Map<String, ClusterTable.Found>> found, Row row) {
    found
        .computeIfAbsent(row.getString("table_name"), _ -> new TreeMap<>())
        .put(
            row.getString("column_name"),
            new ClusterTable.Found(
                Rows.present(row.getString("type")),
                Rows.present(row.getString("kind")),
                row.getInt("position")));
  }

  /// The fault of the tables now, as a sentence; empty for none. For the failure of a statement
  /// that was right at the start.
  CompletionStage<String> trouble() {
    return session.executeAsync(ofColumns()).thenApply(this::trouble);
  }

  private String trouble(AsyncResultSet page) {
    // Some 70 rows: one page.
    var found = new TreeMap<String, Map<String, ClusterTable.Found>>();
    page.currentPage().forEach(row -> add(found, row));
    List<String> differences = differences(found);
    return differences.isEmpty() ? "" : sentence(differences);
  }
}
