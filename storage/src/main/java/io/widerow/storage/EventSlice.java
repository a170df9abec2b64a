package io.widerow.storage;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventId;
import io.widerow.event.EventView;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Copies of some events, in the order in which they were added, with the attributes that a scan
/// wants. It shows one of them at a time.
///
/// ```
///   an attribute:  int name * 16 + kind | a number: long bits
///                                       | a text: int length | bytes
/// ```
///
/// - Threads: one.
/// - Memory: the events before encoding, 32 bytes for each of them, and the names of their
///   attributes.
public final class EventSlice implements EventView {
  private static final int KIND_BITS = 4;
  private static final int NAME_BYTES = 100; // of a name here, approximately
  private static final int EVENTS_MIN = 8;
  private static final int ID_LONGS = 3; // time, tail, version

  private final List<AttributeName> names = new ArrayList<>();
  private final Map<AttributeName, Integer> numbers = new HashMap<>();
  private final AttributeValue copied = new AttributeValue();
  private final AttributeVisitor copy = this::put;
  private long[] ids = new long[ID_LONGS * EVENTS_MIN];
  private String[] types = new String[EVENTS_MIN + 1];
  private int[] starts = new int[EVENTS_MIN + 1]; // of the attributes of each, and their end
  private byte[] bytes = new byte[0];
  private MemorySegment memory = MemorySegment.ofArray(bytes);
  private int count;
  private int shown = -1;
  private String type = ""; // that was read last
  private MemorySegment typeUtf8 = memory;

  /// Drops all events, and keeps the memory.
  public void clear() {
    count = 0;
    shown = -1;
  }

  /// Copies an event behind the others.
  public void add(EventView event) {
    if (count + 1 == starts.length) {
      starts = Arrays.copyOf(starts, 2 * starts.length);
      ids = Arrays.copyOf(ids, ID_LONGS * starts.length);
      types = Arrays.copyOf(types, starts.length);
    }
    types[count] = event.type();
    ids[ID_LONGS * count] = event.idTime();
    ids[ID_LONGS * count + 1] = event.idTail();
    ids[ID_LONGS * count + 2] = event.version();
    starts[count + 1] = starts[count];
    count++;
    event.forEach(copied, copy);
  }

  private void put(AttributeName name, AttributeValue value) {
    int number = numberOf(name);
    int at = starts[count];
    AttributeKind kind = value.kind();
    int length = kind.isText() ? Integer.BYTES + value.length() : Long.BYTES;
    int end = Math.addExact(at, Integer.BYTES + length);
    if (end > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(end, bytes.length + (bytes.length >> 1)));
      memory = MemorySegment.ofArray(bytes);
    }
    memory.set(JAVA_INT_UNALIGNED, at, number << KIND_BITS | kind.code);
    at += Integer.BYTES;
    if (kind.isText()) {
      memory.set(JAVA_INT_UNALIGNED, at, value.length());
      value.copyTo(bytes, at + Integer.BYTES);
    } else {
      memory.set(JAVA_LONG_UNALIGNED, at, value.bits());
    }
    starts[count] = end;
  }

  private int numberOf(AttributeName name) {
    Integer known = numbers.get(name);
    if (known != null) {
      return known;
    }
    numbers.put(name, names.size());
    names.add(name);
    return names.size() - 1;
  }

  /// Bytes of the events so far.
  public int eventBytes() {
    return starts[count] + ID_LONGS * Long.BYTES * count;
  }

  /// Approximate memory held.
  public long heldBytes() {
    return bytes.length
        + (long) Long.BYTES * ids.length
        + 2L * Integer.BYTES * starts.length
        + (long) NAME_BYTES * names.size();
  }

  /// The id of the event that was added last.
  public EventId last() {
    return new EventId(ids[ID_LONGS * (count - 1)], ids[ID_LONGS * (count - 1) + 1]);
  }

  /// True when an event has the id of the one that was added last.
  public boolean endsWithIdOf(EventView event) {
    return ids[ID_LONGS * (count - 1)] == event.idTime()
        && ids[ID_LONGS * (count - 1) + 1] == event.idTail();
  }

  /// Its number of events.
  public int count() {
    return count;
  }

  /// Shows an event by its place in the order of adding.
  public void show(int place) {
    shown = place;
  }

  /// Shows the next event. False when there is none left.
  public boolean next() {
    if (shown + 1 >= count) {
      return false;
    }
    shown++;
    return true;
  }

  @Override
  public long idTime() {
    return ids[ID_LONGS * shown];
  }

  @Override
  public long idTail() {
    return ids[ID_LONGS * shown + 1];
  }

  @Override
  public long version() {
    return ids[ID_LONGS * shown + 2];
  }

  @Override
  public String type() {
    return types[shown];
  }

  @Override
  public void readType(AttributeValue out) {
    String now = types[shown];
    if (!now.equals(type) || typeUtf8.byteSize() == 0) {
      type = now;
      typeUtf8 = MemorySegment.ofArray(now.getBytes(StandardCharsets.UTF_8));
    }
    out.setText(AttributeKind.STRING, typeUtf8, 0, (int) typeUtf8.byteSize());
  }

  @Override
  public boolean find(AttributeName name, AttributeValue out) {
    Integer number = numbers.get(name);
    if (number == null) {
      return false;
    }
    for (int at = starts[shown]; at < starts[shown + 1]; at = after(at)) {
      if (memory.get(JAVA_INT_UNALIGNED, at) >>> KIND_BITS == number) {
        read(at, out);
        return true;
      }
    }
    return false;
  }

  @Override
  public void forEach(AttributeValue scratch, AttributeVisitor visitor) {
    for (int at = starts[shown]; at < starts[shown + 1]; at = after(at)) {
      read(at, scratch);
      visitor.visit(names.get(memory.get(JAVA_INT_UNALIGNED, at) >>> KIND_BITS), scratch);
    }
  }

  private AttributeKind kind(int at) {
    return AttributeKind.of(memory.get(JAVA_INT_UNALIGNED, at) & (1 << KIND_BITS) - 1);
  }

  private int after(int at) {
    int value = at + Integer.BYTES;
    return kind(at).isText()
        ? value + Integer.BYTES + memory.get(JAVA_INT_UNALIGNED, value)
        : value + Long.BYTES;
  }

  private void read(int at, AttributeValue out) {
    AttributeKind kind = kind(at);
    int value = at + Integer.BYTES;
    if (kind.isText()) {
      int length = memory.get(JAVA_INT_UNALIGNED, value);
      out.setText(kind, memory, value + Integer.BYTES, length);
    } else {
      out.setBits(kind, memory.get(JAVA_LONG_UNALIGNED, value));
    }
  }
}
