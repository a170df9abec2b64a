package io.widerow.cql.change;

import io.widerow.cql.schema.Table;
import io.widerow.cql.store.Mutations;
import io.widerow.cql.store.TableView;
import java.util.List;

/// The schema that the running write finds.
///
/// - Threads: that of the writes.
public interface WrittenSchema {
  /// True when a table is still in it.
  boolean isThere(Table table);

  /// The materialized views and the indexes of a table, including the ones that are being filled.
  List<RowDerivation> derivations(Table table);

  /// The time of the next writes to views and indexes. It is at least two microseconds later than
  /// all times before it, also across a restart and whatever the clock reads.
  ///
  /// @param before the rows that were written before the group
  /// @param out gets the cells that keep this order after a restart; begins a row of its own
  long viewTime(TableView before, Mutations out);
}
