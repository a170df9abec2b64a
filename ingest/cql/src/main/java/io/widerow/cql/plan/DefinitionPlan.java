package io.widerow.cql.plan;

import io.widerow.cql.CqlException;
import io.widerow.cql.define.SchemaChange;
import io.widerow.cql.define.UserTables;
import io.widerow.cql.parse.Definition;
import io.widerow.cql.parse.KeyRelation;
import io.widerow.cql.parse.Relation;
import io.widerow.cql.parse.Relation.Operator;
import io.widerow.cql.parse.Where;
import io.widerow.cql.schema.CqlKeyspace;
import io.widerow.cql.schema.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// A change of the schema.
///
/// @param inUse the keyspace of names without one; null for none
record DefinitionPlan(UserTables tables, Definition definition, @Nullable String inUse)
    implements Prepared {
  @Override
  public Need need() {
    return Need.SCHEMA;
  }

  @Override
  public QueryRows execute(StatementExecution execution) {
    execution.requireNoKey("it is for INSERT, UPDATE, DELETE and BATCH, not for the schema");
    if (definition instanceof Definition.CreateView create) {
      requireConditions(create);
    }
    AtomicBoolean cancelled = new AtomicBoolean();
    execution.asker().onCancel().accept(() -> cancelled.set(true));
    SchemaChange change = tables.change(definition, inUse, cancelled::get);
    return change == null || definition instanceof Definition.Truncate
        ? new QueryRows.Done()
        : new QueryRows.SchemaChanged(change);
  }

  /// The conditions of a view are those of a SELECT with ALLOW FILTERING, and IS NOT NULL.
  private void requireConditions(Definition.CreateView create) {
    String named = create.base().keyspace();
    CqlKeyspace keyspace = tables.schema().find(named == null ? String.valueOf(inUse) : named);
    Table base = keyspace == null ? null : keyspace.find(create.base().table());
    if (base == null) {
      return; // is refused later
    }
    Scope scope = new Scope(base);
    List<Restriction> where = new ArrayList<>();
    List<Where> others = new ArrayList<>();
    for (Where each : create.where()) {
      if (each instanceof Relation relation && relation.operator() == Operator.IS_NOT) {
        int _ = scope.require(relation.column());
        if (relation.key() != null || relation.field() != null) {
          throw CqlException.invalid("Unsupported restriction: %s".formatted(relation));
        }
      } else if (each instanceof KeyRelation relation && relation.token()) {
        return; // is refused later
      } else {
        others.add(each);
      }
    }
    List<KeyRestriction> several = KeyRestriction.all(others, scope, where);
    if (!scope.variables().isEmpty()) {
      throw CqlException.invalid(
          "Bind variables are not allowed in CREATE MATERIALIZED VIEW statements");
    }
    new WhereValidator(base, where, several, true, false).requireConditions();
    Bound bound = new Bound(List.of(), List.of());
    where.forEach(restriction -> restriction.bind(bound));
    several.forEach(restriction -> restriction.tuple(bound));
  }
}
