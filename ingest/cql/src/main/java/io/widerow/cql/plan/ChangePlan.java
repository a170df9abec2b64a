package io.widerow.cql.plan;

import io.widerow.cql.CqlException;
import io.widerow.cql.change.ChangeGroup;
import io.widerow.cql.change.RowChange;
import io.widerow.cql.change.StoredResponse;
import io.widerow.cql.change.WriteCondition;
import io.widerow.cql.define.UserTables;
import io.widerow.cql.parse.Change;
import io.widerow.cql.parse.Statement;
import io.widerow.cql.plan.ChangeCompiler.Times;
import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.Column.Kind;
import io.widerow.cql.schema.RequestKey;
import io.widerow.cql.schema.Row;
import io.widerow.cql.schema.Table;
import io.widerow.cql.type.CellBuffer;
import io.widerow.cql.type.NativeType;
import io.widerow.cql.type.WireCodec;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;

/// Changes of rows: one, or a batch of them, which is made as a whole or not at all.
///
/// @param bundles each with variables of its own
record ChangePlan(UserTables tables, List<Bundle> bundles) implements Prepared {
  ChangePlan {
    bundles = List.copyOf(bundles);
  }

  /// Changes that were prepared together.
  ///
  /// @param times of the batch, for changes that have none
  record Bundle(List<RowChangePlan> changes, Times times, List<Variable> variables) {
    Bundle {
      changes = List.copyOf(changes);
      variables = List.copyOf(variables);
    }
  }

  private List<RowChangePlan> changes() {
    return bundles.stream().flatMap(bundle -> bundle.changes.stream()).toList();
  }

  /// @param table finds the table of a change
  static ChangePlan of(
      Change change, Function<Statement.TableName, Table> table, UserTables tables) {
    List<Variable> variables = new ArrayList<>();
    RowChangePlan plan = new ChangeCompiler(table.apply(change.table()), variables).compile(change);
    Times times = new Times(null, null);
    return new ChangePlan(tables, List.of(new Bundle(List.of(plan), times, variables)));
  }

  static ChangePlan of(
      Statement.Batch batch, Function<Statement.TableName, Table> table, UserTables tables) {
    List<Variable> variables = new ArrayList<>();
    Times times = new Times(null, null);
    if (batch.using().ttl() != null) {
      throw CqlException.invalid("Global TTL on the BATCH statement is not supported.");
    }
    if (!batch.changes().isEmpty()) {
      Table first = table.apply(batch.changes().getFirst().table());
      times = ChangeCompiler.times(batch.using(), new Scope(first, variables));
    }
    List<RowChangePlan> plans = new ArrayList<>();
    for (Change change : batch.changes()) {
      plans.add(new ChangeCompiler(table.apply(change.table()), variables).compile(change));
    }
    requireBatch(batch.kind(), plans, times.timestamp() != null);
    return new ChangePlan(tables, List.of(new Bundle(plans, times, variables)));
  }

  /// A batch of statements that were prepared one by one.
  static ChangePlan of(Statement.Batch.Kind kind, List<ChangePlan> parts, UserTables tables) {
    List<Bundle> all = parts.stream().flatMap(part -> part.bundles.stream()).toList();
    ChangePlan plan = new ChangePlan(tables, all);
    requireBatch(kind, plan.changes(), false);
    return plan;
  }

  /// @throws CqlException when the changes cannot be one batch
  private static void requireBatch(
      Statement.Batch.Kind kind, List<RowChangePlan> changes, boolean timed) {
    boolean counters = changes.stream().anyMatch(each -> each.table().isCounter());
    boolean others = changes.stream().anyMatch(each -> !each.table().isCounter());
    if (counters && kind == Statement.Batch.Kind.LOGGED) {
      throw CqlException.invalid("Cannot include a counter statement in a logged batch");
    }
    if (others && kind == Statement.Batch.Kind.COUNTER) {
      throw CqlException.invalid("Cannot include non-counter statement in a counter batch");
    }
    if (counters && others) {
      throw CqlException.invalid(
          "Counter and non-counter mutations cannot exist in the same batch");
    }
    boolean conditional = changes.stream().anyMatch(each -> each.guard() != null);
    if (timed && conditional) {
      throw CqlException.invalid("Cannot provide custom timestamp for conditional BATCH");
    }
    if (timed && counters) {
      throw CqlException.invalid("Cannot provide custom timestamp for counter BATCH");
    }
    if (timed && changes.stream().anyMatch(each -> each.times().timestamp() != null)) {
      throw CqlException.invalid("Timestamp must be set either on BATCH or individual statements");
    }
    if (conditional && changes.stream().map(RowChangePlan::table).distinct().count() > 1) {
      throw CqlException.invalid("Batch with conditions cannot span multiple tables");
    }
  }

  @Override
  public Need need() {
    boolean tells = changes().stream().anyMatch(each -> each.guard() != null);
    return tells ? Need.READ_AND_WRITE : Need.WRITE;
  }

  @Override
  public List<Integer> partitionKey() {
    List<RowChangePlan> changes = changes();
    return changes.size() == 1 ? changes.getFirst().partitionKey() : List.of();
  }

  @Override
  public List<Variable> variables() {
    return bundles.stream().flatMap(bundle -> bundle.variables.stream()).toList();
  }

  @Override
  public List<Variable> columns() {
    return List.of();
  }

  @Override
  public QueryRows execute(StatementExecution execution) {
    List<RowChange> all = new ArrayList<>();
    int next = 0;
    Bound.Elements elements = new Bound.Elements();
    for (Bundle bundle : bundles) {
      Bound bound =
          Bound.part(bundle.variables, execution.values(), next, bundles.size() == 1, elements);
      next += bundle.variables.size();
      Long own = RowChangePlan.timestamp(bundle.times, bound);
      for (RowChangePlan change : bundle.changes) {
        all.add(change.bind(bound, own == null ? execution.timestamp() : own));
      }
    }
    if (all.isEmpty()) {
      return new QueryRows.Done();
    }
    boolean conditional = all.stream().anyMatch(each -> each.guard() != null);
    RequestKey request = execution.request();
    ChangeGroup.Once once =
        request == null
            ? null
            : new ChangeGroup.Once(
                request,
                outcome -> conditional ? kept(conditional(outcome)) : StoredResponse.NOTHING);
    ChangeGroup.Outcome outcome = tables.write(all, once);
    execution
        .asker()
        .trace(() ->
            "Changes of %d rows or ranges are %s"
                .formatted(all.size(), outcome.applied() ? "on disk" : "not applied"));
    if (outcome.kept() != null) {
      return new QueryRows.Repeat(first(outcome.kept()));
    }
    return conditional ? conditional(outcome) : new QueryRows.Done();
  }

  private static StoredResponse kept(QueryRows.Rows rows) {
    List<String> names = rows.columns().stream().map(Variable::name).toList();
    return new StoredResponse(names, rows.count(), rows.cells());
  }

  /// The response that was kept, without columns that were dropped since.
  private QueryRows first(StoredResponse kept) {
    if (kept.columns().isEmpty()) {
      return new QueryRows.Done();
    }
    Variable applied = applied();
    Table table = changes().getFirst().table();
    StoredResponse left = kept.with(name -> name.equals(applied.name()) || table.find(name) >= 0);
    List<Variable> columns = new ArrayList<>();
    for (String name : left.columns()) {
      columns.add(name.equals(applied.name()) ? applied : variable(table, table.find(name)));
    }
    return new QueryRows.Rows(columns, left.count(), left.cells(), null);
  }

  private static Variable variable(Table table, int index) {
    Column column = table.columns().get(index);
    return new Variable(table.keyspace(), table.name(), column.name(), column.type());
  }

  private Variable applied() {
    Table table = changes().getFirst().table();
    return new Variable(table.keyspace(), table.name(), "[applied]", NativeType.BOOLEAN);
  }

  /// `[applied]`, and the existing rows when it is false.
  private QueryRows.Rows conditional(ChangeGroup.Outcome outcome) {
    List<Integer> shown = shown(outcome.found());
    Set<Integer> readStatics = readStatics(outcome.found());
    List<ChangeGroup.Found> found =
        outcome.shown().stream().filter(each -> isShown(each, readStatics)).toList();
    List<Variable> columns = new ArrayList<>(List.of(applied()));
    CellBuffer cells = new CellBuffer(64);
    if (outcome.applied() || found.isEmpty()) {
      WireCodec.putCell(NativeType.BOOLEAN, outcome.applied(), cells);
      return new QueryRows.Rows(columns, 1, cells, null);
    }
    Table table = found.getFirst().change().table();
    shown.forEach(index -> columns.add(variable(table, index)));
    for (ChangeGroup.Found each : found) {
      Row row = Objects.requireNonNull(each.row());
      WireCodec.putCell(NativeType.BOOLEAN, false, cells);
      for (int index : shown) {
        if (table.columns().get(index).kind() != Kind.STATIC || readStatics.contains(index)) {
          row.put(index, cells);
        } else {
          cells.putNull();
        }
      }
    }
    return new QueryRows.Rows(columns, found.size(), cells, null);
  }

  /// The static columns to return: all of them when a change with a condition writes some, else the
  /// tested ones, as in Cassandra, which reads no others.
  private Set<Integer> readStatics(List<ChangeGroup.Found> found) {
    boolean writes =
        changes().stream()
            .filter(each -> each.guard() != null)
            .anyMatch(each ->
                each.json() != null
                    || each.operations().stream()
                        .anyMatch(operation -> operation.column().kind() == Kind.STATIC));
    Table table = changes().getFirst().table();
    Set<Integer> read = new HashSet<>();
    for (int i = 0; i < table.columns().size(); i++) {
      int index = i;
      boolean tested =
          found.stream()
              .map(each -> Objects.requireNonNull(each.change().guard()))
              .anyMatch(
                  guard -> !guard.exists() && !guard.notExists() && guard.shown().contains(index));
      if (table.columns().get(i).kind() == Kind.STATIC && (writes || tested)) {
        read.add(i);
      }
    }
    return read;
  }

  /// True for a row; static columns without a row are returned only when one of the columns that
  /// are read has a value.
  private static boolean isShown(ChangeGroup.Found found, Set<Integer> readStatics) {
    Row row = Objects.requireNonNull(found.row());
    return !found.isOfStatics() || readStatics.stream().anyMatch(index -> row.value(index) != null);
  }

  /// Of one change the columns that it tests; of a batch the key of each row before them.
  private List<Integer> shown(List<ChangeGroup.Found> found) {
    Table table = changes().getFirst().table();
    Set<Integer> shown = new LinkedHashSet<>();
    List<Integer> all = IntStream.range(0, table.columns().size()).boxed().toList();
    if (changes().size() > 1) {
      all.stream().filter(index -> table.columns().get(index).isKey()).forEach(shown::add);
    }
    for (ChangeGroup.Found each : found) {
      WriteCondition guard = Objects.requireNonNull(each.change().guard());
      if (guard.exists() || guard.notExists()) {
        return all;
      }
      shown.addAll(guard.shown());
    }
    return List.copyOf(shown);
  }
}
