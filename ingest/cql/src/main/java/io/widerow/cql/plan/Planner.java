package io.widerow.cql.plan;

import io.widerow.cql.CqlException;
import io.widerow.cql.define.UserTables;
import io.widerow.cql.parse.Change;
import io.widerow.cql.parse.Definition;
import io.widerow.cql.parse.Parser;
import io.widerow.cql.parse.Statement;
import io.widerow.cql.schema.CqlCatalog;
import io.widerow.cql.schema.CqlKeyspace;
import io.widerow.cql.schema.RowSource;
import io.widerow.cql.schema.Schema;
import io.widerow.cql.schema.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Makes statements ready to be executed.
///
/// - Threads: any.
public final class Planner {
  private static final Pattern FIRST =
      Pattern.compile(
          "insert|update|delete|begin|truncate|(?:create|alter|drop)\\s+\\w+",
          Pattern.CASE_INSENSITIVE);

  private final CqlCatalog catalog;
  private final @Nullable UserTables tables;

  /// Of statements that only read.
  public Planner(CqlCatalog catalog) {
    this(catalog, null);
  }

  /// @param tables of users; null when there can be none
  public Planner(CqlCatalog catalog, @Nullable UserTables tables) {
    this.catalog = catalog;
    this.tables = tables;
  }

  /// @param keyspace of tables without one; null for none
  /// @throws CqlException when the text is no statement, or none that can be answered
  public Prepared prepare(String text, @Nullable String keyspace) {
    Statement parsed = Parser.parse(text);
    List<Change> taken = taken(parsed, keyspace);
    if (!taken.isEmpty()) {
      return TakePlan.of(taken, source(taken.getFirst(), keyspace));
    }
    if (tables == null && isChange(parsed)) {
      throw readsOnly(
          FIRST.matcher(text).results().findFirst().map(each -> each.group()).orElse(""));
    }
    return switch (parsed) {
      case Statement.Select select -> select(select, keyspace);
      case Statement.Use(String name) -> new UsePlan(catalog.schema().keyspace(name).name());
      case Statement.Describe describe -> DescribePlan.of(describe, catalog.schema(), keyspace);
      case Statement.Unknown(String words) ->
          throw CqlException.invalid("%s is not in the language here".formatted(words));
      case Change change -> ChangePlan.of(change, name -> table(name, keyspace), tables());
      case Statement.Batch batch -> ChangePlan.of(batch, name -> table(name, keyspace), tables());
      case Definition definition -> new DefinitionPlan(tables(), definition, keyspace);
    };
  }

  /// The changes of a statement when they are of a table that takes whole rows; else none.
  private List<Change> taken(Statement statement, @Nullable String keyspace) {
    List<Change> changes =
        switch (statement) {
          case Change change -> List.of(change);
          case Statement.Batch batch -> batch.changes();
          default -> List.of();
        };
    List<Boolean> taken = changes.stream().map(each -> isTaken(each, keyspace)).toList();
    if (!taken.contains(true)) {
      return List.of();
    }
    if (statement instanceof Statement.Batch batch) {
      TakePlan.requireBatch(batch.kind(), taken);
      if (batch.using().timestamp() != null || batch.using().ttl() != null) {
        throw CqlException.invalid(
            "USING is not for a batch of events: the time of an event is that of its id");
      }
    }
    return changes;
  }

  private boolean isTaken(Change change, @Nullable String keyspace) {
    String named = change.table().keyspace();
    CqlKeyspace found = catalog.schema().find(named == null ? String.valueOf(keyspace) : named);
    Table table = found == null ? null : found.find(change.table().table());
    return table != null && table.stored() == null && catalog.source(table).taker() != null;
  }

  private RowSource source(Change change, @Nullable String keyspace) {
    String named = change.table().keyspace();
    return catalog.source(
        catalog.schema().table(named == null ? keyspace : named, change.table().table()));
  }

  private static boolean isChange(Statement statement) {
    return statement instanceof Change
        || statement instanceof Definition
        || statement instanceof Statement.Batch;
  }

  /// A batch of statements that were prepared one by one.
  ///
  /// @throws CqlException when they cannot be one batch
  public Prepared batch(Statement.Batch.Kind kind, List<Prepared> statements) {
    List<TakePlan> taken = new ArrayList<>();
    statements.forEach(each -> {
      if (each instanceof TakePlan plan) {
        taken.add(plan);
      }
    });
    if (!taken.isEmpty()) {
      TakePlan.requireBatch(
          kind, statements.stream().map(each -> each instanceof TakePlan).toList());
      return TakePlan.of(kind, taken);
    }
    List<ChangePlan> changes = new ArrayList<>();
    for (Prepared statement : statements) {
      if (!(statement instanceof ChangePlan change)) {
        throw CqlException.invalid(
            "Invalid statement in batch: only UPDATE, INSERT and DELETE statements are allowed.");
      }
      changes.add(change);
    }
    return ChangePlan.of(kind, changes, tables());
  }

  private UserTables tables() {
    if (tables == null) {
      throw readsOnly("BATCH");
    }
    return tables;
  }

  /// The table that a statement changes.
  private Table table(Statement.TableName name, @Nullable String inUse) {
    Table table =
        catalog.schema().table(name.keyspace() == null ? inUse : name.keyspace(), name.table());
    if (table.stored() == null && catalog.source(table).isOrdered()) {
      throw CqlException.invalid(
          "%s takes no changes by CQL: events arrive over other protocols, and retention decides"
                  .formatted(table.qualified())
              + " how long they are kept");
    }
    if (table.stored() == null) {
      throw new CqlException(
          CqlException.Code.UNAUTHORIZED,
          "%s keyspace is not user-modifiable.".formatted(table.keyspace()));
    }
    if (table.view() != null) {
      throw CqlException.invalid("Cannot directly modify a materialized view");
    }
    return table;
  }

  /// The refusal of what would change something.
  ///
  /// @param words such as `INSERT`
  public static CqlException readsOnly(String words) {
    return CqlException.invalid(
        words.toUpperCase(Locale.ROOT)
            + ": CQL only reads here: a store on a cluster has no tables,"
            + " and events arrive over the other protocols");
  }

  private Prepared select(Statement.Select select, @Nullable String keyspace) {
    String named = select.from().keyspace();
    Schema schema = catalog.schema();
    Table table = schema.table(named == null ? keyspace : named, select.from().table());
    return SelectPlan.of(select, catalog.source(table));
  }

  /// USE.
  private record UsePlan(String keyspace) implements Prepared {
    @Override
    public Need need() {
      return Need.NOTHING;
    }

    @Override
    public QueryRows execute(StatementExecution execution) {
      return new QueryRows.KeyspaceInUse(keyspace);
    }
  }
}
