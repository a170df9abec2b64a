package io.widerow.event;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/// The names of an event, in some order, to see at once that those of the next one are the same:
/// senders keep to their names. Each lies as in a record, its kind left open:
///
/// ```
///   0 4 host 0 6 region 0 ...
/// ```
///
/// - Threads: one.
/// - Memory: keeps its arrays; allocates nothing once they are large enough.
public final class EventNames {
  private static final int BEFORE = 2; // kind and length

  private byte[] bytes = new byte[256]; // one name behind the other
  private int[] ends = new int[16];
  private int count;
  private long version;

  /// Another number whenever one of the names is another.
  long version() {
    return version;
  }

  /// Memory that it keeps, about.
  public long heldBytes() {
    return bytes.length + (long) Integer.BYTES * ends.length;
  }

  public int count() {
    return count;
  }

  /// Forgets all.
  public void clear() {
    count = 0;
    version++;
  }

  /// Bytes of the name at a place.
  public int nameBytes(int place) {
    return recordBytes(place) - BEFORE;
  }

  /// True when the name at this place was the same; those before it are known to be.
  public boolean isNext(int place, byte[] name, int offset, int length) {
    if (place >= count) {
      return false;
    }
    int start = start(place) + BEFORE;
    return ends[place] - start == length && ShortRuns.same(bytes, start, name, offset, length);
  }

  /// Remembers the name at a place, behind those that it follows, and forgets what came there.
  public void put(int place, byte[] name, int offset, int length) {
    assert place <= count : place + " behind " + count;
    int start = start(place);
    int end = start + BEFORE + length;
    if (bytes.length < end) {
      bytes = Arrays.copyOf(bytes, 2 * end);
    }
    bytes[start + 1] = (byte) length;
    System.arraycopy(name, offset, bytes, start + BEFORE, length);
    if (place == ends.length) {
      ends = Arrays.copyOf(ends, 2 * place);
    }
    ends[place] = end;
    count = place + 1;
    version++;
  }

  private int start(int place) {
    return place == 0 ? 0 : ends[place - 1];
  }

  /// Bytes of an attribute of this name before its value.
  int recordBytes(int place) {
    return ends[place] - start(place);
  }

  /// Starts the attribute at `attribute` of a record. The name must be one that a record may have.
  void write(int place, AttributeKind kind, MemorySegment events, long attribute) {
    int start = start(place);
    ShortRuns.copy(bytes, start, events, attribute, ends[place] - start);
    events.set(ValueLayout.JAVA_BYTE, attribute, kind.code);
  }
}
