package io.widerow.cql.schema;

import io.widerow.cql.parse.Relation;
import io.widerow.cql.parse.Relation.Operator;
import io.widerow.cql.parse.Where;
import io.widerow.cql.schema.Column.Kind;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.Identifiers;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// The statements that would make what there is.
public final class CreateText {
  private static final Set<String> QUOTED =
      Set.of("comment", "memtable", "speculative_retry", "additional_write_policy", "read_repair");

  private CreateText() {}

  public static String of(CqlKeyspace keyspace) {
    String statement =
        "CREATE KEYSPACE "
            + Identifiers.quoted(keyspace.name())
            + " WITH replication = "
            + map(simple(keyspace.replication()))
            + " AND durable_writes = "
            + keyspace.durableWrites()
            + ";";
    return commented(keyspace.virtual(), statement);
  }

  /// The class without its package.
  private static Map<String, String> simple(Map<String, String> replication) {
    TreeMap<String, String> all = new TreeMap<>(replication);
    all.replaceAll(
        (key, value) -> key.equals("class") ? value.substring(value.lastIndexOf('.') + 1) : value);
    return all;
  }

  private static String map(Map<String, String> map) {
    List<String> pairs =
        new TreeMap<>(map)
            .entrySet().stream()
                .map(each ->
                    Identifiers.constant(each.getKey())
                        + ": "
                        + Identifiers.constant(each.getValue()))
                .toList();
    return "{" + String.join(", ", pairs) + "}";
  }

  public static String of(CqlType.UserType type) {
    List<String> fields =
        type.fields().stream()
            .map(field -> "    " + Identifiers.quoted(field.name()) + " " + field.type().cql())
            .toList();
    return "CREATE TYPE %s.%s (\n%s\n);"
        .formatted(
            Identifiers.quoted(type.keyspace()),
            Identifiers.quotedType(type.name()),
            String.join(",\n", fields));
  }

  public static String of(Table table) {
    Table.ViewOf view = table.view();
    if (view != null) {
      return view(table, view);
    }
    StringBuilder text = new StringBuilder("CREATE TABLE ");
    text.append(Identifiers.quoted(table.keyspace()))
        .append('.')
        .append(Identifiers.quoted(table.name()))
        .append(" (\n");
    for (Column column : table.columns()) {
      text.append("    ")
          .append(Identifiers.quoted(column.name()))
          .append(' ')
          .append(column.type().cql());
      text.append(column.kind() == Kind.STATIC ? " static,\n" : ",\n");
    }
    text.append("    ").append(primaryKey(table)).append("\n)");
    with(table, text);
    return text.append(";").toString();
  }

  /// The statement of an index.
  public static String of(Table table, SecondaryIndex index) {
    StringBuilder text =
        new StringBuilder(index.isCustom() ? "CREATE CUSTOM INDEX " : "CREATE INDEX ");
    text.append(Identifiers.quoted(index.name())).append(" ON ");
    text.append(Identifiers.quoted(table.keyspace())).append('.');
    text.append(Identifiers.quoted(table.name()));
    text.append(" (").append(index.targetText()).append(')');
    if (index.isCustom()) {
      text.append(" USING ").append(Identifiers.constant(index.className()));
    }
    if (!index.options().isEmpty()) {
      text.append(" WITH OPTIONS = ").append(map(index.options()));
    }
    return text.append(';').toString();
  }

  private static String view(Table table, Table.ViewOf view) {
    StringBuilder text = new StringBuilder("CREATE MATERIALIZED VIEW ");
    text.append(Identifiers.quoted(table.keyspace()))
        .append('.')
        .append(Identifiers.quoted(table.name()));
    String columns =
        String.join(
            ", ",
            table.columns().stream().map(column -> Identifiers.quoted(column.name())).toList());
    text.append(" AS\n    SELECT ").append(view.all() ? "*" : columns);
    text.append("\n    FROM ").append(Identifiers.quoted(table.keyspace())).append('.');
    text.append(Identifiers.quoted(view.base())).append("\n    WHERE ").append(where(view));
    text.append("\n    ").append(primaryKey(table)).append("\n");
    with(table, text);
    return text.append(";").toString();
  }

  /// The conditions of a materialized view.
  public static String where(Table.ViewOf view) {
    return String.join(" AND ", view.where().stream().map(CreateText::condition).toList());
  }

  private static String condition(Where where) {
    return switch (where.quoted()) {
      case Relation relation when relation.operator() == Operator.IS_NOT ->
          relation.column() + " IS NOT NULL";
      case Where other -> other.toString();
    };
  }

  private static String primaryKey(Table table) {
    StringBuilder text = new StringBuilder("PRIMARY KEY (");
    text.append(partition(table.of(Kind.PARTITION_KEY)));
    table
        .of(Kind.CLUSTERING)
        .forEach(column -> text.append(", ").append(Identifiers.quoted(column.name())));
    return text.append(")").toString();
  }

  /// The options, after WITH.
  private static void with(Table table, StringBuilder text) {
    List<Column> clustering = table.of(Kind.CLUSTERING);
    String before = " WITH ";
    if (!clustering.isEmpty()) {
      String orders = String.join(", ", clustering.stream().map(CreateText::order).toList());
      text.append(" WITH CLUSTERING ORDER BY (").append(orders).append(")");
      before = "\n    AND ";
    }
    for (String option : options(table)) {
      text.append(before).append(option);
      before = "\n    AND ";
    }
  }

  private static List<String> options(Table table) {
    TreeMap<String, String> all = new TreeMap<>(table.options().texts());
    all.replaceAll((name, value) -> QUOTED.contains(name) ? Identifiers.constant(value) : value);
    table.options().maps().forEach((name, map) -> all.put(name, map(map)));
    all.putIfAbsent("comment", Identifiers.constant(""));
    return all.entrySet().stream().map(each -> each.getKey() + " = " + each.getValue()).toList();
  }

  private static String partition(List<Column> columns) {
    String names =
        String.join(", ", columns.stream().map(each -> Identifiers.quoted(each.name())).toList());
    return columns.size() == 1 ? names : "(" + names + ")";
  }

  private static String order(Column column) {
    return Identifiers.quoted(column.name()) + (column.descending() ? " DESC" : " ASC");
  }

  private static String commented(boolean virtual, String statement) {
    return virtual ? "/*\n" + statement + "\n*/" : statement;
  }
}
