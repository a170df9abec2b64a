package io.widerow.cql.events;

import io.widerow.cql.CqlException;
import io.widerow.cql.schema.RequestPrincipal;
import io.widerow.cql.schema.Row;
import io.widerow.cql.schema.RowTaker;
import io.widerow.cql.type.TimeUuids;
import io.widerow.event.EventId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Makes events of rows of `widerow.events`: what a row shows, an event gets.
record EventTaker(EventIntake intake) implements RowTaker {
  @Override
  public void take(List<Row> rows, RequestPrincipal asker) {
    List<NewEvent> events = new ArrayList<>();
    for (Row row : rows) {
      events.add(event(row));
    }
    intake.take(events, asker);
  }

  private static NewEvent event(Row row) {
    String type = (String) row.value(EventTable.TYPE);
    if (type == null) {
      throw CqlException.invalid("Some partition key parts are missing: type");
    }
    if (type.isEmpty()) {
      throw CqlException.invalid("Key may not be empty");
    }
    EventId id = id((UUID) row.value(EventTable.ID), (Instant) row.value(EventTable.TS));
    Map<String, String> texts = new HashMap<>();
    map(row, EventTable.ATTRIBUTES).forEach((name, text) -> texts.put(name(name), (String) text));
    Map<String, Double> numbers = new HashMap<>();
    map(row, EventTable.NUMBERS)
        .forEach((name, number) -> add(name(name), number(name, number), texts, numbers));
    return new NewEvent(type, id, (String) row.value(EventTable.BODY), texts, numbers);
  }

  private static EventId id(@Nullable UUID id, @Nullable Instant time) {
    if (id == null) {
      throw CqlException.invalid("Some clustering keys are missing: id");
    }
    if (time != null && !time.equals(TimeUuids.instant(id))) {
      throw CqlException.invalid(
          "ts is the time of id, %s, and not %s".formatted(TimeUuids.instant(id), time));
    }
    try {
      return EventId.of(id);
    } catch (IllegalArgumentException none) {
      throw CqlException.invalid("no event can have the id %s".formatted(id));
    }
  }

  private static Map<?, ?> map(Row row, int column) {
    return row.value(column) instanceof Map<?, ?> map ? map : Map.of();
  }

  private static String name(Object name) {
    String text = (String) name;
    if (text.equals("body")) {
      throw CqlException.invalid("the body of an event is the column body, and no attribute");
    }
    return text;
  }

  private static Double number(Object name, Object value) {
    if (!(value instanceof Double number)) {
      throw CqlException.invalid("numbers['%s'] is a value without bytes".formatted(name));
    }
    return number;
  }

  /// A number that is an attribute itself, or repeats a text.
  private static void add(
      String name, Double number, Map<String, String> texts, Map<String, Double> numbers) {
    String text = texts.get(name);
    if (text == null) {
      numbers.put(name, number);
    } else if (!isNumber(text, number)) {
      throw CqlException.invalid(
          "attributes['%s'] is '%s', and numbers['%s'] is %s".formatted(name, text, name, number));
    }
  }

  private static boolean isNumber(String text, Double number) {
    try {
      return Double.valueOf(text).equals(number);
    } catch (NumberFormatException none) {
      return false;
    }
  }
}
