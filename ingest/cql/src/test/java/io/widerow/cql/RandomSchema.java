package io.widerow.cql;

import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.Column.Kind;
import io.widerow.cql.schema.CqlKeyspace;
import io.widerow.cql.schema.Schema;
import io.widerow.cql.schema.Table;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.NativeType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/// For tests: random statements that make, alter and drop keyspaces, types, tables and views. Most
/// are legal; none has an error of grammar.
///
/// Names are words that grammars know, of Cassandra and of ours, words in large letters, and, where
/// any text is a name, texts with quotes, comments and signs in them.
final class RandomSchema {
  /// The reserved words of Cassandra 5.0.
  static final List<String> RESERVED =
      List.of(
          ("add allow alter and apply asc authorize batch begin by columnfamily create delete desc"
                  + " describe drop entries execute from full grant if in index infinity insert"
                  + " into is keyspace limit materialized modify nan norecursive not null of on or"
                  + " order primary rename revoke schema select set table to token truncate"
                  + " unlogged update use using view where with")
              .split(" ", -1));

  /// Words that mean something at some place.
  static final List<String> CONTEXTUAL =
      List.of(
          ("int text varchar frozen list map tuple counter duration vector static key masked"
                  + " default unset clustering compact storage json distinct count writetime ttl"
                  + " cast as like contains true false type types custom function user role per"
                  + " partition system p1y p2w p3dt4h pt5m p1 e1 keyspaces tables exists values"
                  + " replication comment internals only filtering group trigger aggregate")
              .split(" ", -1));

  private static final List<String> CASES =
      List.of("Order", "SELECT", "aB", "_x", "1a", "Int", "a");
  private static final List<String> ODD =
      List.of(
          "a b",
          "it's",
          "q\"q",
          "\"",
          "--x",
          "/* c */",
          "a;b",
          "$$",
          "\u00e4\u00df",
          "\ud83d\ude00",
          "line\nend",
          "a.b",
          "<int>",
          "\u0130",
          "%s",
          "{}",
          "\u0000",
          "=",
          ",",
          ")");

  private final SplittableRandom random;
  private final Supplier<Schema> schema;

  RandomSchema(SplittableRandom random, Supplier<Schema> schema) {
    this.random = random;
    this.schema = schema;
  }

  private <T> T any(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  private boolean oneIn(int n) {
    return random.nextInt(n) == 0;
  }

  private <T> List<T> shuffled(List<T> of) {
    List<T> all = new ArrayList<>(of);
    Collections.shuffle(all, new Random(random.nextLong()));
    return all;
  }

  /// A name as a statement writes it: in quotes, or sometimes without where none are needed.
  String written(String name) {
    boolean plain =
        name.matches("[a-z][a-z0-9_]*") && !RESERVED.contains(name) && !CONTEXTUAL.contains(name);
    return plain && oneIn(2) ? name : "\"" + name.replace("\"", "\"\"") + "\"";
  }

  /// The name of a keyspace, a type, a table or a view.
  private String word() {
    return switch (random.nextInt(4)) {
      case 0 -> any(CASES);
      case 1 -> any(CONTEXTUAL);
      default -> any(RESERVED);
    };
  }

  /// The name of a column or a field.
  private String name() {
    return oneIn(3) ? any(ODD) : word();
  }

  private List<String> names(int count) {
    Set<String> names = new LinkedHashSet<>();
    while (names.size() < count) {
      names.add(name());
    }
    return List.copyOf(names);
  }

  /// The next statement.
  String next() {
    List<CqlKeyspace> keyspaces = schema.get().keyspaces();
    if (keyspaces.isEmpty() || oneIn(25)) {
      return "CREATE KEYSPACE %s WITH replication = %s%s"
          .formatted(
              written(word()),
              oneIn(2)
                  ? "{'class': 'SimpleStrategy', 'replication_factor': 3}"
                  : "{'class': 'org.apache.cassandra.locator.NetworkTopologyStrategy', 'd''c':"
                      + " '2'}",
              oneIn(2) ? " AND durable_writes = false" : "");
    }
    CqlKeyspace in = any(keyspaces);
    if (oneIn(40)) {
      return "DROP KEYSPACE " + written(in.name());
    }
    if (oneIn(20)) {
      return "ALTER KEYSPACE %s WITH durable_writes = %b".formatted(written(in.name()), oneIn(2));
    }
    return switch (random.nextInt(9)) {
      case 0 -> createType(in);
      case 7 -> in.tables().isEmpty() ? createTable(in) : createIndex(in, any(in.tables()));
      case 1, 2 -> in.types().isEmpty() ? createType(in) : alterType(in, any(in.types()));
      case 3 -> createTable(in);
      case 4, 5 -> in.tables().isEmpty() ? createTable(in) : alter(in, any(in.tables()));
      case 6 -> in.tables().isEmpty() ? createTable(in) : createView(in, any(in.tables()));
      default -> drop(in);
    };
  }

  private String in(CqlKeyspace keyspace, String name) {
    return written(keyspace.name()) + "." + written(name);
  }

  private String drop(CqlKeyspace in) {
    if (oneIn(2) || in.tables().isEmpty()) {
      return in.types().isEmpty() ? createType(in) : "DROP TYPE " + in(in, any(in.types()).name());
    }
    Table table = any(in.tables());
    if (!table.indexes().isEmpty() && oneIn(2)) {
      return "DROP INDEX " + in(in, any(table.indexes()).name());
    }
    if (oneIn(3)) {
      return "TRUNCATE " + in(in, table.name());
    }
    return "DROP %s %s"
        .formatted(table.view() == null ? "TABLE" : "MATERIALIZED VIEW", in(in, table.name()));
  }

  /// A type as a statement writes it.
  ///
  /// @param depth of types in each other that is left
  private String type(CqlKeyspace in, int depth) {
    int kind = depth == 0 ? 5 : random.nextInt(10);
    return switch (kind) {
      case 0 -> "list<" + inside(in, depth) + ">";
      case 1 -> "set<" + inside(in, depth) + ">";
      case 2 -> "map<" + inside(in, depth) + ", " + inside(in, depth) + ">";
      case 3 -> "tuple<" + inside(in, depth) + "," + type(in, depth - 1) + ">";
      case 4 -> "frozen<list<" + inside(in, depth) + ">>";
      case 9 ->
          "vector<" + any(List.of("float", "text", "Int")) + ", " + (1 + random.nextInt(3)) + ">";
      default ->
          in.types().isEmpty() || kind == 5
              ? any(List.of(NativeType.values())).name().toLowerCase(Locale.ROOT)
              : user(in);
    };
  }

  private String user(CqlKeyspace in) {
    String name = any(in.types()).name();
    String shown = oneIn(3) ? in(in, name) : written(name);
    return oneIn(4) ? shown : "frozen<" + shown + ">";
  }

  private String inside(CqlKeyspace in, int depth) {
    String type = type(in, depth - 1);
    return type.matches("(list|set|map).*") ? "frozen<" + type + ">" : type;
  }

  /// A type for a key.
  private String keyType(CqlKeyspace in) {
    return switch (random.nextInt(6)) {
      case 0 -> in.types().isEmpty() ? "text" : "frozen<" + written(any(in.types()).name()) + ">";
      case 1 -> "frozen<" + any(List.of("list<int>", "set<text>", "map<text, double>")) + ">";
      case 2 -> any(List.of("tuple<int, text>", "vector<float, 2>"));
      default -> any(List.of("int", "text", "double", "uuid", "boolean", "blob", "timestamp"));
    };
  }

  private String createType(CqlKeyspace in) {
    List<String> fields = new ArrayList<>();
    for (String field : names(random.nextInt(1, 5))) {
      fields.add(written(field) + " " + type(in, 2));
    }
    return "CREATE TYPE %s (%s)".formatted(in(in, word()), String.join(", ", fields));
  }

  private String alterType(CqlKeyspace in, CqlType.UserType type) {
    String begin = "ALTER TYPE " + in(in, type.name());
    if (oneIn(2)) {
      return begin + " ADD " + written(name()) + " " + type(in, 2);
    }
    List<String> renames = new ArrayList<>();
    for (CqlType.Field field : type.fields()) {
      if (renames.isEmpty() || oneIn(2)) {
        String to = oneIn(3) ? any(type.fields()).name() : name();
        renames.add(written(field.name()) + " TO " + written(to));
      }
    }
    return begin + " RENAME " + String.join(" AND ", renames);
  }

  private String createTable(CqlKeyspace in) {
    int keys = random.nextInt(1, 5);
    int partition = random.nextInt(1, keys + 1);
    List<String> names = names(keys + random.nextInt(0, 5));
    List<String> columns = new ArrayList<>();
    boolean counters = oneIn(8);
    for (int i = 0; i < names.size(); i++) {
      String type = i < keys ? keyType(in) : counters ? "counter" : type(in, 2);
      boolean isStatic = i >= keys && partition < keys && oneIn(4);
      columns.add(written(names.get(i)) + " " + type + (isStatic ? " static" : ""));
    }
    String text =
        "CREATE TABLE %s (%s, PRIMARY KEY (%s))"
            .formatted(
                in(in, word()),
                String.join(", ", shuffled(columns)),
                key(names.subList(0, partition), names.subList(partition, keys)));
    List<String> with = new ArrayList<>();
    if (partition < keys && oneIn(2)) {
      with.add(order(names.subList(partition, keys)));
    }
    with.addAll(options());
    return text + (with.isEmpty() ? "" : " WITH " + String.join(" AND ", with));
  }

  private String key(List<String> partition, List<String> clustering) {
    List<String> parts = new ArrayList<>();
    parts.add("(" + String.join(", ", partition.stream().map(this::written).toList()) + ")");
    clustering.forEach(each -> parts.add(written(each)));
    return String.join(", ", parts);
  }

  private String order(List<String> clustering) {
    return "CLUSTERING ORDER BY (%s)"
        .formatted(
            String.join(
                ", ",
                clustering.stream()
                    .map(each -> written(each) + (oneIn(2) ? " DESC" : " ASC"))
                    .toList()));
  }

  private List<String> options() {
    List<String> all =
        List.of(
            "comment = '" + any(List.of("", "it''s", "a -- b", "/* ''", "\n;", "$$x$$")) + "'",
            "comment = $$it's$$",
            "gc_grace_seconds = " + any(List.of("0", "'+5'", "'007'", "'\u0663'", "864000")),
            "bloom_filter_fp_chance = " + any(List.of("0.01", "'1d'", "'0x1p-3'", "1e-5", "'.5'")),
            "default_time_to_live = " + any(List.of("0", "'+60'")),
            "cdc = " + any(List.of("TRUE", "'False'")),
            "speculative_retry = '" + any(List.of("99p", "50ms", "it''s")) + "'",
            "compaction = {'class': 'X''Y', 'min': 4, 'b': true}",
            "caching = {'keys': 'ALL', 'rows_per_partition': 'NONE'}",
            "compression = {}",
            "extensions = {'x': 0xab}");
    List<String> options = new ArrayList<>();
    Set<String> used = new LinkedHashSet<>();
    for (String option : shuffled(all).subList(0, random.nextInt(4))) {
      if (used.add(option.substring(0, option.indexOf(' ')))) {
        options.add(option);
      }
    }
    return options;
  }

  private String alter(CqlKeyspace in, Table table) {
    List<String> options = options();
    if (table.view() != null) {
      return "ALTER MATERIALIZED VIEW %s WITH %s"
          .formatted(
              in(in, table.name()),
              options.isEmpty() ? "comment = 'x'" : String.join(" AND ", options));
    }
    String begin = "ALTER TABLE " + in(in, table.name());
    List<Column> others = table.columns().stream().filter(column -> !column.isKey()).toList();
    return switch (random.nextInt(4)) {
      case 0 ->
          begin
              + " ADD "
              + written(name())
              + " "
              + type(in, 2)
              + (table.of(Kind.CLUSTERING).isEmpty() || !oneIn(4) ? "" : " static");
      case 1 ->
          others.isEmpty()
              ? "TRUNCATE " + in(in, table.name())
              : begin + " DROP " + written(any(others).name());
      case 2 ->
          begin
              + " RENAME "
              + written(any(table.columns().stream().filter(Column::isKey).toList()).name())
              + " TO "
              + written(name());
      default ->
          begin + " WITH " + (options.isEmpty() ? "comment = ''" : String.join(" AND ", options));
    };
  }

  private String createIndex(CqlKeyspace in, Table table) {
    Column column = any(table.columns());
    String part =
        !column.type().isCollection()
            ? ""
            : !column.type().isMultiCell()
                ? "full"
                : column.type() instanceof CqlType.MapOf
                    ? any(List.of("", "keys", "values", "entries"))
                    : any(List.of("", "values"));
    String target =
        part.isEmpty() ? written(column.name()) : part + "(" + written(column.name()) + ")";
    boolean attached = oneIn(2);
    return "CREATE %sINDEX %s%sON %s (%s)%s"
        .formatted(
            attached && oneIn(2) ? "CUSTOM " : "",
            oneIn(4) ? "IF NOT EXISTS " : "",
            oneIn(2) ? "" : written(word()) + " ",
            in(in, table.name()),
            target,
            attached ? " USING " + any(List.of("'sai'", "'StorageAttachedIndex'")) : "");
  }

  private String createView(CqlKeyspace in, Table base) {
    List<String> key = new ArrayList<>();
    base.columns().stream().filter(Column::isKey).forEach(column -> key.add(column.name()));
    List<String> more =
        base.of(Kind.REGULAR).stream()
            .filter(column -> !column.type().isMultiCell())
            .map(Column::name)
            .toList();
    if (!more.isEmpty() && oneIn(2)) {
      key.add(any(more));
    }
    List<String> order = shuffled(key);
    int partition = random.nextInt(1, order.size() + 1);
    List<String> where = new ArrayList<>();
    for (String name : order) {
      Column column = base.columns().get(base.find(name));
      where.add(
          written(name) + (column.isKey() && oneIn(2) ? condition(column.type()) : " IS NOT NULL"));
    }
    String columns = "*";
    if (oneIn(2)) {
      Set<String> shown = new LinkedHashSet<>(order);
      base.of(Kind.REGULAR).stream()
          .filter(_ -> oneIn(2))
          .forEach(column -> shown.add(column.name()));
      columns = String.join(", ", shown.stream().map(this::written).toList());
    }
    List<String> clustering = order.subList(partition, order.size());
    List<String> with = new ArrayList<>();
    if (!clustering.isEmpty() && oneIn(2)) {
      with.add(order(clustering));
    }
    with.addAll(options());
    return "CREATE MATERIALIZED VIEW %s AS SELECT %s FROM %s WHERE %s PRIMARY KEY (%s)%s"
        .formatted(
            in(in, word()),
            columns,
            in(in, base.name()),
            String.join(" AND ", where),
            key(order.subList(0, partition), clustering),
            with.isEmpty() ? "" : " WITH " + String.join(" AND ", with));
  }

  private String condition(CqlType type) {
    String value = literal(type);
    return switch (random.nextInt(3)) {
      case 0 -> " IN (" + value + ", " + literal(type) + ")";
      case 1 -> type instanceof NativeType ? " >= " + value : " = " + value;
      default -> " = " + value;
    };
  }

  /// A constant of a type.
  private String literal(CqlType type) {
    return switch (type) {
      case NativeType simple -> literal(simple);
      case CqlType.ListOf(CqlType element, _) -> "[" + literal(element) + "]";
      case CqlType.SetOf(CqlType element, _) -> "{" + literal(element) + "}";
      case CqlType.MapOf(CqlType key, CqlType value, _) ->
          "{" + literal(key) + ": " + literal(value) + "}";
      case CqlType.VectorOf(CqlType element, int size) ->
          "[" + String.join(", ", Collections.nCopies(size, literal(element))) + "]";
      case CqlType.TupleOf(List<CqlType> elements) ->
          "(" + String.join(", ", elements.stream().map(this::literal).toList()) + ")";
      case CqlType.UserType user ->
          "{"
              + String.join(
                  ", ",
                  user.fields().stream()
                      .map(field -> written(field.name()) + ": " + literal(field.type()))
                      .toList())
              + "}";
    };
  }

  private String literal(NativeType type) {
    return switch (type) {
      case ASCII, TEXT -> any(List.of("'it''s'", "$$a'b$$", "''", "'/* -- '"));
      case BIGINT, INT, SMALLINT, TINYINT, VARINT, COUNTER -> any(List.of("-5", "7", "(int) 3"));
      case DECIMAL, DOUBLE, FLOAT -> any(List.of("-1.5e3", "2", "1.", "0.25"));
      case BOOLEAN -> any(List.of("TRUE", "false"));
      case BLOB -> any(List.of("0xAb", "0x"));
      case UUID, TIMEUUID -> "00000001-0000-1100-8000-000000000001";
      case TIMESTAMP -> any(List.of("'2026-11-28T00:00:00Z'", "5"));
      case DATE -> "'2026-11-28'";
      case TIME -> "'10:11:12'";
      case DURATION -> any(List.of("1h", "P1Y"));
      case INET -> "'127.0.0.1'";
    };
  }
}
