package io.widerow.cql.parse;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// A statement as it is written. A closed set.
public sealed interface Statement
    permits Statement.Select,
        Statement.Use,
        Statement.Describe,
        Statement.Unknown,
        Statement.Batch,
        Change,
        Definition {
  /// SELECT.
  ///
  /// @param selectors the selected expressions; empty for `*`
  /// @param limit null for none
  record Select(
      boolean json,
      boolean distinct,
      List<Selector> selectors,
      TableName from,
      List<Where> where,
      List<Expression> groupBy,
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

  /// Describes the schema, as statements that would create it.
  ///
  /// @param what the kind to describe
  /// @param keyspace of the table, or the keyspace; null for that in use
  /// @param name of the table; null when it is none
  record Describe(What what, @Nullable String keyspace, @Nullable String name)
      implements Statement {
    /// The objects that can be described.
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
      INDEX,
      VIEW,
      TYPE,
      /// A keyspace, a table or an index, as there is one.
      ANYTHING
    }
  }

  /// A statement that this server has not; only its first words are read.
  ///
  /// @param words such as `CREATE FUNCTION`
  record Unknown(String words) implements Statement {}

  /// Changes that are made together.
  record Batch(Kind kind, Change.Using using, List<Change> changes) implements Statement {
    public Batch {
      changes = List.copyOf(changes);
    }

    /// The kind that the batch declares. All are atomic here.
    public enum Kind {
      LOGGED,
      UNLOGGED,
      COUNTER
    }
  }

  /// One column of the result.
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
