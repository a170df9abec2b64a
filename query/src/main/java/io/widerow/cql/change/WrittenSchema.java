package io.widerow.cql.change;

import io.widerow.cql.schema.Table;
import io.widerow.table.Mutations;
import io.widerow.table.TableView;
import java.util.List;

/// The schema that the running write finds.
///
/// - Threads: that of the writes.
public interface WrittenSchema {
  /// True when a table is still in it.
  boolean isThere(Table table);

  /// The materialized views that follow a table, those that are being filled too.
  List<ViewWriter> views(Table table);

  /// The time of what is written to views: later than all before it, also before a restart and
  /// whatever the clock says. It is two microseconds later at least.
  ///
  /// @param before what was written before the group
  /// @param out gets what keeps it so after a restart; begins a row of its own
  long viewTime(TableView before, Mutations out);
}
