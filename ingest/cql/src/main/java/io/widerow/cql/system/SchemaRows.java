package io.widerow.cql.system;

import io.widerow.cql.define.IndexStatus;
import io.widerow.cql.define.UserTables;
import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.CqlKeyspace;
import io.widerow.cql.schema.CreateText;
import io.widerow.cql.schema.DroppedColumn;
import io.widerow.cql.schema.Schema;
import io.widerow.cql.schema.SecondaryIndex;
import io.widerow.cql.schema.Table;
import io.widerow.cql.type.CqlType;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

/// The schema as rows of the tables that describe it.
///
/// @param virtual true for rows of virtual keyspaces, false for all others
record SchemaRows(Schema schema, boolean virtual) {
  private static final String COMPACTION =
      "org.apache.cassandra.db.compaction.SizeTieredCompactionStrategy";
  private static final int GC_GRACE_SECONDS = 864_000;

  List<Map<String, Object>> keyspaces() {
    return rows(keyspace ->
        Stream.of(
            Map.of(
                "keyspace_name",
                keyspace.name(),
                "durable_writes",
                keyspace.durableWrites(),
                "replication",
                keyspace.replication())));
  }

  List<Map<String, Object>> tables() {
    return rows(keyspace ->
        keyspace.tables().stream()
            .filter(table -> table.view() == null)
            .map(table -> named("table_name", table)));
  }

  List<Map<String, Object>> views() {
    return rows(keyspace ->
        keyspace.tables().stream()
            .filter(table -> table.view() != null)
            .map(view -> view(view, keyspace)));
  }

  private static Map<String, Object> view(Table table, CqlKeyspace keyspace) {
    Table.ViewOf view = Objects.requireNonNull(table.view());
    Map<String, Object> row = named("view_name", table);
    row.put("base_table_id", Objects.requireNonNull(keyspace.find(view.base())).id());
    row.put("base_table_name", view.base());
    row.put("include_all_columns", view.all());
    row.put("where_clause", CreateText.where(view));
    return row;
  }

  List<Map<String, Object>> columns() {
    return rows(keyspace ->
        keyspace.tables().stream()
            .flatMap(table -> table.columns().stream().map(column -> column(table, column))));
  }

  List<Map<String, Object>> droppedColumns() {
    return rows(keyspace ->
        keyspace.tables().stream()
            .filter(table -> table.stored() != null)
            .flatMap(table ->
                Objects.requireNonNull(table.stored()).dropped().stream()
                    .map(column -> dropped(table, column))));
  }

  private static Map<String, Object> dropped(Table table, DroppedColumn column) {
    Column.Kind kind = column.isStatic() ? Column.Kind.STATIC : Column.Kind.REGULAR;
    return Map.of(
        "keyspace_name",
        table.keyspace(),
        "table_name",
        table.name(),
        "column_name",
        column.name(),
        "dropped_time",
        Instant.ofEpochMilli(Math.floorDiv(column.time(), 1_000L)),
        "kind",
        kind.cql(),
        "type",
        column.type());
  }

  List<Map<String, Object>> indexes() {
    return rows(keyspace ->
        keyspace.tables().stream()
            .flatMap(table -> table.indexes().stream().map(index -> index(table, index))));
  }

  private static Map<String, Object> index(Table table, SecondaryIndex index) {
    Map<String, String> options = new TreeMap<>(index.options());
    options.put("target", index.targetText());
    if (index.isCustom()) {
      options.put("class_name", index.className());
    }
    return Map.of(
        "keyspace_name",
        table.keyspace(),
        "table_name",
        table.name(),
        "index_name",
        index.name(),
        "kind",
        index.isCustom() ? "CUSTOM" : "COMPOSITES",
        "options",
        options);
  }

  /// The indexes that have all rows, for `system."IndexInfo"`.
  static List<Map<String, Object>> built(UserTables tables) {
    return tables.indexes().stream()
        .filter(IndexStatus::isBuilt)
        .<Map<String, Object>>map(each ->
            Map.of("table_name", each.table().keyspace(), "index_name", each.index().name()))
        .toList();
  }

  /// All indexes with the state of their build, for `widerow.indexes`.
  static List<Map<String, Object>> builds(UserTables tables) {
    return tables.indexes().stream()
        .<Map<String, Object>>map(each ->
            Map.of(
                "keyspace_name",
                each.table().keyspace(),
                "table_name",
                each.table().name(),
                "index_name",
                each.index().name(),
                "state",
                each.isBuilt() ? "built" : "building",
                "rows_read",
                each.rowsRead()))
        .toList();
  }

  List<Map<String, Object>> types() {
    return rows(keyspace -> keyspace.types().stream().map(SchemaRows::type));
  }

  private static Map<String, Object> type(CqlType.UserType type) {
    return Map.of(
        "keyspace_name",
        type.keyspace(),
        "type_name",
        type.name(),
        "field_names",
        type.fields().stream().map(CqlType.Field::name).toList(),
        "field_types",
        type.fields().stream().map(field -> field.type().cql()).toList());
  }

  private List<Map<String, Object>> rows(Function<CqlKeyspace, Stream<Map<String, Object>>> of) {
    List<Map<String, Object>> rows = new ArrayList<>();
    schema.keyspaces().stream()
        .filter(keyspace -> keyspace.virtual() == virtual)
        .forEach(keyspace -> of.apply(keyspace).forEach(rows::add));
    return rows;
  }

  /// @param key the column that has the name of the table
  private static Map<String, Object> named(String key, Table table) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("keyspace_name", table.keyspace());
    row.put(key, table.name());
    row.put("additional_write_policy", "99p");
    row.put("allow_auto_snapshot", true);
    row.put("bloom_filter_fp_chance", 0.01);
    row.put("caching", Map.of("keys", "ALL"));
    row.put("cdc", false);
    row.put("compaction", withDefaults("compaction", Map.of("class", COMPACTION)));
    row.put("compression", Map.of("enabled", "false"));
    row.put("crc_check_chance", 1.0);
    row.put("dclocal_read_repair_chance", 0.0);
    row.put("default_time_to_live", 0);
    row.put("extensions", Map.of());
    row.put("flags", table.isCounter() ? Set.of("compound", "counter") : Set.of("compound"));
    row.put("gc_grace_seconds", GC_GRACE_SECONDS);
    row.put("id", table.id());
    row.put("incremental_backups", true);
    row.put("max_index_interval", 2_048);
    row.put("memtable_flush_period_in_ms", 0);
    row.put("min_index_interval", 128);
    row.put("read_repair", "BLOCKING");
    row.put("read_repair_chance", 0.0);
    row.put("speculative_retry", "99p");
    row.put("comment", table.comment());
    table
        .options()
        .texts()
        .forEach(
            (name, text) -> row.computeIfPresent(name, (_, standard) -> option(standard, text)));
    table
        .options()
        .maps()
        .forEach((name, map) -> {
          if (!name.equals("extensions")) {
            row.put(name, withDefaults(name, map));
          }
        });
    return row;
  }

  /// The options of a map that a statement may leave out, as Cassandra shows them.
  private static Map<String, String> withDefaults(String option, Map<String, String> map) {
    String named = map.get("class");
    if (!option.equals("compaction") || named == null) {
      return map;
    }
    Map<String, String> all = new TreeMap<>(map);
    String simple = named.substring(named.lastIndexOf('.') + 1);
    all.put("class", COMPACTION.substring(0, COMPACTION.lastIndexOf('.') + 1) + simple);
    if (simple.startsWith("SizeTiered") || simple.startsWith("TimeWindow")) {
      all.putIfAbsent("max_threshold", "32");
      all.putIfAbsent("min_threshold", "4");
    }
    return all;
  }

  /// The text of an option as a value of the type that its standard has.
  private static Object option(Object standard, String text) {
    return switch (standard) {
      case Integer _ -> Integer.valueOf(text);
      case Double _ -> Double.valueOf(text);
      case Boolean _ -> Boolean.valueOf(text);
      default -> text;
    };
  }

  private static Map<String, Object> column(Table table, Column column) {
    boolean clustering = column.kind() == Column.Kind.CLUSTERING;
    ByteBuffer name = ByteBuffer.wrap(column.name().getBytes(StandardCharsets.UTF_8));
    return Map.of(
        "keyspace_name",
        table.keyspace(),
        "table_name",
        table.name(),
        "column_name",
        column.name(),
        "clustering_order",
        clustering ? (column.descending() ? "desc" : "asc") : "none",
        "column_name_bytes",
        name,
        "kind",
        column.kind().cql(),
        "position",
        column.position(),
        "type",
        column.type().cql());
  }
}
