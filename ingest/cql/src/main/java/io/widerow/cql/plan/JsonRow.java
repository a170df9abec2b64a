package io.widerow.cql.plan;

import io.widerow.cql.CqlException;
import io.widerow.cql.change.CellChange;
import io.widerow.cql.parse.Relation.Operator;
import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.RowCondition;
import io.widerow.cql.schema.Table;
import io.widerow.cql.type.JsonValues;
import io.widerow.query.json.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The row of INSERT JSON.
///
/// @param text the JSON
/// @param defaultUnset whether columns that it has not stay as they are; else they become null
record JsonRow(Table table, Value text, boolean defaultUnset) {
  /// Adds the key and the columns.
  void bind(Bound bound, List<RowCondition> conditions, List<CellChange> cells) {
    Object source = text.of(null, bound);
    if (source == null) {
      throw CqlException.invalid("Got null for INSERT JSON values");
    }
    JsonNode json = JsonValues.parse((String) source);
    if (json.isNull()) {
      throw CqlException.invalid("Got null for INSERT JSON values");
    }
    Map<String, JsonNode> object = json.members();
    if (object == null) {
      throw CqlException.invalid("Could not decode JSON string as a map: %s".formatted(source));
    }
    Map<String, JsonNode> values = new TreeMap<>();
    object.forEach((name, value) -> values.put(JsonValues.name(name), value));
    List<String> missing = new ArrayList<>();
    for (int i = 0; i < table.columns().size(); i++) {
      Column column = table.columns().get(i);
      boolean there = values.containsKey(column.name());
      JsonNode given = values.remove(column.name());
      Object value = given == null || given.isNull() ? null : JsonValues.of(column.type(), given);
      if (column.isKey()) {
        if (value == null && table.stored() != null) { // others report themselves what they need
          missing.add(column.name());
        } else if (value != null) {
          conditions.add(new RowCondition(i, column.type(), null, Operator.EQ, List.of(value)));
        }
      } else if (there || !defaultUnset) {
        cells.add(new CellChange.Put(column, value));
      }
    }
    if (!missing.isEmpty()) {
      throw CqlException.invalid(
          "Invalid null value in condition for column %s".formatted(missing.getFirst()));
    }
    if (!values.isEmpty()) {
      throw CqlException.invalid(
          "JSON values map contains unrecognized column: %s"
              .formatted(values.keySet().iterator().next()));
    }
  }
}
