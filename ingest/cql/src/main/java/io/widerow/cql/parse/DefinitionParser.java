package io.widerow.cql.parse;

import io.widerow.cql.CqlException;
import io.widerow.cql.CqlException.Code;
import io.widerow.cql.parse.Definition.Alteration;
import io.widerow.cql.parse.Definition.ColumnName;
import io.widerow.cql.parse.Definition.Direction;
import io.widerow.cql.parse.Definition.IndexTarget;
import io.widerow.cql.parse.Definition.Options;
import io.widerow.cql.parse.Statement.TableName;
import io.widerow.cql.type.Literals;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/// Parses CREATE, ALTER, DROP and TRUNCATE.
///
/// - Threads: one.
final class DefinitionParser {
  private static final Set<String> NOT_HERE =
      Set.of("function", "aggregate", "trigger", "role", "user", "or");

  private static final Set<String> PARTS = Set.of("keys", "values", "entries", "full");

  private final Words words;
  private final ExpressionParser expressions;
  private final WhereParser conditions;
  private boolean masked; // a column

  DefinitionParser(Words words, ExpressionParser expressions, WhereParser conditions) {
    this.words = words;
    this.expressions = expressions;
    this.conditions = conditions;
  }

  Statement create() {
    words.requireWord("create");
    if (isNotHere()) {
      return unknown("CREATE");
    }
    if (words.skipWord("keyspace") || words.skipWord("schema")) {
      boolean unless = unlessThere();
      return new Definition.CreateKeyspace(words.name("a keyspace"), unless, requiredOptions());
    }
    if (words.skipWord("table") || words.skipWord("columnfamily")) {
      return new TableParser(unlessThere()).table();
    }
    if (words.skipWord("type")) {
      return type();
    }
    boolean custom = words.skipWord("custom");
    if (custom || words.peek().isWord("index")) {
      words.requireWord("index");
      return index(custom, unlessThere());
    }
    words.requireWord("materialized");
    words.requireWord("view");
    return new TableParser(unlessThere()).view();
  }

  /// CREATE INDEX behind IF NOT EXISTS.
  private Statement index(boolean custom, boolean unless) {
    String name = words.peek().isWord("on") ? null : words.name("an index");
    words.requireWord("on");
    TableName table = words.tableName();
    words.requireSign("(");
    List<IndexTarget> targets = new ArrayList<>();
    if (!words.skipSign(")")) {
      do {
        targets.add(target());
      } while (words.skipSign(","));
      words.requireSign(")");
    }
    String using = words.skipWord("using") ? text() : null;
    Map<String, String> options = null;
    if (words.skipWord("with")) {
      if (!words.peek().isWord("options")) {
        throw words.expected("OPTIONS");
      }
      Map<String, Map<String, String>> maps = new LinkedHashMap<>();
      Map<String, String> texts = new LinkedHashMap<>();
      option(texts, maps);
      options = maps.get("options");
      if (options == null) {
        throw new CqlException(Code.SYNTAX, "OPTIONS of an index is a map, got " + texts);
      }
    }
    return new Definition.CreateIndex(custom, unless, name, table, targets, using, options);
  }

  private IndexTarget target() {
    String part = words.peek().lower();
    boolean ofPart = PARTS.contains(part) && words.peekSecond().isSign("(");
    if (!ofPart) {
      return new IndexTarget(words.name("a column"), "");
    }
    words.take();
    words.requireSign("(");
    String column = words.name("a column");
    words.requireSign(")");
    return new IndexTarget(column, part);
  }

  private String text() {
    return ChangeParser.constant(expressions.term(), words);
  }

  private boolean isNotHere() {
    return NOT_HERE.contains(words.peek().lower());
  }

  private Statement unknown(String first) {
    return new Statement.Unknown(first + " " + words.take().text().toUpperCase(Locale.ROOT));
  }

  private boolean unlessThere() {
    if (!words.skipWord("if")) {
      return false;
    }
    words.requireWord("not");
    words.requireWord("exists");
    return true;
  }

  private boolean ifThere() {
    if (!words.skipWord("if")) {
      return false;
    }
    words.requireWord("exists");
    return true;
  }

  private Statement type() {
    boolean unless = unlessThere();
    TableName name = words.tableName();
    words.requireSign("(");
    List<ColumnName> fields = new ArrayList<>();
    fields.add(field());
    while (isNextPart()) {
      fields.add(field());
    }
    words.requireSign(")");
    return new Definition.CreateType(name, unless, fields);
  }

  /// Skips commas, which may stand next to each other and in front of the end, as in Cassandra.
  ///
  /// @return whether another part follows
  private boolean isNextPart() {
    boolean comma = false;
    while (words.skipSign(",")) {
      comma = true;
    }
    return comma && !words.peek().isSign(")");
  }

  private ColumnName field() {
    return new ColumnName(words.name("a field"), expressions.type(), false);
  }

  private Options requiredOptions() {
    words.requireWord("with");
    return options();
  }

  private Options options() {
    Map<String, String> texts = new LinkedHashMap<>();
    Map<String, Map<String, String>> maps = new LinkedHashMap<>();
    do {
      option(texts, maps);
    } while (words.skipWord("and"));
    return new Options(texts, maps);
  }

  private void option(Map<String, String> texts, Map<String, Map<String, String>> maps) {
    String name = words.name("an option");
    words.requireSign("=");
    if (texts.containsKey(name) || maps.containsKey(name)) {
      throw new CqlException(Code.SYNTAX, "Multiple definitions for property '%s'".formatted(name));
    }
    Expression value = expressions.term();
    switch (value) {
      case Expression.MapOf(List<Expression> keys, List<Expression> values) -> {
        Map<String, String> map = new LinkedHashMap<>();
        for (int i = 0; i < keys.size(); i++) {
          String key = ChangeParser.constant(keys.get(i), words);
          if (map.put(key, ChangeParser.constant(values.get(i), words)) != null) {
            throw new CqlException(
                Code.SYNTAX, "Multiple definition for property %s".formatted(key));
          }
        }
        maps.put(name, map);
      }
      case Expression.SetOf(List<Expression> none) when none.isEmpty() -> maps.put(name, Map.of());
      default -> texts.put(name, ChangeParser.constant(value, words));
    }
  }

  Statement alter() {
    words.requireWord("alter");
    if (isNotHere()) {
      return unknown("ALTER");
    }
    if (words.skipWord("keyspace") || words.skipWord("schema")) {
      boolean ifThere = ifThere();
      return new Definition.AlterKeyspace(words.name("a keyspace"), ifThere, requiredOptions());
    }
    if (words.skipWord("type")) {
      boolean ifThere = ifThere();
      TableName type = words.tableName();
      return new Definition.AlterType(type, ifThere, alteration(true));
    }
    if (words.skipWord("materialized")) {
      words.requireWord("view");
      boolean ifThere = ifThere();
      TableName view = words.tableName();
      words.requireWord("with");
      return new Definition.AlterView(view, ifThere, options());
    }
    if (!words.skipWord("columnfamily")) {
      words.requireWord("table");
    }
    boolean ifThere = ifThere();
    TableName table = words.tableName();
    return new Definition.AlterTable(table, ifThere, alteration(false));
  }

  private Alteration alteration(boolean ofType) {
    if (words.skipWord("add")) {
      boolean unless = unlessThere();
      List<ColumnName> columns = new ArrayList<>();
      boolean several = words.skipSign("(");
      do {
        columns.add(ofType ? field() : column());
      } while (words.skipSign(",") && several);
      if (several) {
        words.requireSign(")");
      }
      requireNoMasks();
      return new Alteration.Add(columns, unless);
    }
    if (words.skipWord("rename")) {
      boolean _ = ifThere();
      List<String> from = new ArrayList<>();
      List<String> to = new ArrayList<>();
      do {
        from.add(words.name("a column"));
        words.requireWord("to");
        to.add(words.name("a column"));
      } while (words.skipWord("and"));
      return new Alteration.Rename(from, to);
    }
    if (!ofType && words.skipWord("drop")) {
      return drops();
    }
    if (ofType) {
      throw words.expected("ADD or RENAME");
    }
    if (words.skipWord("alter")) {
      return column(ifThere());
    }
    words.requireWord("with");
    return new Alteration.With(options());
  }

  private Alteration drops() {
    boolean ifThere = ifThere();
    List<String> columns = new ArrayList<>();
    boolean several = words.skipSign("(");
    do {
      columns.add(words.name("a column"));
    } while (words.skipSign(",") && several);
    if (several) {
      words.requireSign(")");
    }
    Long timestamp = null;
    if (words.skipWord("using")) {
      words.requireWord("timestamp");
      timestamp = timestamp();
    }
    return new Alteration.Drop(columns, ifThere, timestamp);
  }

  private long timestamp() {
    Expression time = expressions.term();
    if (!(time instanceof Expression.Constant(Literals.Kind kind, String text)
        && kind == Literals.Kind.INTEGER)) {
      throw new CqlException(
          Code.SYNTAX, "USING TIMESTAMP of DROP takes a number, got %s".formatted(time));
    }
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException tooLarge) {
      throw CqlException.invalid(
          "Timestamp value must be a long, got %s; write microseconds since 1970".formatted(text));
    }
  }

  private ColumnName column() {
    String name = words.name("a column");
    TypeName type = expressions.type();
    boolean isStatic = words.skipWord("static");
    if (words.skipWord("masked")) {
      mask();
    }
    return new ColumnName(name, type, isStatic);
  }

  /// The part after ALTER: a mask is refused, and there is none that could be dropped.
  private Alteration column(boolean ifThere) {
    String column = words.name("a column");
    if (words.skipWord("type")) {
      throw CqlException.invalid("Altering column types is no longer supported");
    }
    if (words.skipWord("drop")) {
      words.requireWord("masked");
      return new Alteration.Unmask(column, ifThere);
    }
    words.requireWord("masked");
    mask();
    throw noMasks();
  }

  /// WITH DEFAULT, or a function with all its arguments but the first.
  private void mask() {
    masked = true;
    words.requireWord("with");
    if (words.skipWord("default")) {
      if (words.skipSign("(")) {
        words.requireSign(")");
      }
      return;
    }
    String _ = words.name("a function");
    if (words.skipSign(".")) {
      String _ = words.name("a function");
    }
    words.requireSign("(");
    if (words.skipSign(")")) {
      return;
    }
    do {
      Expression _ = expressions.term();
    } while (words.skipSign(","));
    words.requireSign(")");
  }

  private void requireNoMasks() {
    if (masked) {
      throw noMasks();
    }
  }

  /// Every mask is refused so, as by a Cassandra with its defaults.
  private static CqlException noMasks() {
    return CqlException.invalid(
        "Cannot mask columns because dynamic data masking is not enabled. You can enable it with"
            + " the dynamic_data_masking_enabled property on cassandra.yaml");
  }

  Statement drop() {
    words.requireWord("drop");
    if (isNotHere()) {
      return unknown("DROP");
    }
    if (words.skipWord("keyspace") || words.skipWord("schema")) {
      boolean ifThere = ifThere();
      return new Definition.DropKeyspace(words.name("a keyspace"), ifThere);
    }
    if (words.skipWord("type")) {
      boolean ifThere = ifThere();
      return new Definition.DropType(words.tableName(), ifThere);
    }
    if (words.skipWord("index")) {
      boolean ifThere = ifThere();
      return new Definition.DropIndex(words.tableName(), ifThere);
    }
    boolean view = words.skipWord("materialized");
    if (view) {
      words.requireWord("view");
    } else if (!words.skipWord("columnfamily")) {
      words.requireWord("table");
    }
    boolean ifThere = ifThere();
    return new Definition.DropTable(words.tableName(), ifThere, view);
  }

  Statement truncate() {
    words.requireWord("truncate");
    if (words.peek().isWord("table") || words.peek().isWord("columnfamily")) {
      words.take();
    }
    return new Definition.Truncate(words.tableName());
  }

  /// CREATE TABLE and CREATE MATERIALIZED VIEW behind IF NOT EXISTS.
  private final class TableParser {
    private final boolean unless;
    private final List<String> partition = new ArrayList<>();
    private final List<String> clustering = new ArrayList<>();
    private final List<Direction> order = new ArrayList<>();
    private final Map<String, String> texts = new LinkedHashMap<>();
    private final Map<String, Map<String, String>> maps = new LinkedHashMap<>();

    TableParser(boolean unless) {
      this.unless = unless;
    }

    Statement table() {
      TableName name = words.tableName();
      List<ColumnName> columns = new ArrayList<>();
      words.requireSign("(");
      do {
        if (words.skipWord("primary")) {
          words.requireWord("key");
          primaryKey();
        } else {
          columns.add(column());
          if (words.skipWord("primary")) {
            words.requireWord("key");
            requireOneKey();
            partition.add(columns.getLast().name());
          }
        }
      } while (isNextPart());
      words.requireSign(")");
      tableOptions();
      if (!partition.isEmpty()) { // else the missing key is the error to report
        requireNoMasks();
      }
      return new Definition.CreateTable(
          name, unless, columns, partition, clustering, order, new Options(texts, maps));
    }

    private void requireOneKey() {
      if (!partition.isEmpty()) {
        throw CqlException.invalid("Multiple PRIMARY KEY definitions are not allowed");
      }
    }

    private void primaryKey() {
      requireOneKey();
      words.requireSign("(");
      if (words.skipSign("(")) {
        do {
          partition.add(words.name("a column"));
        } while (words.skipSign(","));
        words.requireSign(")");
      } else {
        partition.add(words.name("a column"));
      }
      while (words.skipSign(",")) {
        clustering.add(words.name("a column"));
      }
      words.requireSign(")");
    }

    private void tableOptions() {
      if (!words.skipWord("with")) {
        return;
      }
      do {
        if (words.skipWord("clustering")) {
          words.requireWord("order");
          words.requireWord("by");
          directions();
        } else if (words.skipWord("compact")) {
          words.requireWord("storage");
          throw CqlException.invalid("COMPACT STORAGE tables are not allowed");
        } else {
          option(texts, maps);
        }
      } while (words.skipWord("and"));
    }

    private void directions() {
      words.requireSign("(");
      do {
        String column = words.name("a column");
        boolean descending = words.skipWord("desc");
        if (!descending) {
          words.requireWord("asc");
        }
        order.add(new Direction(column, descending));
      } while (words.skipSign(","));
      words.requireSign(")");
    }

    Statement view() {
      TableName name = words.tableName();
      words.requireWord("as");
      words.requireWord("select");
      List<String> columns = new ArrayList<>();
      if (!words.skipSign("*")) {
        do {
          columns.add(viewColumn());
        } while (words.skipSign(","));
      }
      words.requireWord("from");
      TableName base = words.tableName();
      if (base.keyspace() == null) {
        base = new TableName(name.keyspace(), base.table()); // the view's, not the one in use
      }
      List<Where> where = words.skipWord("where") ? conditions.where() : List.of();
      words.requireWord("primary");
      words.requireWord("key");
      primaryKey();
      tableOptions();
      return new Definition.CreateView(
          name,
          unless,
          base,
          columns,
          where,
          partition,
          clustering,
          order,
          new Options(texts, maps));
    }

    private String viewColumn() {
      Expression selected = expressions.sum();
      if (!(selected instanceof Expression.Name(String column))) {
        throw CqlException.invalid(
            "Can only select columns by name when defining a materialized view (got %s)"
                .formatted(selected));
      }
      if (words.skipWord("as")) {
        throw CqlException.invalid(
            "Cannot use aliases when defining a materialized view (got %s AS %s)"
                .formatted(column, words.name("an alias")));
      }
      return column;
    }
  }
}
