package io.widerow.faults;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventId;
import io.widerow.event.EventView;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// An event as plain values, to write and to compare.
///
/// @param attributes Long, Double, Boolean, String as [Words], byte arrays as [Words]
public record TestEvent(
    EventId id, long version, String type, TreeMap<AttributeName, Object> attributes)
    implements EventView {

  /// A text value of a kind; equal by its bytes.
  public record Words(AttributeKind kind, ByteBuffer bytes) {
    public static Words of(AttributeKind kind, byte[] bytes) {
      return new Words(kind, ByteBuffer.wrap(bytes));
    }

    /// The bytes as a string would show them, for messages.
    @Override
    public String toString() {
      return kind + " " + StandardCharsets.UTF_8.decode(bytes.duplicate());
    }
  }

  /// A number of a kind; equal by its bits.
  public record Bits(AttributeKind kind, long bits) {}

  public static void putText(Map<AttributeName, Object> attributes, String name, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    attributes.put(AttributeName.of(name), Words.of(AttributeKind.STRING, bytes));
  }

  public static void putBits(
      Map<AttributeName, Object> attributes, String name, AttributeKind kind, long bits) {
    attributes.put(AttributeName.of(name), new Bits(kind, bits));
  }

  /// Copies an event out of a cursor.
  public static TestEvent copyOf(EventView event) {
    TreeMap<AttributeName, Object> attributes = new TreeMap<>();
    event.forEach(
        new AttributeValue(),
        (name, value) ->
            attributes.put(
                name,
                value.kind().isText()
                    ? Words.of(value.kind(), value.toBytes())
                    : new Bits(value.kind(), value.bits())));
    return new TestEvent(event.id(), event.version(), event.type(), attributes);
  }

  /// This event with only the wanted columns.
  public TestEvent only(@Nullable Set<AttributeName> columns) {
    TreeMap<AttributeName, Object> some = new TreeMap<>(attributes);
    if (columns != null) {
      some.keySet().retainAll(columns);
    }
    return new TestEvent(id, version, type, some);
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
  public boolean find(AttributeName name, AttributeValue out) {
    Object value = attributes.get(name);
    if (value != null) {
      fill(value, out);
    }
    return value != null;
  }

  @Override
  public void forEach(AttributeValue scratch, AttributeVisitor visitor) {
    for (Map.Entry<AttributeName, Object> entry : attributes.entrySet()) {
      fill(entry.getValue(), scratch);
      visitor.visit(entry.getKey(), scratch);
    }
  }

  private static void fill(Object value, AttributeValue out) {
    if (value instanceof Words(AttributeKind kind, ByteBuffer bytes)) {
      out.setText(kind, MemorySegment.ofBuffer(bytes), 0, bytes.capacity());
    } else if (value instanceof Bits(AttributeKind kind, long bits)) {
      out.setBits(kind, bits);
    }
  }
}
