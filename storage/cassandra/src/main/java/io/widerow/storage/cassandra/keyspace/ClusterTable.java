package io.widerow.storage.cassandra.keyspace;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// The columns and the key that a table must have.
///
/// @param name of the table
/// @param columns in order of the statement that makes it
/// @param partitionKey names of columns
/// @param clustering names of columns
/// @param options of the table, in CQL; empty for none
record ClusterTable(
    String name,
    List<Column> columns,
    List<String> partitionKey,
    List<String> clustering,
    String options) {

  /// A column.
  ///
  /// @param type as CQL prints it
  /// @param isStatic true for one value in each partition
  record Column(String name, String type, boolean isStatic) {
    /// Parses `name type` or `name type static`.
    static Column parse(String text) {
      String[] words = text.strip().split(" ", 2);
      boolean isStatic = words[1].endsWith(" static");
      String type = isStatic ? words[1].substring(0, words[1].length() - 7) : words[1];
      return new Column(words[0], type, isStatic);
    }
  }

  /// A column as `system_schema.columns` has it.
  ///
  /// @param kind `partition_key`, `clustering`, `static` or `regular`
  /// @param position in its key; -1 for columns that are in none
  record Found(String type, String kind, int position) {
    /// For messages.
    String text() {
      return "%s (%s%s)".formatted(type, kind, position < 0 ? "" : " " + position);
    }
  }

  /// @param columns each as [Column#parse] takes it, one a line
  /// @param key `partition | clustering`, names with commas between
  static ClusterTable of(String name, String columns, String key, String options) {
    String[] keys = key.split("\\|", -1);
    return new ClusterTable(
        name,
        columns.lines().map(Column::parse).toList(),
        names(keys[0]),
        keys.length == 1 ? List.of() : names(keys[1]),
        options);
  }

  private static List<String> names(String list) {
    return List.of(list.strip().split(", "));
  }

  /// The statement that makes it, when it is absent.
  ///
  /// @param extra further options, in CQL; empty for none
  String create(String keyspace, String extra) {
    String lines =
        columns.stream()
            .map(c -> "  %s %s%s,\n".formatted(c.name, c.type, c.isStatic ? " static" : ""))
            .collect(Collectors.joining());
    String key = "(" + String.join(", ", partitionKey) + ")";
    String clustered = clustering.isEmpty() ? "" : ", " + String.join(", ", clustering);
    String with =
        options.isEmpty() || extra.isEmpty() ? options + extra : options + " AND " + extra;
    return "CREATE TABLE IF NOT EXISTS %s.%s (\n%s  PRIMARY KEY (%s%s)\n)%s"
        .formatted(keyspace, name, lines, key, clustered, with.isEmpty() ? "" : " WITH " + with);
  }

  /// The required type and kind of a column.
  private Found expected(Column column) {
    int partition = partitionKey.indexOf(column.name);
    int cluster = clustering.indexOf(column.name);
    if (partition >= 0) {
      return new Found(column.type, "partition_key", partition);
    }
    if (cluster >= 0) {
      return new Found(column.type, "clustering", cluster);
    }
    return new Found(column.type, column.isStatic ? "static" : "regular", -1);
  }

  /// The differences from the columns of the cluster, a clause each. Unknown columns are ignored
  /// unless they are in the key.
  List<String> differences(Map<String, Found> found) {
    List<String> differences = new ArrayList<>();
    for (Column column : columns) {
      Found expected = expected(column);
      Found is = found.get(column.name);
      if (is == null) {
        differences.add(
            "%s.%s is missing and must be %s".formatted(name, column.name, expected.text()));
      } else if (!is.equals(expected)) {
        differences.add(
            "%s.%s is %s and must be %s".formatted(name, column.name, is.text(), expected.text()));
      }
    }
    for (String column : found.keySet()) {
      if (found.get(column).position() >= 0
          && columns.stream().noneMatch(c -> c.name.equals(column))) {
        differences.add("%s has the unknown key column %s".formatted(name, column));
      }
    }
    return differences;
  }
}
