package io.widerow.cql.plan;

import java.util.List;

/// A statement that is ready to be executed.
///
/// - Threads: any; immutable.
public interface Prepared {
  /// The variables for which an execution has values.
  default List<Variable> variables() {
    return List.of();
  }

  /// Which of the variables are the columns of the partition key, in its order; empty when one of
  /// these has none.
  default List<Integer> partitionKey() {
    return List.of();
  }

  /// The columns of its rows; empty when it returns none.
  default List<Variable> columns() {
    return List.of();
  }

  /// What a client is warned of with each response.
  default List<String> warnings() {
    return List.of();
  }

  /// The permission that a client needs to execute it.
  default Need need() {
    return Need.READ;
  }

  /// The kind of a statement.
  enum Need {
    /// They show only what there is, and no rows of users.
    NOTHING,
    READ,
    WRITE,
    /// They write, and return existing rows.
    READ_AND_WRITE,
    SCHEMA
  }

  /// @throws io.widerow.cql.CqlException when it cannot be executed
  QueryRows execute(StatementExecution execution);
}
