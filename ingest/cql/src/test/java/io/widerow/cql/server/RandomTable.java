package io.widerow.cql.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/// For tests: a table with random columns, and random values of its types as they are written in
/// CQL. There are few values of each type, so that statements meet in the same rows.
final class RandomTable {
  private static final List<String> KEY_TYPES =
      List.of(
          "int",
          "int",
          "text",
          "text",
          "bigint",
          "smallint",
          "tinyint",
          "boolean",
          "double",
          "uuid",
          "timeuuid",
          "timestamp",
          "date",
          "time",
          "blob",
          "ascii",
          "varint",
          "inet",
          "float");
  private static final List<String> VALUE_TYPES =
      List.of(
          "int",
          "int",
          "text",
          "bigint",
          "double",
          "boolean",
          "timestamp",
          "decimal",
          "duration",
          "blob",
          "list<int>",
          "set<text>",
          "map<text, int>",
          "frozen<list<int>>",
          "frozen<map<int, text>>",
          "frozen<pair>",
          "pair",
          "tuple<int, text>",
          "varint",
          "time");

  /// How its rows are written.
  enum Kind {
    /// Each write says its time, so that late ones lose.
    TIMED,
    /// Each write has the time of its arrival, and some have conditions.
    CONDITIONAL,
    /// Counters.
    COUNTED
  }

  /// What a column is for.
  enum Part {
    PARTITION,
    CLUSTERING,
    STATIC,
    VALUE
  }

  record Column(String name, String type, Part part, boolean descending) {
    boolean isKey() {
      return part == Part.PARTITION || part == Part.CLUSTERING;
    }

    boolean isCollection() {
      return type.startsWith("list") || type.startsWith("set") || type.startsWith("map");
    }
  }

  final String name;
  final Kind kind;
  final List<Column> columns = new ArrayList<>();

  RandomTable(String name, Kind kind, SplittableRandom random) {
    this.name = name;
    this.kind = kind;
    int partition = 1 + random.nextInt(2);
    int clustering = random.nextInt(4);
    for (int i = 0; i < partition; i++) {
      columns.add(new Column("p" + i, any(KEY_TYPES, random), Part.PARTITION, false));
    }
    for (int i = 0; i < clustering; i++) {
      boolean descending = random.nextBoolean();
      columns.add(new Column("c" + i, any(KEY_TYPES, random), Part.CLUSTERING, descending));
    }
    if (clustering > 0 && random.nextBoolean()) {
      columns.add(new Column("s", valueType(random), Part.STATIC, false));
    }
    int values = 1 + random.nextInt(4);
    for (int i = 0; i < values; i++) {
      columns.add(new Column("v" + i, valueType(random), Part.VALUE, false));
    }
  }

  private String valueType(SplittableRandom random) {
    return kind == Kind.COUNTED ? "counter" : any(VALUE_TYPES, random);
  }

  /// True when a type has a value of no bytes that is written `blobAsType(0x)`.
  static boolean isPerhapsEmpty(String type) {
    return List.of("int", "bigint", "boolean", "double", "uuid", "timestamp", "varint", "inet")
        .contains(type);
  }

  static <T> T any(List<T> all, SplittableRandom random) {
    return all.get(random.nextInt(all.size()));
  }

  List<Column> of(Part part) {
    return columns.stream().filter(column -> column.part == part).toList();
  }

  List<Column> keys() {
    return columns.stream().filter(Column::isKey).toList();
  }

  /// The statement that makes it.
  String definition() {
    List<String> parts = new ArrayList<>();
    for (Column column : columns) {
      parts.add(column.name + " " + column.type + (column.part == Part.STATIC ? " static" : ""));
    }
    String partition = names(of(Part.PARTITION));
    List<Column> clustering = of(Part.CLUSTERING);
    String key = "PRIMARY KEY ((" + partition + ")";
    String rest = clustering.isEmpty() ? ")" : ", " + names(clustering) + ")";
    parts.add(key + rest);
    String order =
        clustering.stream()
            .map(column -> column.name + (column.descending ? " DESC" : " ASC"))
            .collect(Collectors.joining(", "));
    String with = clustering.isEmpty() ? "" : " WITH CLUSTERING ORDER BY (" + order + ")";
    return "CREATE TABLE " + name + " (" + String.join(", ", parts) + ")" + with;
  }

  static String names(List<Column> columns) {
    return columns.stream().map(Column::name).collect(Collectors.joining(", "));
  }

  /// A value as it is written, of a type by name.
  static String value(String type, SplittableRandom random) {
    int n = random.nextInt(4);
    return switch (type) {
      case "int", "bigint", "smallint", "tinyint", "counter" -> Integer.toString(n - 1);
      case "varint" -> n == 3 ? "123456789012345678901234567890" : Integer.toString(n - 1);
      case "decimal" -> List.of("1.10", "1.1", "-0.5", "1234567890.123456789").get(n);
      case "double", "float" -> List.of("1.5", "-2", "NaN", "Infinity").get(n);
      case "boolean" -> n < 2 ? "true" : "false";
      case "text" -> List.of("''", "'a'", "'b''c'", "'\u00e4\u20ac'").get(n);
      case "ascii" -> List.of("'x'", "'y'", "'a'", "'zz'").get(n);
      case "blob" -> List.of("0x00", "0xff01", "0x", "0xcafe").get(n);
      case "uuid", "timeuuid" -> "0000000%d-0000-1000-8000-00000000000%d".formatted(n, n / 2);
      case "timestamp" -> List.of("0", "1700000000000", "'2026-01-02T03:04:05Z'", "-5").get(n);
      case "date" -> List.of("'2026-01-02'", "'1969-12-31'", "'2000-02-29'", "'1970-01-01'").get(n);
      case "time" -> List.of("'00:00:00'", "'12:34:56.789'", "'23:59:59'", "1").get(n);
      case "inet" -> List.of("'127.0.0.1'", "'10.0.0.1'", "'::1'", "'192.168.1.200'").get(n);
      case "duration" -> List.of("1mo2d", "12h", "1y", "-3ms").get(n);
      case "pair", "frozen<pair>" ->
          List.of("{a: 1, b: 'x'}", "{a: 2}", "{b: 'y'}", "{a: null, b: ''}").get(n);
      case "tuple<int, text>" -> List.of("(1, 'a')", "(1, null)", "(2, 'b')", "(null, '')").get(n);
      default -> collection(type.replace("frozen<", ""), random);
    };
  }

  private static String collection(String type, SplittableRandom random) {
    boolean map = type.startsWith("map"); // of equal keys Cassandra takes any value
    int size = random.nextInt(map ? 2 : 4);
    List<String> parts = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      parts.add(
          switch (type.substring(0, type.indexOf('<'))) {
            case "list" -> value("int", random);
            case "set" -> value("text", random);
            default -> entry(type, random);
          });
    }
    String inside = String.join(", ", parts);
    return type.startsWith("list") ? "[" + inside + "]" : "{" + inside + "}";
  }

  private static String entry(String type, SplittableRandom random) {
    String key = type.startsWith("map<text") ? "text" : "int";
    return value(key, random) + ": " + value("text".equals(key) ? "int" : "text", random);
  }

  @Override
  public String toString() {
    return kind.name().toLowerCase(Locale.ROOT) + " " + definition();
  }
}
