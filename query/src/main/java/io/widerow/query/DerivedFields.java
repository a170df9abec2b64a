package io.widerow.query;

import io.widerow.event.AttributeName;
import io.widerow.event.EventView;
import io.widerow.storage.Filter;
import io.widerow.storage.Grouping;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Fields that a query makes of the attributes of each event that its filter keeps, and conditions
/// on them: what follows the first pipe of a filter.
///
/// - Threads: any; immutable.
public interface DerivedFields {
  /// The attributes of an event that are looked at.
  Set<AttributeName> columns();

  /// A filter that keeps at least the events that [Making#of] keeps, for the store.
  Filter required();

  /// The same, and one more condition, on fields that are made too.
  DerivedFields where(Filter further);

  /// The grouping by which the store may combine events that have the same fields; null when each
  /// event must be seen.
  ///
  /// @param wanted of the query, by fields that may be made
  default @Nullable Grouping grouping(Grouping wanted) {
    return null;
  }

  /// Begins to read events.
  Making begin();

  /// Makes the fields of one event after the other.
  ///
  /// - Threads: one.
  @FunctionalInterface
  interface Making {
    /// The event with its fields, until the next call; null when a condition does not keep it.
    @Nullable EventView of(EventView event);
  }
}
