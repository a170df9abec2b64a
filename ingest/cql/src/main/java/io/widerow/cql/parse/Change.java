package io.widerow.cql.parse;

import io.widerow.cql.parse.Statement.TableName;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A statement that changes rows, as it is written. A closed set.
public sealed interface Change extends Statement {
  /// Timestamp and time to live of the written cells.
  ///
  /// @param timestamp in microseconds; null for now
  /// @param ttl in seconds; null for that of the table
  record Using(@Nullable Expression timestamp, @Nullable Expression ttl) {
    static final Using NOTHING = new Using(null, null);
  }

  /// On what a change depends.
  ///
  /// @param exists whether the row must be there
  /// @param notExists whether it must not be there
  record If(boolean exists, boolean notExists, List<Relation> conditions) {
    static final If ALWAYS = new If(false, false, List.of());

    public If {
      conditions = List.copyOf(conditions);
    }

    /// True when it depends on nothing.
    public boolean isAlways() {
      return !exists && !notExists && conditions.isEmpty();
    }
  }

  /// @return the table that is changed
  TableName table();

  /// INSERT.
  ///
  /// @param columns empty for JSON
  /// @param json the whole row; null when there are columns
  /// @param defaultUnset whether columns that the JSON has not stay as they are
  record Insert(
      TableName table,
      List<String> columns,
      List<Expression> values,
      @Nullable Expression json,
      boolean defaultUnset,
      If condition,
      Using using)
      implements Change {
    public Insert {
      columns = List.copyOf(columns);
      values = List.copyOf(values);
    }
  }

  /// UPDATE.
  record Update(
      TableName table, Using using, List<Assignment> assignments, List<Where> where, If condition)
      implements Change {
    public Update {
      assignments = List.copyOf(assignments);
      where = List.copyOf(where);
    }
  }

  /// DELETE.
  ///
  /// @param columns columns and elements to delete from each row; empty for whole rows
  record Delete(TableName table, List<Part> columns, Using using, List<Where> where, If condition)
      implements Change {
    public Delete {
      columns = List.copyOf(columns);
      where = List.copyOf(where);
    }
  }

  /// A column, or a part of it.
  ///
  /// @param key of the element; null for none
  /// @param field of a type of users; null for none
  record Part(String column, @Nullable Expression key, @Nullable String field) {}

  /// One assignment of UPDATE.
  record Assignment(Part to, How how, Expression value) {}

  /// The operation of an assignment.
  enum How {
    SET,
    /// `c = c + v`.
    ADD,
    /// `c = v + c`.
    PREPEND,
    /// `c = c - v`.
    SUBTRACT
  }
}
