package io.widerow.query.remote;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventId;
import io.widerow.event.EventView;
import io.widerow.query.NameText;
import io.widerow.query.QueryException;
import io.widerow.query.output.ExactValue;
import io.widerow.query.output.TextWriter;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// An event with its values on the heap: parsed from a line of JSON, or read from a file. A value
/// is a String, Long, Double, Boolean or an array of bytes.
public final class LineEvent implements EventView {
  private final EventId id;
  private final long timeNanos;
  private final String type;
  private final SortedMap<AttributeName, Object> attributes;

  /// @param attributes kept, not copied
  public LineEvent(
      EventId id, long timeNanos, String type, SortedMap<AttributeName, Object> attributes) {
    this.id = id;
    this.timeNanos = timeNanos;
    this.type = type;
    this.attributes = attributes;
  }

  /// @throws QueryException.Remote when the line has no valid id or time, or an invalid name
  public LineEvent(Map<String, Object> line) {
    try {
      id = EventId.parse(String.valueOf(line.get("id")));
      Instant time = Instant.parse(String.valueOf(line.get("ts")));
      timeNanos = time.getEpochSecond() * 1_000_000_000L + time.getNano();
    } catch (IllegalArgumentException | DateTimeException notOurs) {
      throw new QueryException.Remote(
          "the response of the daemon has a line that is not an event: "
              + TextWriter.escaped("" + line));
    }
    type = String.valueOf(line.get("type"));
    attributes = new TreeMap<>();
    line.forEach((name, value) -> {
      if (!name.equals("id") && !name.equals("ts") && !name.equals("type")) {
        attributes.put(attributeName(name), exact(name, value));
      }
    });
  }

  /// The value as an [ExactValue] where it is one.
  private static Object exact(String name, Object value) {
    Object stored =
        switch (value) {
          case Map<?, ?> object -> ExactValue.parse(object);
          case JsonLine.Other _ -> null;
          default -> value;
        };
    if (stored == null) {
      throw new QueryException.Remote(
          "the response of the daemon has an event with a value of an unknown kind, in %s: %s"
              .formatted(TextWriter.escaped(name), TextWriter.escaped("" + value)));
    }
    return stored;
  }

  private static AttributeName attributeName(String shown) {
    try {
      return AttributeName.of(NameText.stored(shown));
    } catch (IllegalArgumentException noName) {
      throw new QueryException.Remote(
          "the response of the daemon has an event with an invalid attribute name: "
              + TextWriter.escaped(shown));
    }
  }

  @Override
  public long idTime() {
    return id.time();
  }

  @Override
  public long idTail() {
    return id.tail();
  }

  @Override
  public long version() {
    return 0;
  }

  @Override
  public long timeNanos() {
    return timeNanos;
  }

  @Override
  public String type() {
    return type;
  }

  @Override
  public boolean find(AttributeName name, AttributeValue out) {
    Object value = attributes.get(name);
    if (value == null) {
      return false;
    }
    fill(value, out);
    return true;
  }

  @Override
  public void forEach(AttributeValue scratch, AttributeVisitor visitor) {
    attributes.forEach((name, value) -> {
      fill(value, scratch);
      visitor.visit(name, scratch);
    });
  }

  private static void fill(Object value, AttributeValue out) {
    switch (value) {
      case Long whole -> out.setBits(AttributeKind.LONG, whole);
      case Double number -> out.setBits(AttributeKind.DOUBLE, Double.doubleToRawLongBits(number));
      case Boolean truth -> out.setBits(AttributeKind.BOOLEAN, truth ? 1 : 0);
      case byte[] bytes ->
          out.setText(AttributeKind.BYTES, MemorySegment.ofArray(bytes), 0, bytes.length);
      default -> {
        byte[] utf8 = value.toString().getBytes(StandardCharsets.UTF_8);
        out.setText(AttributeKind.STRING, MemorySegment.ofArray(utf8), 0, utf8.length);
      }
    }
  }
}
