package io.widerow.event;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// A cache of attribute names, so that reading a known name from a record allocates nothing. It is
/// a direct-mapped table of fixed size: a name replaces the one that was in its slot.
///
/// - Threads: one.
public final class AttributeNames {
  private static final int SLOTS = 1 << 9;

  private final @Nullable AttributeName[] slots = new AttributeName[SLOTS];
  private @Nullable AttributeName[] places = new AttributeName[16]; // by place in the last event

  /// The name of the attribute at `place` of an event. Most events have the names of the event
  /// before them, in the same order; then one comparison finds the name.
  AttributeName at(int place, MemorySegment source, long offset, int length) {
    if (place == places.length) {
      places = Arrays.copyOf(places, 2 * place);
    }
    AttributeName expected = places[place];
    if (expected == null || !expected.matches(source, offset, length)) {
      expected = at(source, offset, length);
      places[place] = expected;
    }
    return expected;
  }

  public AttributeName at(MemorySegment source, long offset, int length) {
    int hash = length;
    for (int i = 0; i < length; i++) {
      hash = 31 * hash + source.get(ValueLayout.JAVA_BYTE, offset + i);
    }
    int slot = (hash ^ (hash >>> 16)) & (SLOTS - 1);
    AttributeName known = slots[slot];
    if (known == null || !known.matches(source, offset, length)) {
      known = AttributeName.of(source, offset, length);
      slots[slot] = known;
    }
    return known;
  }
}
