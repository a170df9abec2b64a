package io.widerow.query.fields;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The counts of the fields of events: of the types, and of each attribute.
///
/// - Threads: one.
/// - Memory: the values of at most [#FIELDS_MAX] attributes.
final class FieldTable {
  static final int FIELDS_MAX = 1_000;

  private static final long FIELD_BYTES = 512;

  private final Map<AttributeName, FieldCounts> fields = new HashMap<>();
  private final FieldCounts types = new FieldCounts();
  private final long[] events = new long[2]; // by column
  private boolean more;
  private long grown;

  /// Counts events, whatever they have.
  void events(int column, long count) {
    events[column] += count;
  }

  /// Counts events of a type.
  void type(AttributeValue type, int column, long count) {
    types.add(type, column, count);
    grown += types.grown();
  }

  /// Counts events that have a value of an attribute.
  void value(AttributeName name, AttributeValue value, int column, long count) {
    FieldCounts counts = of(name);
    if (counts != null) {
      counts.add(value, column, count);
      grown += counts.grown();
    }
  }

  private @Nullable FieldCounts of(AttributeName name) {
    FieldCounts counts = fields.get(name);
    if (counts == null) {
      if (fields.size() == FIELDS_MAX) {
        more = true;
        return null;
      }
      counts = new FieldCounts();
      fields.put(name, counts);
      grown += FIELD_BYTES;
    }
    return counts;
  }

  /// Adds what another table has, whatever its column was.
  void addAll(FieldTable other, int column) {
    events[column] += other.events(ValueCounts.REST) + other.events(ValueCounts.PICKED);
    more |= other.more;
    types.addAll(other.types, column);
    grown += types.grown();
    other.fields.forEach((name, counts) -> add(name, counts, column));
  }

  /// Adds the types of another table alone.
  void addTypes(FieldTable other, int column) {
    events[column] += other.events(ValueCounts.REST) + other.events(ValueCounts.PICKED);
    types.addAll(other.types, column);
    grown += types.grown();
  }

  /// Adds one attribute of another table.
  void addOne(FieldTable other, AttributeName name, int column) {
    events[column] += other.events(ValueCounts.REST) + other.events(ValueCounts.PICKED);
    FieldCounts counts = other.fields.get(name);
    if (counts != null) {
      add(name, counts, column);
    }
  }

  private void add(AttributeName name, FieldCounts counts, int column) {
    FieldCounts to = of(name);
    if (to != null) {
      to.addAll(counts, column);
      grown += to.grown();
    }
  }

  Map<AttributeName, FieldCounts> fields() {
    return Collections.unmodifiableMap(fields);
  }

  FieldCounts types() {
    return types;
  }

  long events(int column) {
    return events[column];
  }

  /// True when there are more attributes than are counted.
  boolean hasMore() {
    return more;
  }

  /// True when all is counted that its events have of an attribute, so that none means none.
  boolean tells(AttributeName name) {
    return !name.equals(AttributeName.BODY) && (!more || fields.containsKey(name));
  }

  /// Bytes allocated since the last call.
  long takeGrown() {
    long bytes = grown;
    grown = 0;
    return bytes;
  }
}
