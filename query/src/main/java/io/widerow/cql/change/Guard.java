package io.widerow.cql.change;

import io.widerow.cql.schema.Row;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// On what a change depends.
///
/// @param exists whether the row must be there
/// @param notExists whether it must not be there
/// @param test what else it must meet; gets null when there is no row
/// @param shown indexes of the columns that are told when it is not met
public record Guard(
    boolean exists, boolean notExists, Predicate<@Nullable Row> test, List<Integer> shown) {
  public Guard {
    shown = List.copyOf(shown);
  }

  boolean isMet(@Nullable Row row) {
    if (exists) {
      return row != null;
    }
    return notExists ? row == null : test.test(row);
  }
}
