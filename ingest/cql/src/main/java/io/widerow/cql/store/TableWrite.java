package io.widerow.cql.store;

/// A change of tables that may depend on their current contents.
///
/// @param <T> the type of its result
@FunctionalInterface
public interface TableWrite<T> {
  /// Reads the rows that it needs and emits its mutations. It runs on the only thread that writes,
  /// so it must neither wait nor read more than a few rows.
  ///
  /// An exception leaves the tables as they were.
  ///
  /// @param before everything that was written before it; closed by the caller
  T run(TableView before, Mutations out);

  /// True when other mutations derive from the mutations of the last [#run].
  default boolean derives() {
    return false;
  }

  /// Adds what follows from the mutations of [#run] to their group. It is called after it, on its
  /// thread and under its rules, when [#derives] is true.
  ///
  /// @param after the state of the tables with these mutations; closed by the caller
  default void derive(TableView before, TableView after, Mutations out) {}
}
