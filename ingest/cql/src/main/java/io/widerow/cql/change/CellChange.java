package io.widerow.cql.change;

import io.widerow.cql.schema.Column;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The change of one column of a row. A closed set.
public sealed interface CellChange {
  Column column();

  /// A new value for the whole column; null leaves none. Elements of the same time stay.
  record Put(Column column, @Nullable Object value) implements CellChange {}

  /// The whole column goes, elements of the same time too.
  record Delete(Column column) implements CellChange {}

  /// More elements: of a set, of a map, at the end of a list.
  record Add(Column column, Object value) implements CellChange {}

  /// More elements at the beginning of a list.
  record Prepend(Column column, List<?> values) implements CellChange {}

  /// Elements that go: values of a set or a list, keys of a map.
  record Remove(Column column, Iterable<?> values) implements CellChange {}

  /// The value of a key of a map, or of an index of a list; null deletes it.
  record PutElement(Column column, Object key, @Nullable Object value) implements CellChange {}

  /// One field of a type of users; null deletes it.
  record PutField(Column column, int field, @Nullable Object value) implements CellChange {}

  /// A counter counts.
  record Count(Column column, long by) implements CellChange {}
}
