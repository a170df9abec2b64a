package io.widerow.cql.server;

import io.widerow.cql.server.RandomTable.Column;
import io.widerow.cql.server.RandomTable.Kind;
import io.widerow.cql.server.RandomTable.Part;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/// For tests: random statements of CQL over a table, right ones and wrong ones. None depends on the
/// time at which it runs, so that two servers can answer alike.
final class RandomStatements {
  private static final List<String> COMPARISONS = List.of("=", "=", "=", "<", "<=", ">", ">=");
  private static final List<String> NUMBERS =
      List.of(
          "tinyint",
          "smallint",
          "int",
          "bigint",
          "varint",
          "float",
          "double",
          "decimal",
          "counter");

  private static final int SINGLE_WRITES_TIME_MAX = 40;

  private final RandomTable table;
  private final SplittableRandom random;

  RandomStatements(RandomTable table, SplittableRandom random) {
    this.table = table;
    this.random = random;
  }

  String next() {
    int dice = random.nextInt(100);
    if (dice < 45) {
      return select();
    }
    if (dice < 50 && table.kind != Kind.CONDITIONAL) {
      return batch();
    }
    return write(time());
  }

  /// An index on a column or a part of one; perhaps one that it cannot have.
  String index() {
    Column column = RandomTable.any(table.columns, random);
    String of =
        switch (column.type().substring(0, Math.min(6, column.type().length()))) {
          case "frozen" -> chance(80) ? "full(%s)" : "%s";
          case "map<te" -> RandomTable.any(List.of("%s", "keys(%s)", "entries(%s)"), random);
          default -> chance(3) ? "keys(%s)" : "%s";
        };
    String using = chance(50) ? "" : " USING 'sai'";
    return "CREATE INDEX ON " + table.name + " (" + of.formatted(column.name()) + ")" + using;
  }

  private boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }

  private String time() {
    return table.kind == Kind.TIMED
        ? " USING TIMESTAMP " + (1 + random.nextInt(SINGLE_WRITES_TIME_MAX))
        : "";
  }

  private String batch() {
    boolean counted = table.kind == Kind.COUNTED;
    List<String> parts = new ArrayList<>();
    int size = 1 + random.nextInt(3);
    for (int i = 0; i < size; i++) {
      parts.add(write(time()) + ";");
    }
    String begin = counted ? "BEGIN COUNTER BATCH " : "BEGIN BATCH ";
    return begin + String.join(" ", parts) + " APPLY BATCH";
  }

  private String write(String time) {
    int dice = random.nextInt(100);
    if (table.kind == Kind.COUNTED) {
      return update(time); // Cassandra keeps a counter deleted, here it counts again
    }
    if (dice < 40) {
      return insert(time);
    }
    return dice < 75 ? update(time) : delete(time);
  }

  private String value(Column column) {
    boolean tuple = column.type().contains("tuple"); // Cassandra takes a number for one
    if (!tuple && chance(2)) {
      return chance(50) ? "'nope'" : "1"; // perhaps of a wrong type
    }
    if (!column.isKey() && chance(10)) {
      return "null";
    }
    if (column.isKey() && RandomTable.isPerhapsEmpty(column.type()) && chance(2)) {
      return "blobAs" + column.type() + "(0x)";
    }
    String value = RandomTable.value(column.type(), random);
    if (!column.descending() && chance(6)) { // there Cassandra finds a reversed type ambiguous
      return computed(column.type(), value);
    }
    boolean number = List.of("int", "bigint", "varint").contains(column.type());
    return number && chance(5) ? "fromJson('" + value + "')" : value;
  }

  /// A value that arithmetic makes of another one; sometimes of one that it does not take.
  private String computed(String type, String value) {
    if (NUMBERS.contains(type)) {
      return switch (random.nextInt(6)) {
        case 0 -> "-(" + value + ")";
        case 1 -> "(" + type.replace("counter", "bigint") + ")" + value + " * 2";
        case 2 -> value + " - 0.5";
        default ->
            value + " " + sign() + " " + RandomTable.value(chance(80) ? type : "int", random);
      };
    }
    return switch (type) {
      case "timestamp", "date" -> value + (chance(50) ? " + " : " - ") + duration(type);
      case "text", "ascii" ->
          value + " + " + RandomTable.value(chance(70) ? type : "ascii", random);
      case "boolean", "uuid", "inet" -> value + " " + sign() + " 1";
      default -> value;
    };
  }

  private String sign() {
    return RandomTable.any(List.of("+", "-", "*", "/", "%"), random);
  }

  private String duration(String type) {
    boolean coarse = type.equals("date") && !chance(10);
    return RandomTable.any(
        coarse
            ? List.of("1d", "2w", "1mo", "1y2mo3d")
            : List.of("1h", "90m", "1mo2d", "3ms", "1us"),
        random);
  }

  /// A column with a sign: of itself, of a constant or of another column.
  private String computed(Column column) {
    String name = column.name();
    String type = column.type();
    boolean timed = type.equals("timestamp") || type.equals("date");
    return switch (random.nextInt(5)) {
      case 0 -> "-" + name;
      case 1 -> name + " " + sign() + " " + RandomTable.any(table.columns, random).name();
      case 2 -> "(" + name + " + 1) * 2";
      case 3 -> "max(" + name + " + " + RandomTable.value(type, random) + ")";
      default ->
          name
              + (timed
                  ? (chance(50) ? " + " : " - ") + duration(type)
                  : " " + sign() + " " + RandomTable.value(type, random));
    };
  }

  private String insert(String time) {
    boolean onlyStatic = !table.of(Part.STATIC).isEmpty() && chance(10);
    List<Column> named = new ArrayList<>();
    for (Column column : table.columns) {
      boolean wanted =
          switch (column.part()) {
            case PARTITION -> !chance(1);
            case CLUSTERING -> !onlyStatic && !chance(2);
            case STATIC -> onlyStatic || chance(30);
            case VALUE -> !onlyStatic && chance(70);
          };
      if (wanted) {
        named.add(column);
      }
    }
    if (named.isEmpty()) {
      named.add(table.columns.getFirst());
    }
    String values = named.stream().map(this::value).collect(Collectors.joining(", "));
    boolean tests = table.kind == Kind.CONDITIONAL && !onlyStatic;
    String condition = tests && chance(40) ? " IF NOT EXISTS" : "";
    return "INSERT INTO %s (%s) VALUES (%s)%s%s"
        .formatted(table.name, RandomTable.names(named), values, condition, time);
  }

  private String update(String time) {
    List<Column> statics = table.of(Part.STATIC);
    boolean onlyStatic = !statics.isEmpty() && chance(15);
    List<Column> from = onlyStatic ? statics : table.of(Part.VALUE);
    List<String> sets = new ArrayList<>();
    for (Column column : from) {
      if (sets.isEmpty() || chance(30)) {
        sets.add(set(column));
      }
    }
    if (chance(2)) {
      sets.add(set(RandomTable.any(table.columns, random)));
    }
    return "UPDATE %s%s SET %s WHERE %s%s"
        .formatted(
            table.name, time, String.join(", ", sets), key(onlyStatic ? 0 : 100), condition());
  }

  private String set(Column column) {
    String name = column.name();
    String type = column.type();
    if (type.equals("counter")) {
      return "%s = %s %s %d".formatted(name, name, chance(70) ? "+" : "-", random.nextInt(5));
    }
    boolean list = type.startsWith("list");
    if (column.isCollection() && chance(70)) {
      String other = RandomTable.value(type, random);
      if (list) {
        return switch (random.nextInt(4)) {
          case 0 -> "%s = %s + %s".formatted(name, name, other);
          case 1 -> "%s = %s + %s".formatted(name, other, name);
          case 2 -> "%s = %s - %s".formatted(name, name, other);
          default -> "%s[%d] = %d".formatted(name, random.nextInt(3), random.nextInt(9));
        };
      }
      if (type.startsWith("map")) {
        return switch (random.nextInt(3)) {
          case 0 -> "%s = %s + %s".formatted(name, name, other);
          case 1 -> "%s = %s - {'a', ''}".formatted(name, name);
          default -> "%s['a'] = %s".formatted(name, chance(20) ? "null" : "7");
        };
      }
      return "%s = %s %s %s".formatted(name, name, chance(60) ? "+" : "-", other);
    }
    if (type.equals("pair") && chance(40)) {
      return "%s.a = %d".formatted(name, random.nextInt(5));
    }
    return name + " = " + value(column);
  }

  private String condition() {
    if (table.kind != Kind.CONDITIONAL || !chance(40)) {
      return "";
    }
    if (chance(30)) {
      return " IF EXISTS";
    }
    List<Column> others =
        table.columns.stream().filter(column -> !column.isKey() || chance(2)).toList();
    Column column = RandomTable.any(others, random);
    String name = column.name();
    return switch (random.nextInt(5)) {
      case 0 -> " IF %s IN (%s, %s)".formatted(name, value(column), value(column));
      case 1 -> " IF %s != %s".formatted(name, value(column));
      case 2 -> " IF %s %s %s".formatted(name, RandomTable.any(COMPARISONS, random), value(column));
      default -> " IF %s = %s".formatted(name, value(column));
    };
  }

  /// Relations over the key.
  ///
  /// @param percent of clustering columns that are named
  private String key(int percent) {
    List<String> relations = new ArrayList<>();
    for (Column column : table.of(Part.PARTITION)) {
      if (!chance(1)) {
        relations.add(
            chance(5)
                ? "%s IN (%s, %s)".formatted(column.name(), value(column), value(column))
                : column.name() + " = " + value(column));
      }
    }
    for (Column column : table.of(Part.CLUSTERING)) {
      if (random.nextInt(100) >= percent || chance(3)) {
        break;
      }
      relations.add(column.name() + " = " + value(column));
    }
    return relations.isEmpty() ? "p0 = 1" : String.join(" AND ", relations);
  }

  private String delete(String time) {
    List<Column> others = table.columns.stream().filter(column -> !column.isKey()).toList();
    String what = "";
    if (chance(30)) {
      Column column = RandomTable.any(others, random);
      what = column.name();
      if (column.type().startsWith("list") && chance(50)) {
        what += "[" + random.nextInt(3) + "]";
      } else if (column.type().startsWith("map") && chance(50)) {
        what += "['a']";
      }
      what = " " + what;
    }
    boolean whole = !what.isEmpty() || chance(50);
    String where = key(whole ? 100 : 50);
    List<Column> clustering = table.of(Part.CLUSTERING);
    if (!whole && !clustering.isEmpty() && chance(50)) {
      where += " AND " + relation(RandomTable.any(clustering, random));
    }
    return "DELETE%s FROM %s%s WHERE %s%s".formatted(what, table.name, time, where, condition());
  }

  private String select() {
    String group = chance(8) ? group() : "";
    String where = where();
    StringBuilder text = new StringBuilder("SELECT ");
    text.append(chance(4) ? "JSON " : "");
    boolean distinct = chance(6);
    text.append(distinct ? distinct() : selected(!group.isEmpty()));
    text.append(" FROM ").append(table.name).append(where).append(group);
    String order = chance(25) ? order() : "";
    text.append(order);
    if (chance(distinct ? 4 : 12)) {
      text.append(" PER PARTITION LIMIT ").append(1 + random.nextInt(3));
    }
    if (chance(20)) {
      text.append(" LIMIT ").append(chance(5) ? 0 : 1 + random.nextInt(5));
    }
    return text.append(chance(50) ? " ALLOW FILTERING" : "").toString();
  }

  private String distinct() {
    List<Column> all = new ArrayList<>(table.of(Part.PARTITION));
    if (chance(40)) {
      all.addAll(table.of(Part.STATIC));
    }
    if (chance(5)) {
      all.removeFirst();
      all.addAll(table.of(Part.VALUE));
    }
    return "DISTINCT " + RandomTable.names(all);
  }

  private String group() {
    List<Column> keys = table.keys();
    List<Column> some = keys.subList(0, 1 + random.nextInt(keys.size()));
    String names = RandomTable.names(some);
    Column last = some.getLast();
    if (last.part() == Part.CLUSTERING && chance(50)) {
      String before = RandomTable.names(some.subList(0, some.size() - 1));
      names = before + ", " + floor(last);
    }
    return " GROUP BY " + names;
  }

  private String order() {
    List<Column> clustering = table.of(Part.CLUSTERING);
    if (clustering.isEmpty() || chance(3)) {
      return " ORDER BY " + RandomTable.any(table.columns, random).name();
    }
    boolean reversed = chance(50);
    int length = 1 + random.nextInt(clustering.size());
    List<String> parts = new ArrayList<>();
    for (Column column : clustering.subList(0, length)) {
      boolean descending = column.descending() != reversed;
      parts.add(column.name() + (descending != chance(3) ? " DESC" : ""));
    }
    return " ORDER BY " + String.join(", ", parts);
  }

  private String selected(boolean grouped) {
    if (!grouped && chance(45)) {
      return "*";
    }
    List<String> parts = new ArrayList<>();
    int count = 1 + random.nextInt(3);
    for (int i = 0; i < count; i++) {
      parts.add(one(RandomTable.any(table.columns, random)));
    }
    return String.join(", ", parts);
  }

  private String one(Column column) {
    String name = column.name();
    return switch (random.nextInt(26)) {
      case 23, 24 -> computed(column);
      case 0 -> "count(*)";
      case 1 -> "count(" + name + ")";
      case 2 -> "min(" + name + ")";
      case 3 -> "max(" + name + ")";
      case 4 -> "sum(" + name + ")";
      case 5 -> // of decimals Cassandra makes a mean of rounded means
          column.type().equals("decimal") ? name : "avg(" + name + ")";
      case 6, 7 -> time(column);
      case 8 -> "token(" + RandomTable.names(table.of(Part.PARTITION)) + ")";
      case 9 -> "toJson(" + name + ")";
      case 10 -> "CAST(" + name + " AS text)";
      case 11 -> name + " AS other";
      case 12, 13 -> part(column);
      case 14 -> floor(column);
      case 15 -> function(column, name);
      case 16 -> function(column, function(column, name));
      case 17 -> "max(" + function(column, name) + ")";
      default -> name;
    };
  }

  /// A call of a function of one value; sometimes of one that does not take it.
  ///
  /// @param of the column, or a call
  private String function(Column column, String of) {
    String type = column.type().replace("frozen<", "");
    List<String> some = new ArrayList<>(List.of("mask_default", "mask_null", "mask_hash"));
    if (chance(5) || NUMBERS.contains(type)) {
      boolean large = List.of("double", "decimal", "varint").contains(type);
      some.addAll(List.of("abs", "round", large ? "abs" : "exp")); // doubles differ by machine
    }
    if (chance(5) || type.startsWith("map")) {
      some.addAll(List.of("map_keys", "map_values", "collection_count"));
    } else if (chance(5) || column.isCollection() || type.startsWith("list")) {
      some.addAll(List.of("collection_count", "collection_min", "collection_max"));
    }
    if (chance(5) || type.startsWith("list<int")) {
      some.addAll(List.of("collection_sum", "collection_avg"));
    }
    if (chance(5) || type.equals("text") || type.equals("ascii")) {
      String arguments = ", %d, %d)".formatted(random.nextInt(3), random.nextInt(3));
      return RandomTable.any(List.of("mask_inner(", "mask_outer("), random) + of + arguments;
    }
    return chance(15)
        ? "mask_replace(" + of + ", " + value(column) + ")"
        : RandomTable.any(some, random) + "(" + of + ")";
  }

  /// When a column or a part of it was written.
  private String time(Column column) {
    if (table.kind != Kind.TIMED || (column.isKey() && !chance(10))) {
      return column.name();
    }
    String of = chance(60) ? column.name() : part(column);
    return switch (random.nextInt(4)) {
      case 0 -> "ttl(" + of + ")"; // nothing expires here
      case 1 -> "maxwritetime(" + of + ")";
      default -> "writetime(" + of + ")";
    };
  }

  /// An element, a slice or a field of a column; perhaps one that it cannot have.
  private String part(Column column) {
    String name = column.name();
    String type = column.type().replace("frozen<", "");
    if (type.startsWith("pair")) {
      return name + (chance(50) ? ".a" : ".b");
    }
    boolean parts = type.startsWith("set") || type.startsWith("map") || chance(10);
    if (!parts) {
      return name;
    }
    String key = type.startsWith("map<int") || type.startsWith("list") ? "int" : "text";
    String from = RandomTable.value(key, random);
    String to = RandomTable.value(key, random);
    return switch (random.nextInt(5)) {
      case 0 -> "%s[%s..]".formatted(name, from);
      case 1 -> "%s[..%s]".formatted(name, to);
      case 2 -> "%s[%s..%s]".formatted(name, from, to);
      default -> "%s[%s]".formatted(name, from);
    };
  }

  private String floor(Column column) {
    boolean timed = List.of("timestamp", "date", "time", "timeuuid").contains(column.type());
    if (!timed && !chance(15)) {
      return column.name();
    }
    String by =
        RandomTable.any(
            List.of("1h", "7m", "1d", "3d", "1mo", "1y2mo3d", "64ns", "1us", "0s", "-1h"), random);
    boolean from = chance(20) && !column.type().equals("time");
    return "floor(%s, %s%s)".formatted(column.name(), by, from ? ", '2015-07-14'" : "");
  }

  private String where() {
    if (chance(15)) {
      return "";
    }
    List<String> relations = new ArrayList<>();
    List<Column> partition = table.of(Part.PARTITION);
    if (chance(8)) {
      String names = RandomTable.names(partition);
      String values = partition.stream().map(this::value).collect(Collectors.joining(", "));
      relations.add(
          "token(%s) %s token(%s)".formatted(names, RandomTable.any(COMPARISONS, random), values));
    } else {
      for (Column column : partition) {
        if (chance(92)) {
          relations.add(
              chance(15)
                  ? "%s IN (%s, %s)".formatted(column.name(), value(column), value(column))
                  : column.name() + (chance(3) ? " > " : " = ") + value(column));
        }
      }
    }
    clustering(relations);
    if (chance(12)) {
      relations.add(relation(RandomTable.any(table.columns, random)));
    }
    return relations.isEmpty() ? "" : " WHERE " + String.join(" AND ", relations);
  }

  private void clustering(List<String> relations) {
    List<Column> all = table.of(Part.CLUSTERING);
    if (all.size() > 1 && chance(15)) {
      int length = 1 + random.nextInt(all.size());
      List<Column> some = all.subList(0, length);
      String values = some.stream().map(this::value).collect(Collectors.joining(", "));
      String names = RandomTable.names(some);
      relations.add(
          chance(25)
              ? "(%s) IN ((%s))".formatted(names, values)
              : "(%s) %s (%s)".formatted(names, RandomTable.any(COMPARISONS, random), values));
      return;
    }
    for (Column column : all) {
      if (chance(45)) {
        return;
      }
      if (chance(70)) {
        relations.add(column.name() + " = " + value(column));
      } else {
        relations.add(relation(column));
        if (chance(90)) {
          return;
        }
      }
    }
  }

  private String relation(Column column) {
    String name = column.name();
    String type = column.type();
    if (column.isCollection() && chance(80)) {
      String element = type.startsWith("list") ? "int" : "text";
      if (type.startsWith("map")) {
        return switch (random.nextInt(3)) {
          case 0 -> name + " CONTAINS KEY " + RandomTable.value("text", random);
          case 1 -> name + " CONTAINS " + RandomTable.value("int", random);
          default -> name + "['a'] = " + RandomTable.value("int", random);
        };
      }
      return name + " CONTAINS " + RandomTable.value(element, random);
    }
    if (chance(12)) {
      String one = RandomTable.value(type, random);
      return "%s IN (%s, %s)".formatted(name, one, RandomTable.value(type, random));
    }
    return "%s %s %s".formatted(name, RandomTable.any(COMPARISONS, random), value(column));
  }
}
