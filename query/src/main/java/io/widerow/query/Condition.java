package io.widerow.query;

import io.widerow.storage.Filter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The events that a query keeps: a filter on what is stored, and what follows its first pipe.
///
/// @param filter on stored attributes
/// @param derived fields that are made of attributes, and conditions on them; null for none
public record Condition(Filter filter, @Nullable DerivedFields derived) {
  /// A filter that keeps at least these events, for the store.
  Filter ofStore() {
    Filter required = derived == null ? new Filter.Everything() : derived.required();
    return required instanceof Filter.Everything
        ? filter
        : new Filter.And(List.of(filter, required));
  }
}
