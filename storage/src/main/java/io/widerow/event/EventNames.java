package io.widerow.event;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/// The attribute names of the last event, to recognize with one comparison each that the next event
/// has the same names in the same order. Most senders repeat them. The names are laid out as in a
/// record, with the kind left open:
///
/// ```
///   0 4 host 0 6 region 0 ...
/// ```
///
/// - Threads: one.
/// - Memory: keeps its arrays; allocates nothing once they are large enough.
public final class EventNames {
  private static final int BEFORE = 2; // kind and length

  private byte[] bytes = new byte[256]; // the names, back to back
  private int[] ends = new int[16];
  private int count;
  private long version;
  private boolean ofRecord; // hence valid and in ascending order

  /// Changes whenever a name changes.
  long version() {
    return version;
  }

  /// Approximate heap memory held.
  public long heldBytes() {
    return bytes.length + (long) Integer.BYTES * ends.length;
  }

  public int count() {
    return count;
  }

  /// These names, which must be those of a record.
  EventNames requireOfRecord() {
    if (!ofRecord) {
      throw new IllegalArgumentException("these are not the names of an event");
    }
    return this;
  }

  /// Becomes the names of a valid record.
  void take(MemorySegment events, long offset) {
    clear();
    long attribute = EventLayout.attributesOffset(events, offset);
    for (int place = 0; place < EventLayout.attributes(events, offset); place++) {
      int length = EventLayout.nameBytes(events, attribute);
      int start = makeRoom(place, length);
      ByteRuns.copy(events, EventLayout.nameOffset(attribute), bytes, start, length);
      attribute = EventLayout.nextAttribute(events, attribute);
    }
    ofRecord = true;
  }

  /// Forgets all names.
  public void clear() {
    count = 0;
    version++;
    ofRecord = false;
  }

  /// Length of the name at `place`, in bytes.
  public int nameBytes(int place) {
    return recordBytes(place) - BEFORE;
  }

  /// True when the name at `place` is this one. The caller has checked the names before it.
  public boolean isNext(int place, byte[] name, int offset, int length) {
    if (place >= count) {
      return false;
    }
    int start = start(place) + BEFORE;
    return ends[place] - start == length && ByteRuns.same(bytes, start, name, offset, length);
  }

  /// Stores the name at `place` and forgets all names after it.
  public void put(int place, byte[] name, int offset, int length) {
    int start = makeRoom(place, length);
    System.arraycopy(name, offset, bytes, start, length);
    ofRecord = false;
    version++;
  }

  /// Makes room for a name at `place`, and forgets all after it.
  ///
  /// @return where its bytes go
  private int makeRoom(int place, int length) {
    assert place <= count : place + " after " + count;
    int start = start(place);
    int end = start + BEFORE + length;
    if (bytes.length < end) {
      bytes = Arrays.copyOf(bytes, 2 * end);
    }
    bytes[start + 1] = (byte) length;
    if (place == ends.length) {
      ends = Arrays.copyOf(ends, 2 * place);
    }
    ends[place] = end;
    count = place + 1;
    return start + BEFORE;
  }

  private int start(int place) {
    return place == 0 ? 0 : ends[place - 1];
  }

  /// Bytes of an attribute with this name, up to its value.
  int recordBytes(int place) {
    return ends[place] - start(place);
  }

  /// Writes kind, length and name of an attribute to a record at `attribute`. The caller has
  /// checked that the name is valid.
  void write(int place, AttributeKind kind, MemorySegment events, long attribute) {
    int start = start(place);
    ByteRuns.copy(bytes, start, events, attribute, ends[place] - start);
    events.set(ValueLayout.JAVA_BYTE, attribute, kind.code);
  }
}
