package io.widerow.event;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// Sorts the attributes of an event by name: a merge sort of their offsets, then one copy of their
/// bytes.
///
/// - Threads: one.
/// - Memory: keeps its arrays; allocates only for an event larger than any before.
final class AttributeSort {
  private int[] offsets = new int[16]; // of the attributes, relative to their event
  private int[] scratch = new int[0];
  private byte[] sorted = new byte[0];

  /// Takes the offset of an attribute, relative to its event. Those before it were taken.
  void note(int attribute, long offset) {
    if (attribute == offsets.length) {
      offsets = Arrays.copyOf(offsets, 2 * attribute);
    }
    offsets[attribute] = (int) offset;
  }

  /// The offset of an attribute, relative to its event.
  int offset(int attribute) {
    return offsets[attribute];
  }

  /// Compares the names of two attributes.
  static int compare(MemorySegment memory, long attributeA, long attributeB) {
    long nameA = EventLayout.nameOffset(attributeA);
    long nameB = EventLayout.nameOffset(attributeB);
    int bytesA = EventLayout.nameBytes(memory, attributeA);
    int bytesB = EventLayout.nameBytes(memory, attributeB);
    int common = Math.min(bytesA, bytesB);
    for (int i = 0; i < common; i++) {
      int difference =
          Byte.compareUnsigned(memory.get(JAVA_BYTE, nameA + i), memory.get(JAVA_BYTE, nameB + i));
      if (difference != 0) {
        return difference;
      }
    }
    return Integer.compare(bytesA, bytesB);
  }

  /// Sorts the attributes of the event at `event`, which are contiguous and end at `end`. Their
  /// offsets were taken, and are in no particular order on return.
  ///
  /// @return false when a name occurs twice
  boolean sort(MemorySegment memory, long event, int attributes, long end) {
    int start = offsets[0];
    if (scratch.length < attributes) {
      scratch = new int[offsets.length];
    }
    int[] from = offsets;
    int[] to = scratch;
    for (int width = 1; width < attributes; width *= 2) {
      for (int left = 0; left < attributes; left += 2 * width) {
        int middle = Math.min(left + width, attributes);
        int until = Math.min(middle + width, attributes);
        if (!merge(memory, event, from, to, left, middle, until)) {
          return false;
        }
      }
      int[] swap = from;
      from = to;
      to = swap;
    }

    int bytes = Math.toIntExact(end - event - start);
    if (sorted.length < bytes) {
      sorted = new byte[Math.max(bytes, 2 * sorted.length)];
    }
    int out = 0;
    for (int i = 0; i < attributes; i++) {
      long attribute = event + from[i];
      int length = (int) (EventLayout.nextAttribute(memory, attribute) - attribute);
      MemorySegment.copy(memory, JAVA_BYTE, attribute, sorted, out, length);
      out += length;
    }
    assert out == bytes : out + " of " + bytes;
    MemorySegment.copy(sorted, 0, memory, JAVA_BYTE, event + start, bytes);
    return true;
  }

  /// Merges the sorted runs `[left, middle)` and `[middle, until)`. False when a name is in both.
  private static boolean merge(
      MemorySegment memory, long event, int[] from, int[] to, int left, int middle, int until) {
    int a = left;
    int b = middle;
    for (int out = left; out < until; out++) {
      int order =
          a == middle ? 1 : b == until ? -1 : compare(memory, event + from[a], event + from[b]);
      if (order == 0) {
        return false;
      }
      to[out] = order < 0 ? from[a++] : from[b++];
    }
    return true;
  }
}
