package io.widerow.ingest.transform;

import io.widerow.event.AddedFields;
import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import java.util.ArrayList;
import java.util.List;

/// A few values with their names, to be added to an event.
///
/// - Threads: one.
/// - Memory: keeps as many values as there were; texts are borrowed.
final class ValueList implements AddedFields {
  private final List<AttributeName> names = new ArrayList<>();
  private final List<AttributeValue> values = new ArrayList<>();

  void clear() {
    names.clear();
  }

  /// Adds a name, and returns the value that is to be set.
  AttributeValue add(AttributeName name) {
    names.add(name);
    if (names.size() > values.size()) {
      values.add(new AttributeValue());
    }
    return values.get(names.size() - 1);
  }

  @Override
  public int count() {
    return names.size();
  }

  @Override
  public AttributeName name(int field) {
    return names.get(field);
  }

  @Override
  public AttributeKind kind(int field) {
    return values.get(field).kind();
  }

  @Override
  public long bits(int field) {
    return values.get(field).bits();
  }

  @Override
  public int length(int field) {
    return values.get(field).length();
  }

  @Override
  public void copyTo(int field, byte[] out, int at) {
    int _ = values.get(field).copyTo(out, at);
  }
}
