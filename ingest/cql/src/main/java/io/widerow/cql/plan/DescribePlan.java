package io.widerow.cql.plan;

import io.widerow.cql.CqlException;
import io.widerow.cql.parse.Statement;
import io.widerow.cql.schema.CqlKeyspace;
import io.widerow.cql.schema.CreateText;
import io.widerow.cql.schema.Row;
import io.widerow.cql.schema.Schema;
import io.widerow.cql.schema.Table;
import io.widerow.cql.schema.ValueRow;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.Identifiers;
import io.widerow.cql.type.NativeType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// DESCRIBE: what there is, with the statements that would make it.
///
/// @param rows of texts
record DescribePlan(List<Variable> columns, List<Row> rows) implements Prepared {
  DescribePlan {
    columns = List.copyOf(columns);
    rows = List.copyOf(rows);
  }

  /// @param keyspace in use; null for none
  static DescribePlan of(Statement.Describe describe, Schema schema, @Nullable String keyspace) {
    String in = describe.keyspace() == null ? keyspace : describe.keyspace();
    return switch (describe.what()) {
      case KEYSPACES -> listed(keyspaces(schema, false));
      case TABLES -> listed(tables(schema, keyspace));
      case TYPES -> listed(types(schema, keyspace));
      case FUNCTIONS, AGGREGATES -> listed(List.of());
      case CLUSTER -> cluster();
      case SCHEMA -> listed(keyspaces(schema, true));
      case KEYSPACE -> {
        if (in == null) {
          throw CqlException.invalid("No keyspace specified and no current keyspace");
        }
        yield listed(whole(required(schema, in)));
      }
      case TABLE -> listed(described(schema, baseTable(schema, in, name(describe))));
      case INDEX -> listed(List.of(index(schema, in, name(describe))));
      case VIEW -> listed(List.of(table(view(schema, in, name(describe)))));
      case TYPE -> listed(List.of(type(type(schema, in, name(describe)))));
      case ANYTHING -> {
        CqlKeyspace named = describe.keyspace() == null ? schema.find(name(describe)) : null;
        if (named != null) {
          yield listed(whole(named));
        }
        boolean ofIndex = in != null && indexed(schema, in, name(describe)) != null;
        yield listed(
            ofIndex
                ? List.of(index(schema, in, name(describe)))
                : described(schema, schema.table(in, name(describe))));
      }
    };
  }

  private static Table baseTable(Schema schema, @Nullable String in, String name) {
    Table table = schema.table(in, name);
    if (table.view() != null) {
      throw CqlException.invalid(
          "Table '%s' not found in keyspace '%s'".formatted(name, table.keyspace()));
    }
    return table;
  }

  private static Table view(Schema schema, @Nullable String in, String name) {
    if (in == null) {
      throw CqlException.invalid("No keyspace specified and no current keyspace");
    }
    Table table = required(schema, in).find(name);
    if (table == null || table.view() == null) {
      throw CqlException.invalid("Materialized view '%s' not found in '%s'".formatted(name, in));
    }
    return table;
  }

  /// The table with an index; null when a table has the name, too.
  private static @Nullable Table indexed(Schema schema, String in, String name) {
    CqlKeyspace keyspace = schema.find(in);
    return keyspace == null || keyspace.find(name) != null ? null : keyspace.indexed(name);
  }

  private static List<String> index(Schema schema, @Nullable String in, String name) {
    if (in == null) {
      throw CqlException.invalid("No keyspace specified and no current keyspace");
    }
    Table table = required(schema, in).indexed(name);
    if (table == null) {
      throw CqlException.invalid(
          "Table for existing index '%s' not found in '%s'".formatted(name, in));
    }
    return indexes(table).stream()
        .filter(row -> row.get(2).equals(Identifiers.quoted(name)))
        .findFirst()
        .orElseThrow();
  }

  private static List<List<String>> indexes(Table table) {
    return table.indexes().stream()
        .map(index ->
            List.of(
                table.keyspace(),
                "index",
                Identifiers.quoted(index.name()),
                CreateText.of(table, index)))
        .toList();
  }

  private static List<List<String>> described(Schema schema, Table table) {
    return withViews(schema.keyspace(table.keyspace()), table);
  }

  /// A table with its indexes and views, or a view alone.
  private static List<List<String>> withViews(CqlKeyspace keyspace, Table table) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(table(table));
    rows.addAll(indexes(table));
    keyspace.views(table.name()).forEach(view -> rows.add(table(view)));
    return rows;
  }

  private static String name(Statement.Describe describe) {
    return String.valueOf(describe.name());
  }

  private static CqlKeyspace required(Schema schema, String name) {
    CqlKeyspace keyspace = schema.find(name);
    if (keyspace == null) {
      throw CqlException.invalid("'%s' not found in keyspaces".formatted(name));
    }
    return keyspace;
  }

  private static DescribePlan listed(List<List<String>> rows) {
    boolean statements = rows.stream().anyMatch(row -> row.size() > 3);
    return new DescribePlan(
        columns("keyspace_name", "type", "name", statements ? "create_statement" : null),
        rows.stream().map(DescribePlan::row).toList());
  }

  private static DescribePlan cluster() {
    List<String> row =
        List.of(
            "widerow",
            "org.apache.cassandra.dht.Murmur3Partitioner",
            "org.apache.cassandra.locator.SimpleSnitch");
    return new DescribePlan(columns("cluster", "partitioner", "snitch", null), List.of(row(row)));
  }

  private static List<Variable> columns(@Nullable String... names) {
    List<Variable> columns = new ArrayList<>();
    for (String name : names) {
      if (name != null) {
        columns.add(new Variable("system", "describe", name, NativeType.TEXT));
      }
    }
    return columns;
  }

  private static Row row(List<String> texts) {
    List<CqlType> types = texts.stream().<CqlType>map(_ -> NativeType.TEXT).toList();
    return new ValueRow(types, texts.toArray());
  }

  private static List<List<String>> keyspaces(Schema schema, boolean statements) {
    List<List<String>> rows = new ArrayList<>();
    schema.keyspaces().stream()
        .sorted(Comparator.comparing(CqlKeyspace::name))
        .filter(keyspace -> !statements || !keyspace.isOwn())
        .forEach(keyspace -> {
          if (statements) {
            rows.addAll(whole(keyspace));
          } else {
            rows.add(List.of(keyspace.name(), "keyspace", keyspace.name()));
          }
        });
    return rows;
  }

  private static List<List<String>> tables(Schema schema, @Nullable String in) {
    List<List<String>> rows = new ArrayList<>();
    for (CqlKeyspace keyspace : schema.keyspaces()) {
      if (in == null || keyspace.name().equals(in)) {
        keyspace.tables().stream()
            .filter(table -> table.view() == null)
            .forEach(table -> rows.add(List.of(keyspace.name(), "table", table.name())));
      }
    }
    return rows;
  }

  private static List<List<String>> whole(CqlKeyspace keyspace) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of(keyspace.name(), "keyspace", keyspace.name(), CreateText.of(keyspace)));
    keyspace.types().forEach(type -> rows.add(type(type)));
    keyspace.tables().stream()
        .filter(table -> table.view() == null)
        .forEach(table -> rows.addAll(withViews(keyspace, table)));
    return rows;
  }

  private static List<String> type(CqlType.UserType type) {
    return List.of(type.keyspace(), "type", type.name(), CreateText.of(type));
  }

  private static List<List<String>> types(Schema schema, @Nullable String in) {
    List<List<String>> rows = new ArrayList<>();
    for (CqlKeyspace keyspace : schema.keyspaces()) {
      if (in == null || keyspace.name().equals(in)) {
        keyspace.types().forEach(type -> rows.add(List.of(type.keyspace(), "type", type.name())));
      }
    }
    return rows;
  }

  private static CqlType.UserType type(Schema schema, @Nullable String in, String name) {
    CqlType.UserType type = in == null ? null : required(schema, in).type(name);
    if (type == null) {
      throw CqlException.invalid("User defined type '%s' not found in '%s'".formatted(name, in));
    }
    return type;
  }

  private static List<String> table(Table table) {
    String type = table.view() == null ? "table" : "materialized_view";
    return List.of(table.keyspace(), type, table.name(), CreateText.of(table));
  }

  @Override
  public List<Variable> variables() {
    return List.of();
  }

  @Override
  public Need need() {
    return Need.NOTHING;
  }

  @Override
  public QueryRows execute(StatementExecution execution) {
    Page page = new Page(execution, Long.MAX_VALUE);
    int next = page.afterNumber();
    while (page.hasRoom() && next < rows.size()) {
      for (int i = 0; i < columns.size(); i++) {
        rows.get(next).put(i, page.cells());
      }
      page.added();
      next++;
    }
    return new QueryRows.Rows(
        columns, page.count(), page.cells(), page.position(next, rows.size()));
  }
}
