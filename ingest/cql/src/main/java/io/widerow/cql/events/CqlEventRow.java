package io.widerow.cql.events;

import io.widerow.cql.schema.Row;
import io.widerow.cql.type.CellBuffer;
import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.event.TimeUuid;
import io.widerow.storage.sketch.AttributeFigures;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// An event as a row of `widerow.events`. Cells are copied from the event as they are; an attribute
/// that is no string is shown as its text, bytes in base64.
///
/// - Threads: one.
final class CqlEventRow implements Row {
  static final long NANOS_PER_MILLI = 1_000_000;

  private final AttributeValue scratch = new AttributeValue();
  private @Nullable EventView event;
  private int entries; // of the map that is written
  private CellBuffer sink = new CellBuffer(0);

  CqlEventRow show(EventView shown) {
    event = shown;
    return this;
  }

  private EventView event() {
    EventView shown = event;
    if (shown == null) {
      throw new IllegalStateException("no current event");
    }
    return shown;
  }

  private long millis() {
    return Math.floorDiv(event().timeNanos(), NANOS_PER_MILLI);
  }

  @Override
  public @Nullable Object value(int column) {
    if (column == EventTable.TYPE) {
      return event().type();
    }
    if (column == EventTable.TS) {
      return Instant.ofEpochMilli(millis());
    }
    if (column == EventTable.ID) {
      return TimeUuid.toUuid(event().idTime(), event().idTail());
    }
    if (column == EventTable.BODY) {
      return event().find(AttributeName.BODY, scratch) ? text(scratch) : null;
    }
    return column == EventTable.ATTRIBUTES ? attributes() : numbers();
  }

  private @Nullable Object attributes() {
    Map<String, String> all = new LinkedHashMap<>();
    event()
        .forEach(
            scratch,
            (name, value) -> {
              if (!name.equals(AttributeName.BODY)) {
                all.put(name.toString(), text(value));
              }
            });
    return all.isEmpty() ? null : all;
  }

  private @Nullable Object numbers() {
    Map<String, Double> all = new LinkedHashMap<>();
    event()
        .forEach(
            scratch,
            (name, value) -> {
              if (!name.equals(AttributeName.BODY) && AttributeFigures.isNumber(value)) {
                all.put(name.toString(), value.asDouble());
              }
            });
    return all.isEmpty() ? null : all;
  }

  @Override
  public @Nullable Object element(int column, Object key) {
    AttributeName name = name(key);
    if (name == null || !event().find(name, scratch)) {
      return null;
    }
    if (column == EventTable.ATTRIBUTES) {
      return text(scratch);
    }
    return AttributeFigures.isNumber(scratch) ? (Object) scratch.asDouble() : null;
  }

  /// The attribute of a key; null when no attribute of the maps can have it.
  static @Nullable AttributeName name(Object key) {
    try {
      AttributeName name = AttributeName.of((String) key);
      return name.equals(AttributeName.BODY) ? null : name;
    } catch (IllegalArgumentException tooLong) {
      return null;
    }
  }

  static String text(AttributeValue value) {
    return value.kind() == AttributeKind.BYTES
        ? Base64.getEncoder().encodeToString(value.toBytes())
        : value.toString();
  }

  @Override
  public void put(int column, CellBuffer out) {
    EventView shown = event();
    if (column == EventTable.TYPE) {
      shown.readType(scratch);
      putText(scratch, out);
    } else if (column == EventTable.TS) {
      out.putInt(Long.BYTES);
      out.putLong(millis());
    } else if (column == EventTable.ID) {
      out.putInt(2 * Long.BYTES);
      out.putLong(TimeUuid.mostSignificantBits(shown.idTime()));
      out.putLong(TimeUuid.leastSignificantBits(shown.idTail()));
    } else if (column == EventTable.BODY) {
      if (shown.find(AttributeName.BODY, scratch)) {
        putText(scratch, out);
      } else {
        out.putNull();
      }
    } else {
      putMap(column == EventTable.ATTRIBUTES ? this::putAttribute : this::putNumber, out);
    }
  }

  private void putMap(EventView.AttributeVisitor entry, CellBuffer out) {
    int begun = out.begin();
    int count = out.begin();
    entries = 0;
    sink = out;
    event().forEach(scratch, entry);
    if (entries == 0) {
      out.truncate(begun);
      out.putNull();
      return;
    }
    out.setInt(count, entries);
    out.end(begun);
  }

  private void putAttribute(AttributeName name, AttributeValue value) {
    if (!name.equals(AttributeName.BODY)) {
      putName(name);
      putText(value, sink);
    }
  }

  private void putNumber(AttributeName name, AttributeValue value) {
    if (!name.equals(AttributeName.BODY) && AttributeFigures.isNumber(value)) {
      putName(name);
      sink.putInt(Double.BYTES);
      sink.putLong(Double.doubleToRawLongBits(value.asDouble()));
    }
  }

  private void putName(AttributeName name) {
    entries++;
    sink.putInt(name.length());
    sink.put(name);
  }

  private static void putText(AttributeValue value, CellBuffer out) {
    if (value.kind() == AttributeKind.STRING) {
      out.putInt(value.length());
      out.put(value);
    } else {
      int begun = out.begin();
      out.putText(text(value));
      out.end(begun);
    }
  }
}
