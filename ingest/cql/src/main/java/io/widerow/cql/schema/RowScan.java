package io.widerow.cql.schema;

import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Which rows of a table are read, and in which order.
///
/// @param conditions that every row meets
/// @param limits on keys, which every row meets too
/// @param uses the columns that the result reads; conditions may read more
/// @param descending against the order of the clustering columns
/// @param after the position after which it continues; null for the start
public record RowScan(
    List<RowCondition> conditions,
    KeyLimits limits,
    List<Use> uses,
    boolean descending,
    @Nullable ByteBuffer after) {
  public RowScan {
    conditions = List.copyOf(conditions);
    uses = List.copyOf(uses);
  }
}
