package io.widerow.cql.parse;

import io.widerow.cql.CqlException;
import io.widerow.cql.CqlException.Code;
import io.widerow.cql.parse.Lexeme.Kind;
import io.widerow.cql.parse.Statement.Describe.What;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Parses one statement by recursive descent. [ExpressionParser] reads the expressions in it.
///
/// - Threads: one.
public final class Parser {
  /// Longest accepted statement, in characters.
  public static final int WORDS_MAX = 1 << 17;

  private final Words words;
  private final ExpressionParser expressions;
  private final WhereParser conditions;
  private final ChangeParser changes;
  private final DefinitionParser definitions;

  private Parser(String text, int wordsMax) {
    this.words = new Words(text, wordsMax);
    this.expressions = new ExpressionParser(words);
    this.conditions = new WhereParser(words, expressions);
    this.changes = new ChangeParser(words, expressions, conditions);
    this.definitions = new DefinitionParser(words, expressions, conditions);
  }

  /// @throws CqlException when the text is not one statement of CQL
  public static Statement parse(String text) {
    return new Parser(text, WORDS_MAX).statement();
  }

  /// A statement of the stored schema, which may be longer than those of clients: it has more
  /// blanks, and tables and types grow.
  ///
  /// @throws CqlException when the text is not one statement of CQL
  public static Statement parseStored(String text) {
    return new Parser(text, Integer.MAX_VALUE).statement();
  }

  private Statement statement() {
    Lexeme first = words.peek();
    String word = first.kind() == Kind.WORD ? first.lower() : "";
    Statement statement =
        switch (word) {
          case "select" -> select();
          case "use" -> {
            words.take();
            if (words.peek().isSign("?") || words.peek().isSign(":")) {
              throw new CqlException(
                  Code.SYNTAX, "Bind variables cannot be used for keyspace names");
            }
            yield new Statement.Use(words.name("a keyspace"));
          }
          case "describe", "desc" -> describe();
          case "insert", "update", "delete" -> changes.change();
          case "begin" -> changes.batch();
          case "truncate" -> definitions.truncate();
          case "create" -> definitions.create();
          case "alter" -> definitions.alter();
          case "drop" -> definitions.drop();
          case "list" -> list();
          case "grant", "revoke" ->
              new Statement.Unknown(words.take().text().toUpperCase(Locale.ROOT));
          default -> throw words.expected("a statement");
        };
    if (!(statement instanceof Statement.Unknown)) {
      boolean _ = words.skipSign(";");
      if (words.peek().kind() != Kind.END) {
        throw words.expected("the end of the statement");
      }
    }
    return statement;
  }

  private Statement select() {
    words.take();
    boolean json = words.peek().isWord("json") && isModifier();
    if (json) {
      words.take();
    }
    boolean distinct = words.peek().isWord("distinct") && isModifier();
    if (distinct) {
      words.take();
    }
    List<Statement.Selector> selectors = selectors();
    words.requireWord("from");
    Statement.TableName from = words.tableName();
    List<Where> where = words.skipWord("where") ? conditions.where() : List.of();
    List<Expression> groupBy = new ArrayList<>();
    if (words.skipWord("group")) {
      words.requireWord("by");
      do {
        groupBy.add(expressions.term());
      } while (words.skipSign(","));
    }
    List<Statement.Ordering> orderBy = orderBy();
    Expression perPartition = null;
    if (words.skipWord("per")) {
      words.requireWord("partition");
      words.requireWord("limit");
      perPartition = expressions.term();
    }
    Expression limit = words.skipWord("limit") ? expressions.term() : null;
    boolean filtering = words.skipWord("allow");
    if (filtering) {
      words.requireWord("filtering");
    }
    return new Statement.Select(
        json, distinct, selectors, from, where, groupBy, orderBy, perPartition, limit, filtering);
  }

  /// True when `json` or `distinct` is no column: what begins an expression follows.
  private boolean isModifier() {
    Lexeme second = words.peekSecond();
    boolean sign =
        second.isSign(",") || second.isSign("(") || second.isSign("[") || second.isSign(".");
    return !sign && !second.isWord("from") && !second.isWord("as");
  }

  private List<Statement.Selector> selectors() {
    List<Statement.Selector> selectors = new ArrayList<>();
    if (words.skipSign("*")) {
      return selectors;
    }
    do {
      Expression shown = expressions.sum();
      selectors.add(
          new Statement.Selector(shown, words.skipWord("as") ? words.name("an alias") : null));
    } while (words.skipSign(","));
    return selectors;
  }

  private List<Statement.Ordering> orderBy() {
    List<Statement.Ordering> orders = new ArrayList<>();
    if (words.skipWord("order")) {
      words.requireWord("by");
      do {
        String column = words.name("a column");
        if (words.skipWord("ann")) {
          throw CqlException.invalid(
              "ANN ordering by vector requires the column to be indexed, and vectors have no index"
                  + " here; select similarity_cosine(%s, ...) and sort in the client"
                      .formatted(column));
        }
        boolean descending = words.skipWord("desc");
        boolean _ = !descending && words.skipWord("asc");
        orders.add(new Statement.Ordering(column, descending));
      } while (words.skipSign(","));
    }
    return orders;
  }

  /// LIST ROLES, which reads a table.
  private Statement list() {
    words.take();
    if (!words.skipWord("roles")) {
      return new Statement.Unknown("LIST " + words.take().text().toUpperCase(Locale.ROOT));
    }
    if (words.skipWord("norecursive") || words.skipWord("of")) {
      throw CqlException.invalid("LIST ROLES OF is not supported: no role is granted to another");
    }
    List<Statement.Selector> columns = new ArrayList<>();
    columns.add(new Statement.Selector(new Expression.Name("role"), null));
    columns.add(new Statement.Selector(new Expression.Name("is_superuser"), "super"));
    columns.add(new Statement.Selector(new Expression.Name("can_login"), "login"));
    return new Statement.Select(
        false,
        false,
        columns,
        new Statement.TableName("system_auth", "roles"),
        List.of(),
        List.of(),
        List.of(),
        null,
        null,
        false);
  }

  private Statement describe() {
    words.take();
    boolean _ = words.skipWord("full");
    boolean _ = words.skipWord("only");
    Lexeme what = words.peek();
    Statement.Describe described =
        switch (what.kind() == Kind.WORD ? what.lower() : "") {
          case "keyspaces" -> all(What.KEYSPACES);
          case "tables", "columnfamilies" -> all(What.TABLES);
          case "types" -> all(What.TYPES);
          case "functions" -> all(What.FUNCTIONS);
          case "aggregates" -> all(What.AGGREGATES);
          case "cluster" -> all(What.CLUSTER);
          case "schema" -> all(What.SCHEMA);
          case "keyspace" -> {
            words.take();
            boolean named = words.isName() && !words.peek().isWord("with");
            yield new Statement.Describe(
                What.KEYSPACE, named ? words.name("a keyspace") : null, null);
          }
          case "table", "columnfamily" -> {
            words.take();
            yield named(What.TABLE);
          }
          case "index" -> {
            words.take();
            yield named(What.INDEX);
          }
          case "materialized" -> {
            words.take();
            words.requireWord("view");
            yield named(What.VIEW);
          }
          case "type" -> {
            words.take();
            yield named(What.TYPE);
          }
          default -> named(What.ANYTHING);
        };
    if (words.skipWord("with")) {
      words.requireWord("internals");
    }
    return described;
  }

  private Statement.Describe all(What what) {
    words.take();
    return new Statement.Describe(what, null, null);
  }

  private Statement.Describe named(What what) {
    Statement.TableName name = words.tableName();
    return new Statement.Describe(what, name.keyspace(), name.table());
  }
}
