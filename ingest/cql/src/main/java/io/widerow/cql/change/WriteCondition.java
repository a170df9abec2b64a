package io.widerow.cql.change;

import io.widerow.cql.schema.Row;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// On what a change depends.
///
/// @param exists whether the row must be there
/// @param notExists whether it must not be there
/// @param test what else it must meet; gets the static columns of the partition when there is no
///   row, and null when there are none either
/// @param shown indexes of the columns that are returned when it is not met
public record WriteCondition(
    boolean exists, boolean notExists, Predicate<@Nullable Row> test, List<Integer> shown) {
  public WriteCondition {
    shown = List.copyOf(shown);
  }

  /// @param row the row of the change; null when it is not there
  /// @param seen the row to test
  boolean isMet(@Nullable Row row, @Nullable Row seen) {
    if (exists) {
      return row != null;
    }
    return notExists ? row == null : test.test(seen);
  }
}
