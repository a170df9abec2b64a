package io.widerow.cql.plan;

import io.widerow.cql.define.SchemaChange;
import io.widerow.cql.define.Tables;
import io.widerow.cql.parse.Definition;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// A change of the schema.
///
/// @param inUse the keyspace of names without one; null for none
record DefinitionPlan(Tables tables, Definition definition, @Nullable String inUse)
    implements Prepared {
  @Override
  public Need need() {
    return Need.SCHEMA;
  }

  @Override
  public Answer execute(Execution execution) {
    execution.requireNoKey("it is for INSERT, UPDATE, DELETE and BATCH, not for the schema");
    AtomicBoolean cancelled = new AtomicBoolean();
    execution.asker().onCancel().accept(() -> cancelled.set(true));
    SchemaChange change = tables.change(definition, inUse, cancelled::get);
    return change == null || definition instanceof Definition.Truncate
        ? new Answer.Done()
        : new Answer.SchemaChanged(change);
  }
}
