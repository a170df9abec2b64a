package io.widerow.cql.parse;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// A statement as it is written. A closed set.
public sealed interface Statement {
  /// A question.
  ///
  /// @param selectors what is shown; empty for `*`
  /// @param limit null for none
  record Select(
      boolean json,
      boolean distinct,
      List<Selector> selectors,
      TableName from,
      List<Relation> where,
      List<String> groupBy,
      List<Ordering> orderBy,
      @Nullable Expression perPartitionLimit,
      @Nullable Expression limit,
      boolean allowFiltering)
      implements Statement {
    public Select {
      selectors = List.copyOf(selectors);
      where = List.copyOf(where);
      groupBy = List.copyOf(groupBy);
      orderBy = List.copyOf(orderBy);
    }
  }

  /// The keyspace of statements that name none.
  record Use(String keyspace) implements Statement {}

  /// What there is, as statements that would make it.
  ///
  /// @param what is described
  /// @param keyspace of the table, or the keyspace; null for that in use
  /// @param name of the table; null when it is none
  record Describe(What what, @Nullable String keyspace, @Nullable String name)
      implements Statement {
    /// What can be described.
    public enum What {
      KEYSPACES,
      TABLES,
      TYPES,
      FUNCTIONS,
      AGGREGATES,
      CLUSTER,
      SCHEMA,
      KEYSPACE,
      TABLE,
      /// A keyspace or a table, as there is one.
      ANYTHING
    }
  }

  /// A statement that changes rows or the schema, which cannot be done yet; only its first words
  /// are read.
  ///
  /// @param words such as `INSERT` and `CREATE TABLE`
  record Change(String words) implements Statement {}

  /// One column of the answer.
  ///
  /// @param alias its name; null for the expression's own
  record Selector(Expression expression, @Nullable String alias) {}

  /// The name of a table.
  ///
  /// @param keyspace null for that in use
  record TableName(@Nullable String keyspace, String table) {}

  /// One column of ORDER BY.
  record Ordering(String column, boolean descending) {}
}
