package io.widerow.event;

import java.util.Arrays;

/// The names of an event that were valid and ascending, to see at once that those of the next one
/// are the same. Senders keep to their names.
///
/// - Threads: one.
final class NameOrder {
  private byte[] bytes = new byte[256]; // one name behind the other
  private int[] ends = new int[16];
  private int count;

  /// True when the name at this place was the same; those before it are known to be.
  boolean isNext(int place, byte[] name, int offset, int length) {
    if (place >= count) {
      return false;
    }
    int start = place == 0 ? 0 : ends[place - 1];
    return Arrays.equals(bytes, start, ends[place], name, offset, offset + length);
  }

  /// Remembers the name at a place, behind those that it follows, and forgets what came there.
  void put(int place, byte[] name, int offset, int length) {
    assert place <= count : place + " behind " + count;
    int start = place == 0 ? 0 : ends[place - 1];
    if (bytes.length - start < length) {
      bytes = Arrays.copyOf(bytes, 2 * (start + length));
    }
    System.arraycopy(name, offset, bytes, start, length);
    if (place == ends.length) {
      ends = Arrays.copyOf(ends, 2 * place);
    }
    ends[place] = start + length;
    count = place + 1;
  }
}
