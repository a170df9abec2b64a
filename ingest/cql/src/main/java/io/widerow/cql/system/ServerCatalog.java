package io.widerow.cql.system;

import io.widerow.cql.define.UserTables;
import io.widerow.cql.schema.CqlCatalog;
import io.widerow.cql.schema.CqlKeyspace;
import io.widerow.cql.schema.RequestPrincipal;
import io.widerow.cql.schema.RowSource;
import io.widerow.cql.schema.Schema;
import io.widerow.cql.schema.Table;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The tables of the system, and the tables of the server.
///
/// - Threads: any.
public final class ServerCatalog implements CqlCatalog {
  private final ServerIdentity server;
  private final @Nullable UserTables tables;
  private final Map<String, RowSource> sources = new LinkedHashMap<>(); // by qualified name
  private final Schema own;

  /// Without tables of users.
  ///
  /// @param others sources of the server's own tables
  public ServerCatalog(ServerIdentity server, List<RowSource> others) {
    this(server, others, null);
  }

  /// @param others sources of the server's own tables
  /// @param tables of users; null when there can be none
  public ServerCatalog(ServerIdentity server, List<RowSource> others, @Nullable UserTables tables) {
    this.server = server;
    this.tables = tables;
    others.forEach(this::add);
    if (tables != null) {
      add(tables.sizes());
      tables.estimates().forEach(this::add);
      add(SystemTables.indexInfo(), _ -> SchemaRows.built(tables));
      add(SystemTables.indexBuilds(), _ -> SchemaRows.builds(tables));
    }
    add(SystemTables.local(), asker -> List.of(local(asker.local().getAddress())));
    add(SystemTables.peers(), _ -> List.of());
    add(SystemTables.peersV2(), _ -> List.of());
    add(SystemTables.keyspaces(), _ -> rows(false).keyspaces());
    add(SystemTables.tables(), _ -> rows(false).tables());
    add(SystemTables.columns(), _ -> rows(false).columns());
    add(SystemTables.droppedColumns(), _ -> rows(false).droppedColumns());
    add(SystemTables.types(), _ -> rows(false).types());
    add(SystemTables.views(), _ -> rows(false).views());
    add(SystemTables.indexes(), _ -> rows(false).indexes());
    SystemTables.empty().forEach(table -> add(table, _ -> List.of()));
    add(SystemTables.settings(), _ -> settings());
    add(SystemTables.virtualKeyspaces(), _ -> rows(true).keyspaces());
    add(SystemTables.virtualTables(), _ -> rows(true).tables());
    add(SystemTables.virtualColumns(), _ -> rows(true).columns());
    this.own = schema(sources.values().stream().map(RowSource::table).toList());
  }

  private void add(Table table, Function<RequestPrincipal, List<Map<String, Object>>> rows) {
    add(new MemorySource(table, rows));
  }

  private void add(RowSource source) {
    sources.put(source.table().qualified(), source);
  }

  private static Schema schema(List<Table> tables) {
    Map<String, List<Table>> byKeyspace = new TreeMap<>();
    tables.forEach(
        table -> byKeyspace.computeIfAbsent(table.keyspace(), _ -> new ArrayList<>()).add(table));
    List<CqlKeyspace> keyspaces = new ArrayList<>();
    byKeyspace.forEach((name, of) -> keyspaces.add(CqlKeyspace.own(name, isVirtual(name), of)));
    return new Schema(keyspaces);
  }

  private static boolean isVirtual(String keyspace) {
    return keyspace.equals(SystemTables.VIRTUAL_SCHEMA) || keyspace.equals(SystemTables.VIEWS);
  }

  /// The names of tokens as roles, for LIST ROLES.
  ///
  /// @param admins by the name of each token: whether it may change the schema
  public static RowSource roles(Supplier<Map<String, Boolean>> admins) {
    return new MemorySource(
        SystemTables.roles(),
        _ ->
            admins.get().entrySet().stream()
                .map(each ->
                    Map.<String, Object>of(
                        "role",
                        each.getKey(),
                        "can_login",
                        true,
                        "is_superuser",
                        each.getValue(),
                        "member_of",
                        Set.of()))
                .toList());
  }

  /// The connections of drivers, for tools.
  public static RowSource clients(Supplier<List<Map<String, Object>>> connections) {
    return new MemorySource(SystemTables.clients(), _ -> connections.get());
  }

  private List<Map<String, Object>> settings() {
    Map<String, String> all =
        Map.of(
            "cluster_name",
            ServerIdentity.CLUSTER,
            "native_transport_port",
            Integer.toString(server.port()),
            "num_tokens",
            "1",
            "partitioner",
            "org.apache.cassandra.dht.Murmur3Partitioner");
    return all.entrySet().stream()
        .map(each -> Map.<String, Object>of("name", each.getKey(), "value", each.getValue()))
        .toList();
  }

  private SchemaRows rows(boolean virtual) {
    return new SchemaRows(schema(), virtual);
  }

  private Map<String, Object> local(InetAddress address) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("key", "local");
    row.put("bootstrapped", "COMPLETED");
    row.put("broadcast_address", address);
    row.put("broadcast_port", server.port());
    row.put("cluster_name", ServerIdentity.CLUSTER);
    row.put("cql_version", ServerIdentity.CQL_VERSION);
    row.put("data_center", "datacenter1");
    row.put("gossip_generation", 1);
    row.put("host_id", server.hostId());
    row.put("listen_address", address);
    row.put("listen_port", server.port());
    row.put("native_protocol_version", "5");
    row.put("partitioner", "org.apache.cassandra.dht.Murmur3Partitioner");
    row.put("rack", "rack1");
    row.put("release_version", server.version());
    row.put("rpc_address", address);
    row.put("rpc_port", server.port());
    row.put("schema_version", schema().version());
    row.put("tokens", Set.of("0"));
    row.put("truncated_at", Map.of());
    return row;
  }

  @Override
  public Schema schema() {
    UserTables users = tables;
    if (users == null) {
      return own;
    }
    List<CqlKeyspace> all = new ArrayList<>(own.keyspaces());
    all.addAll(users.schema().keyspaces());
    return new Schema(all, users.schema().unreadable());
  }

  @Override
  public RowSource source(Table table) {
    UserTables users = tables;
    if (table.stored() != null && users != null) {
      return users.source(table);
    }
    RowSource source = sources.get(table.qualified());
    if (source == null) {
      throw new IllegalStateException("no rows of " + table.qualified());
    }
    return source;
  }
}
