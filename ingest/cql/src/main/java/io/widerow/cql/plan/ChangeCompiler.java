package io.widerow.cql.plan;

import io.widerow.cql.CqlException;
import io.widerow.cql.change.RowChange.How;
import io.widerow.cql.parse.Change;
import io.widerow.cql.parse.Expression;
import io.widerow.cql.parse.Relation;
import io.widerow.cql.parse.Relation.Operator;
import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.Column.Kind;
import io.widerow.cql.schema.Table;
import io.widerow.cql.type.NativeType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Gives INSERT, UPDATE and DELETE their types, and holds them against the rules of keys.
///
/// - Threads: one.
final class ChangeCompiler {
  private final Table table;
  private final Scope scope;
  private final List<Restriction> where = new ArrayList<>();
  private List<KeyRestriction> keys = List.of();
  private final List<Operation> operations = new ArrayList<>();

  /// @param variables of the statement so far
  ChangeCompiler(Table table, List<Variable> variables) {
    this.table = table;
    this.scope = new Scope(table, variables);
  }

  RowChangePlan compile(Change change) {
    return switch (change) {
      case Change.Insert insert -> insert(insert);
      case Change.Update update -> update(update);
      case Change.Delete delete -> delete(delete);
    };
  }

  /// An INSERT of a whole row, which may lack columns of its key.
  RowChangePlan compileRow(Change.Insert insert) {
    if (insert.json() == null) {
      readColumns(insert);
    }
    return inserted(insert);
  }

  private RowChangePlan insert(Change.Insert insert) {
    if (table.isCounter()) {
      throw CqlException.invalid(
          "INSERT statements are not allowed on counter tables, use UPDATE instead");
    }
    if (insert.json() == null) {
      readColumns(insert);
      requireInsertKey();
    }
    return inserted(insert);
  }

  private RowChangePlan inserted(Change.Insert insert) {
    JsonRow json = null;
    if (insert.json() != null) {
      Value text = new Compiler(scope, false).compile(insert.json(), NativeType.TEXT, "[json]");
      json = new JsonRow(table, text, insert.defaultUnset());
    }
    Times times = times(insert.using(), insert.condition());
    Condition guard = guard(insert.condition());
    return new RowChangePlan(table, How.INSERT, where, keys, operations, times, guard, json);
  }

  private void readColumns(Change.Insert insert) {
    if (insert.columns().size() != insert.values().size()) {
      throw CqlException.invalid("Unmatched column names/values");
    }
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < insert.columns().size(); i++) {
      String name = insert.columns().get(i);
      Column column = table.columns().get(scope.require(name));
      Expression value = insert.values().get(i);
      if (!seen.add(name)) {
        throw CqlException.invalid("The column names contains duplicates");
      }
      if (column.isKey()) {
        where.add(Restriction.of(new Relation(name, null, null, Operator.EQ, value), scope));
      } else {
        Value compiled = new Compiler(scope, false).compile(value, column.type(), name);
        operations.add(Operation.put(column, compiled));
      }
    }
  }

  private void requireInsertKey() {
    WhereValidator rules = rules();
    rules.requireNamedRows("INSERT");
    boolean onlyStatics =
        !operations.isEmpty()
            && operations.stream().allMatch(each -> each.column().kind() == Kind.STATIC);
    List<String> missing = rules.missing(Kind.CLUSTERING);
    boolean none = missing.size() == table.of(Kind.CLUSTERING).size();
    if (!missing.isEmpty() && !(onlyStatics && none)) {
      throw CqlException.invalid(
          "Some clustering keys are missing: %s".formatted(String.join(", ", missing)));
    }
  }

  private WhereValidator rules() {
    return new WhereValidator(table, where, keys, false, false);
  }

  private RowChangePlan update(Change.Update update) {
    Times times = times(update.using(), update.condition());
    update.assignments().forEach(each -> operations.add(Operation.of(each, scope)));
    keys = KeyRestriction.all(update.where(), scope, where, "UPDATE");
    WhereValidator rules = rules();
    rules.requireNamedRows("UPDATE");
    Condition guard = guard(update.condition());
    boolean onlyStatics = isOnlyOfStatics(guard);
    if (onlyStatics) {
      requireNoRows(rules, "UPDATE");
    }
    if (rules.isSliced()) {
      throw CqlException.invalid(
          "Slice restrictions are not supported on the clustering columns in UPDATE statements");
    }
    List<String> missing = rules.missing(Kind.CLUSTERING);
    if (!onlyStatics && !missing.isEmpty()) {
      throw CqlException.invalid(
          "Some clustering keys are missing: %s".formatted(String.join(", ", missing)));
    }
    rules.requireOnlyKeys();
    return new RowChangePlan(table, How.UPDATE, where, keys, operations, times, guard, null);
  }

  /// True when only static columns are changed, and tested.
  private boolean isOnlyOfStatics(@Nullable Condition guard) {
    return operations.stream().allMatch(each -> each.column().kind() == Kind.STATIC)
        && !isOfRows(guard);
  }

  private boolean isOfRows(@Nullable Condition guard) {
    return guard != null
        && guard.tests().stream()
            .anyMatch(each -> table.columns().get(each.index()).kind() != Kind.STATIC);
  }

  private void requireNoRows(WhereValidator rules, String statement) {
    if (!operations.isEmpty() && rules.areOfRows()) {
      throw CqlException.invalid(
          ("Invalid restrictions on clustering columns since the %s statement modifies only static"
                  + " columns")
              .formatted(statement));
    }
  }

  private RowChangePlan delete(Change.Delete delete) {
    Times times = times(delete.using(), delete.condition());
    for (Change.Part part : delete.columns()) {
      operations.add(Operation.delete(part, scope));
    }
    keys = KeyRestriction.all(delete.where(), scope, where, "DELETE");
    WhereValidator rules = rules();
    rules.requireNamedRows("DELETE");
    Condition guard = guard(delete.condition(), "deletions");
    if (isOnlyOfStatics(guard)) {
      requireNoRows(rules, "DELETE");
    }
    rules.requireClustering();
    rules.requireOnlyKeys();
    boolean regular = operations.stream().anyMatch(each -> each.column().kind() == Kind.REGULAR);
    boolean wholeKey = rules.missing(Kind.CLUSTERING).isEmpty();
    boolean changesRows = operations.isEmpty() || regular;
    if (guard != null && changesRows && (rules.isSliced() || !wholeKey)) {
      throw CqlException.invalid(
          "DELETE statements must restrict all PRIMARY KEY columns with equality relations in order"
              + " to delete non static columns");
    }
    if (!operations.isEmpty() && (rules.isSliced() || (regular && !wholeKey))) {
      throw CqlException.invalid("Range deletions are not supported for specific columns");
    }
    if (guard != null && (rules.isSliced() || (isOfRows(guard) && !wholeKey))) {
      throw CqlException.invalid(
          "DELETE statements must restrict all PRIMARY KEY columns with equality relations in"
              + " order to use conditions on non static columns");
    }
    How how = operations.isEmpty() ? How.DELETE : How.UPDATE;
    return new RowChangePlan(table, how, where, keys, operations, times, guard, null);
  }

  /// When something is written, and for how long.
  record Times(@Nullable Value timestamp, @Nullable Value ttl) {}

  private Times times(Change.Using using, Change.If condition) {
    if (using.timestamp() != null && !condition.isAlways()) {
      throw CqlException.invalid("Cannot provide custom timestamp for conditional updates");
    }
    if (table.isCounter() && (using.timestamp() != null || using.ttl() != null)) {
      throw CqlException.invalid(
          "Cannot provide custom %s for counter updates"
              .formatted(using.timestamp() != null ? "timestamp" : "TTL"));
    }
    return times(using, scope);
  }

  static Times times(Change.Using using, Scope scope) {
    Compiler compiler = new Compiler(scope, false);
    Value timestamp =
        using.timestamp() == null
            ? null
            : compiler.compile(using.timestamp(), NativeType.BIGINT, "[timestamp]");
    Value ttl = using.ttl() == null ? null : compiler.compile(using.ttl(), NativeType.INT, "[ttl]");
    return new Times(timestamp, ttl);
  }

  /// The condition after IF.
  record Condition(boolean exists, boolean notExists, List<ColumnCondition> tests) {
    Condition {
      tests = List.copyOf(tests);
    }
  }

  private @Nullable Condition guard(Change.If condition) {
    return guard(condition, "updates");
  }

  /// @param changes the kind of the statement, for the message
  private @Nullable Condition guard(Change.If condition, String changes) {
    if (condition.isAlways()) {
      return null;
    }
    if (table.isCounter()) {
      throw CqlException.invalid("Conditional updates are not supported on counter tables");
    }
    for (Restriction each : where) {
      if (each.operator() == Operator.IN) {
        throw CqlException.invalid(
            "IN on the %s is not supported with conditional %s"
                .formatted(
                    each.column().kind() == Kind.PARTITION_KEY
                        ? "partition key"
                        : "clustering key columns",
                    changes));
      }
    }
    if (!keys.isEmpty()) {
      throw CqlException.invalid(
          "IN on the clustering key columns is not supported with conditional " + changes);
    }
    List<ColumnCondition> tests =
        condition.conditions().stream().map(each -> ColumnCondition.of(each, scope)).toList();
    return new Condition(condition.exists(), condition.notExists(), tests);
  }
}
