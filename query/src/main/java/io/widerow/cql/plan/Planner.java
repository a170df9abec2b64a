package io.widerow.cql.plan;

import io.widerow.cql.CqlException;
import io.widerow.cql.parse.Parser;
import io.widerow.cql.parse.Statement;
import io.widerow.cql.schema.Catalog;
import io.widerow.cql.schema.Schema;
import io.widerow.cql.schema.Table;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Makes statements ready to be executed.
///
/// - Threads: any.
public final class Planner {
  private final Catalog catalog;

  public Planner(Catalog catalog) {
    this.catalog = catalog;
  }

  /// @param keyspace of tables without one; null for none
  /// @throws CqlException when the text is no statement, or none that can be answered
  public Prepared prepare(String text, @Nullable String keyspace) {
    return switch (Parser.parse(text)) {
      case Statement.Select select -> select(select, keyspace);
      case Statement.Use(String name) -> new UsePlan(catalog.schema().keyspace(name).name());
      case Statement.Describe describe -> DescribePlan.of(describe, catalog.schema(), keyspace);
      case Statement.Change(String words) -> throw readsOnly(words);
    };
  }

  /// The refusal of what would change something.
  ///
  /// @param words such as `INSERT`
  public static CqlException readsOnly(String words) {
    return CqlException.invalid(
        words
            + ": CQL reads here, and does not write: tables are not there yet, and events come in"
            + " over the other protocols");
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
    public List<Variable> variables() {
      return List.of();
    }

    @Override
    public List<Variable> columns() {
      return List.of();
    }

    @Override
    public Answer execute(Execution execution) {
      return new Answer.KeyspaceInUse(keyspace);
    }
  }
}
