package io.widerow.cql.plan;

import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.Column.Kind;
import io.widerow.cql.schema.Keyspace;
import io.widerow.cql.schema.Table;
import java.util.List;
import java.util.regex.Pattern;

/// The statements that would make what there is.
final class CreateText {
  private static final Pattern PLAIN = Pattern.compile("[a-z][a-z0-9_]*");

  private CreateText() {}

  static String of(Keyspace keyspace) {
    String statement =
        "CREATE KEYSPACE "
            + name(keyspace.name())
            + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': '1'} AND"
            + " durable_writes = true;";
    return commented(keyspace.virtual(), statement);
  }

  static String of(Table table) {
    StringBuilder text = new StringBuilder("CREATE TABLE ");
    text.append(name(table.keyspace())).append('.').append(name(table.name())).append(" (\n");
    for (Column column : table.columns()) {
      text.append("    ").append(name(column.name())).append(' ').append(column.type().cql());
      text.append(column.kind() == Kind.STATIC ? " static,\n" : ",\n");
    }
    List<Column> clustering = table.of(Kind.CLUSTERING);
    text.append("    PRIMARY KEY (").append(partition(table.of(Kind.PARTITION_KEY)));
    clustering.forEach(column -> text.append(", ").append(name(column.name())));
    text.append(")\n)");
    if (!clustering.isEmpty()) {
      String orders = String.join(", ", clustering.stream().map(CreateText::order).toList());
      text.append(" WITH CLUSTERING ORDER BY (").append(orders).append(")\n    AND");
    } else {
      text.append(" WITH");
    }
    text.append(" comment = '").append(table.comment().replace("'", "''")).append("';");
    return text.toString();
  }

  private static String partition(List<Column> columns) {
    String names = String.join(", ", columns.stream().map(each -> name(each.name())).toList());
    return columns.size() == 1 ? names : "(" + names + ")";
  }

  private static String order(Column column) {
    return name(column.name()) + (column.descending() ? " DESC" : " ASC");
  }

  private static String commented(boolean virtual, String statement) {
    return virtual ? "/*\n" + statement + "\n*/" : statement;
  }

  private static String name(String name) {
    return PLAIN.matcher(name).matches() ? name : "\"" + name.replace("\"", "\"\"") + "\"";
  }
}
