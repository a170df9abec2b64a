package io.widerow.cql.system;

import static io.widerow.cql.type.NativeType.BLOB;
import static io.widerow.cql.type.NativeType.BOOLEAN;
import static io.widerow.cql.type.NativeType.DOUBLE;
import static io.widerow.cql.type.NativeType.INET;
import static io.widerow.cql.type.NativeType.INT;
import static io.widerow.cql.type.NativeType.TEXT;
import static io.widerow.cql.type.NativeType.TIMESTAMP;

import io.widerow.cql.schema.Table;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.NativeType;
import java.util.List;

/// The columns of the tables that Cassandra has for drivers and tools.
final class SystemTables {
  static final String SYSTEM = "system";
  static final String SCHEMA = "system_schema";
  static final String VIRTUAL_SCHEMA = "system_virtual_schema";
  static final String VIEWS = "system_views";

  /// With the statements of all clients, so only clients that may read can see it.
  static final String TRACES = "system_traces";

  private static final NativeType UUID = NativeType.UUID;
  private static final CqlType TEXTS = new CqlType.ListOf(TEXT, true);
  private static final CqlType TEXT_MAP = new CqlType.MapOf(TEXT, TEXT, true);

  private SystemTables() {}

  static Table local() {
    return Table.named(SYSTEM, "local")
        .partition("key", TEXT)
        .column("bootstrapped", TEXT)
        .column("broadcast_address", INET)
        .column("broadcast_port", INT)
        .column("cluster_name", TEXT)
        .column("cql_version", TEXT)
        .column("data_center", TEXT)
        .column("gossip_generation", INT)
        .column("host_id", UUID)
        .column("listen_address", INET)
        .column("listen_port", INT)
        .column("native_protocol_version", TEXT)
        .column("partitioner", TEXT)
        .column("rack", TEXT)
        .column("release_version", TEXT)
        .column("rpc_address", INET)
        .column("rpc_port", INT)
        .column("schema_version", UUID)
        .column("tokens", new CqlType.SetOf(TEXT, false))
        .column("truncated_at", new CqlType.MapOf(UUID, BLOB, false))
        .build("information about the local node");
  }

  static Table peers() {
    return Table.named(SYSTEM, "peers")
        .partition("peer", INET)
        .column("data_center", TEXT)
        .column("host_id", UUID)
        .column("preferred_ip", INET)
        .column("rack", TEXT)
        .column("release_version", TEXT)
        .column("rpc_address", INET)
        .column("schema_version", UUID)
        .column("tokens", new CqlType.SetOf(TEXT, false))
        .build("information about known peers in the cluster");
  }

  static Table peersV2() {
    return Table.named(SYSTEM, "peers_v2")
        .partition("peer", INET)
        .clustering("peer_port", INT)
        .column("data_center", TEXT)
        .column("host_id", UUID)
        .column("native_address", INET)
        .column("native_port", INT)
        .column("preferred_ip", INET)
        .column("preferred_port", INT)
        .column("rack", TEXT)
        .column("release_version", TEXT)
        .column("schema_version", UUID)
        .column("tokens", new CqlType.SetOf(TEXT, false))
        .build("information about known peers in the cluster");
  }

  /// Requests that are traced.
  static Table traceSessions() {
    return Table.named(TRACES, "sessions")
        .partition("session_id", UUID)
        .column("client", INET)
        .column("command", TEXT)
        .column("coordinator", INET)
        .column("coordinator_port", INT)
        .column("duration", INT)
        .column("parameters", new CqlType.MapOf(TEXT, TEXT, false))
        .column("request", TEXT)
        .column("started_at", TIMESTAMP)
        .build("tracing sessions");
  }

  /// Their activities.
  static Table traceEvents() {
    return Table.named(TRACES, "events")
        .partition("session_id", UUID)
        .clustering("event_id", NativeType.TIMEUUID)
        .column("activity", TEXT)
        .column("source", INET)
        .column("source_elapsed", INT)
        .column("source_port", INT)
        .column("thread", TEXT)
        .build("tracing events");
  }

  static Table keyspaces() {
    return Table.named(SCHEMA, "keyspaces")
        .partition("keyspace_name", TEXT)
        .column("durable_writes", BOOLEAN)
        .column("replication", TEXT_MAP)
        .build("keyspace definitions");
  }

  static Table tables() {
    return options(
            Table.named(SCHEMA, "tables")
                .partition("keyspace_name", TEXT)
                .clustering("table_name", TEXT)
                .column("flags", new CqlType.SetOf(TEXT, true)))
        .build("table definitions");
  }

  static Table views() {
    return options(
            Table.named(SCHEMA, "views")
                .partition("keyspace_name", TEXT)
                .clustering("view_name", TEXT)
                .column("base_table_id", UUID)
                .column("base_table_name", TEXT)
                .column("include_all_columns", BOOLEAN)
                .column("where_clause", TEXT))
        .build("view definitions");
  }

  private static Table.Builder options(Table.Builder table) {
    return table
        .column("additional_write_policy", TEXT)
        .column("allow_auto_snapshot", BOOLEAN)
        .column("bloom_filter_fp_chance", DOUBLE)
        .column("caching", TEXT_MAP)
        .column("cdc", BOOLEAN)
        .column("comment", TEXT)
        .column("compaction", TEXT_MAP)
        .column("compression", TEXT_MAP)
        .column("crc_check_chance", DOUBLE)
        .column("dclocal_read_repair_chance", DOUBLE)
        .column("default_time_to_live", INT)
        .column("extensions", new CqlType.MapOf(TEXT, BLOB, true))
        .column("gc_grace_seconds", INT)
        .column("id", UUID)
        .column("incremental_backups", BOOLEAN)
        .column("max_index_interval", INT)
        .column("memtable", TEXT)
        .column("memtable_flush_period_in_ms", INT)
        .column("min_index_interval", INT)
        .column("read_repair", TEXT)
        .column("read_repair_chance", DOUBLE)
        .column("speculative_retry", TEXT);
  }

  static Table columns() {
    return Table.named(SCHEMA, "columns")
        .partition("keyspace_name", TEXT)
        .clustering("table_name", TEXT)
        .clustering("column_name", TEXT)
        .column("clustering_order", TEXT)
        .column("column_name_bytes", BLOB)
        .column("kind", TEXT)
        .column("position", INT)
        .column("type", TEXT)
        .build("column definitions");
  }

  static Table types() {
    return Table.named(SCHEMA, "types")
        .partition("keyspace_name", TEXT)
        .clustering("type_name", TEXT)
        .column("field_names", TEXTS)
        .column("field_types", TEXTS)
        .build("user defined type definitions");
  }

  static Table droppedColumns() {
    return ofTable("dropped_columns", "column_name")
        .column("dropped_time", TIMESTAMP)
        .column("kind", TEXT)
        .column("type", TEXT)
        .build("dropped column registry");
  }

  static Table indexes() {
    return ofTable("indexes", "index_name")
        .column("kind", TEXT)
        .column("options", TEXT_MAP)
        .build("secondary index definitions");
  }

  /// The indexes that have all rows. As in Cassandra, the name of the keyspace is in `table_name`.
  static Table indexInfo() {
    return Table.named("system", "IndexInfo")
        .partition("table_name", TEXT)
        .clustering("index_name", TEXT)
        .column("value", NativeType.BLOB)
        .build("built column indexes");
  }

  static Table indexBuilds() {
    return Table.named("widerow", "indexes")
        .partition("keyspace_name", TEXT)
        .clustering("table_name", TEXT)
        .clustering("index_name", TEXT)
        .column("state", TEXT)
        .column("rows_read", NativeType.BIGINT)
        .build("indexes and how far they are built: rows_read counts rows since the last start");
  }

  /// Tables of objects that cannot be created here.
  static List<Table> empty() {
    return List.of(
        ofTable("column_masks", "column_name")
            .column("function_argument_nulls", new CqlType.ListOf(BOOLEAN, true))
            .column("function_argument_types", TEXTS)
            .column("function_argument_values", TEXTS)
            .column("function_keyspace", TEXT)
            .column("function_name", TEXT)
            .build("column dynamic data masks"),
        ofTable("triggers", "trigger_name")
            .column("options", TEXT_MAP)
            .build("trigger definitions"),
        Table.named(SCHEMA, "functions")
            .partition("keyspace_name", TEXT)
            .clustering("function_name", TEXT)
            .clustering("argument_types", TEXTS)
            .column("argument_names", TEXTS)
            .column("body", TEXT)
            .column("called_on_null_input", BOOLEAN)
            .column("language", TEXT)
            .column("return_type", TEXT)
            .build("user defined function definitions"),
        Table.named(SCHEMA, "aggregates")
            .partition("keyspace_name", TEXT)
            .clustering("aggregate_name", TEXT)
            .clustering("argument_types", TEXTS)
            .column("final_func", TEXT)
            .column("initcond", TEXT)
            .column("return_type", TEXT)
            .column("state_func", TEXT)
            .column("state_type", TEXT)
            .build("user defined aggregate definitions"));
  }

  private static Table.Builder ofTable(String name, String key) {
    return Table.named(SCHEMA, name)
        .partition("keyspace_name", TEXT)
        .clustering("table_name", TEXT)
        .clustering(key, TEXT);
  }

  /// The tokens, as roles that log in with them.
  static Table roles() {
    return Table.named("system_auth", "roles")
        .partition("role", TEXT)
        .column("can_login", BOOLEAN)
        .column("is_superuser", BOOLEAN)
        .column("member_of", new CqlType.SetOf(TEXT, true))
        .column("salted_hash", TEXT)
        .build("the tokens of the daemon; no salted_hash is shown");
  }

  /// The connections of drivers.
  static Table clients() {
    return Table.named(VIEWS, "clients")
        .partition("address", INET)
        .clustering("port", INT)
        .column("client_options", TEXT_MAP)
        .column("connection_stage", TEXT)
        .column("driver_name", TEXT)
        .column("driver_version", TEXT)
        .column("hostname", TEXT)
        .column("keyspace_name", TEXT)
        .column("protocol_version", INT)
        .column("request_count", NativeType.BIGINT)
        .column("ssl_cipher_suite", TEXT)
        .column("ssl_enabled", BOOLEAN)
        .column("ssl_protocol", TEXT)
        .column("username", TEXT)
        .build("currently connected clients");
  }

  static Table settings() {
    return Table.named(VIEWS, "settings")
        .partition("name", TEXT)
        .column("value", TEXT)
        .build("current settings");
  }

  static Table virtualKeyspaces() {
    return Table.named(VIRTUAL_SCHEMA, "keyspaces")
        .partition("keyspace_name", TEXT)
        .build("virtual keyspace definitions");
  }

  static Table virtualTables() {
    return Table.named(VIRTUAL_SCHEMA, "tables")
        .partition("keyspace_name", TEXT)
        .clustering("table_name", TEXT)
        .column("comment", TEXT)
        .build("virtual table definitions");
  }

  static Table virtualColumns() {
    return Table.named(VIRTUAL_SCHEMA, "columns")
        .partition("keyspace_name", TEXT)
        .clustering("table_name", TEXT)
        .clustering("column_name", TEXT)
        .column("clustering_order", TEXT)
        .column("column_name_bytes", BLOB)
        .column("kind", TEXT)
        .column("position", INT)
        .column("type", TEXT)
        .build("virtual column definitions");
  }
}
