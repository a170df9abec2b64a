package io.widerow.storage;

import io.widerow.event.AttributeName;
import java.util.Set;

/// Static analysis of filters, without an event.
public final class Filters {
  private Filters() {}

  /// Adds the attributes that a filter examines.
  public static void addColumns(Filter filter, Set<AttributeName> columns) {
    switch (filter) {
      case Filter.Everything() -> {}
      case Filter.And(var parts) -> parts.forEach(part -> addColumns(part, columns));
      case Filter.Or(var parts) -> parts.forEach(part -> addColumns(part, columns));
      case Filter.Not(Filter inner) -> addColumns(inner, columns);
      case Filter.Exists(var name) -> columns.add(name);
      case Filter.Compare(var name, _, _) -> columns.add(name);
      case Filter.Contains(var name, _) -> columns.add(name);
      case Filter.Has(var name, _) -> columns.add(name);
      case Filter.Matches(var name, _) -> columns.add(name);
    }
  }
}
