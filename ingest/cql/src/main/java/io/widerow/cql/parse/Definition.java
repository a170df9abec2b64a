package io.widerow.cql.parse;

import io.widerow.cql.parse.Statement.TableName;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A statement that changes the schema, as it is written. A closed set.
public sealed interface Definition extends Statement {
  /// The options after WITH: constants as texts, and maps of them.
  record Options(Map<String, String> texts, Map<String, Map<String, String>> maps) {
    public Options {
      texts = Map.copyOf(texts);
      maps = Map.copyOf(maps);
    }
  }

  /// CREATE KEYSPACE.
  record CreateKeyspace(String name, boolean unlessThere, Options options) implements Definition {}

  /// ALTER KEYSPACE.
  record AlterKeyspace(String name, boolean ifThere, Options options) implements Definition {}

  /// DROP KEYSPACE.
  record DropKeyspace(String name, boolean ifThere) implements Definition {}

  /// A column, or a field of a type.
  record ColumnName(String name, TypeName type, boolean isStatic) {}

  /// A column of CLUSTERING ORDER BY.
  record Direction(String column, boolean descending) {}

  /// CREATE TABLE.
  record CreateTable(
      TableName table,
      boolean unlessThere,
      List<ColumnName> columns,
      List<String> partition,
      List<String> clustering,
      List<Direction> order,
      Options options)
      implements Definition {
    public CreateTable {
      columns = List.copyOf(columns);
      partition = List.copyOf(partition);
      clustering = List.copyOf(clustering);
      order = List.copyOf(order);
    }
  }

  /// CREATE MATERIALIZED VIEW.
  ///
  /// @param columns empty for all
  /// @param where the conditions, IS NOT NULL too
  record CreateView(
      TableName view,
      boolean unlessThere,
      TableName base,
      List<String> columns,
      List<Where> where,
      List<String> partition,
      List<String> clustering,
      List<Direction> order,
      Options options)
      implements Definition {
    public CreateView {
      columns = List.copyOf(columns);
      where = List.copyOf(where);
      partition = List.copyOf(partition);
      clustering = List.copyOf(clustering);
      order = List.copyOf(order);
    }
  }

  /// ALTER MATERIALIZED VIEW.
  record AlterView(TableName view, boolean ifThere, Options options) implements Definition {}

  /// ALTER TABLE.
  record AlterTable(TableName table, boolean ifThere, Alteration alteration)
      implements Definition {}

  /// A kind of alteration. A closed set.
  sealed interface Alteration {
    /// ADD.
    record Add(List<ColumnName> columns, boolean unlessThere) implements Alteration {
      public Add {
        columns = List.copyOf(columns);
      }
    }

    /// DROP.
    ///
    /// @param timestamp in microseconds: later cells are shown when a column is added again; null
    ///   for the time of the change, which shows none
    record Drop(List<String> columns, boolean ifThere, @Nullable Long timestamp)
        implements Alteration {
      public Drop {
        columns = List.copyOf(columns);
      }
    }

    /// RENAME.
    record Rename(List<String> from, List<String> to) implements Alteration {
      public Rename {
        from = List.copyOf(from);
        to = List.copyOf(to);
      }
    }

    /// ALTER .. DROP MASKED.
    record Unmask(String column, boolean ifThere) implements Alteration {}

    /// WITH.
    record With(Options options) implements Alteration {}
  }

  /// DROP TABLE, or of a view.
  record DropTable(TableName table, boolean ifThere, boolean isView) implements Definition {}

  /// One target of CREATE INDEX.
  ///
  /// @param part `keys`, `values`, `entries` or `full`; empty for a column alone
  record IndexTarget(String column, String part) {}

  /// CREATE INDEX.
  ///
  /// @param custom whether CUSTOM is written
  /// @param index its name; null where none is written
  /// @param using the class; null for none
  /// @param options null for none
  record CreateIndex(
      boolean custom,
      boolean unlessThere,
      @Nullable String index,
      TableName table,
      List<IndexTarget> targets,
      @Nullable String using,
      @Nullable Map<String, String> options)
      implements Definition {
    public CreateIndex {
      targets = List.copyOf(targets);
      options = options == null ? null : Map.copyOf(options);
    }
  }

  /// DROP INDEX.
  record DropIndex(TableName index, boolean ifThere) implements Definition {}

  /// TRUNCATE.
  record Truncate(TableName table) implements Definition {}

  /// CREATE TYPE.
  record CreateType(TableName type, boolean unlessThere, List<ColumnName> fields)
      implements Definition {
    public CreateType {
      fields = List.copyOf(fields);
    }
  }

  /// ALTER TYPE.
  record AlterType(TableName type, boolean ifThere, Alteration alteration) implements Definition {}

  /// DROP TYPE.
  record DropType(TableName type, boolean ifThere) implements Definition {}
}
