package io.widerow.cql.plan;

import io.widerow.cql.define.SchemaChange;
import io.widerow.cql.define.Tables;
import io.widerow.cql.parse.Definition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A change of the schema.
///
/// @param inUse the keyspace of names without one; null for none
record DefinitionPlan(Tables tables, Definition definition, @Nullable String inUse)
    implements Prepared {
  @Override
  public List<Variable> variables() {
    return List.of();
  }

  @Override
  public List<Variable> columns() {
    return List.of();
  }

  @Override
  public Need need() {
    return Need.SCHEMA;
  }

  @Override
  public Answer execute(Execution execution) {
    SchemaChange change = tables.change(definition, inUse);
    return change == null || definition instanceof Definition.Truncate
        ? new Answer.Done()
        : new Answer.SchemaChanged(change);
  }
}
