package io.widerow.event;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Remembers the names seen lately, so that reading them from records allocates nothing for names
/// that come again. A direct-mapped table: a name that falls on another's slot takes it over, so
/// its size is fixed however many names there are.
///
/// - Threads: one.
public final class AttributeNames {
  private static final int SLOTS = 1 << 9;

  private final @Nullable AttributeName[] slots = new AttributeName[SLOTS];
  private @Nullable AttributeName[] places = new AttributeName[16]; // by place in the last event

  /// The name of an event's attribute that stands at `place`. Most events have the names of the one
  /// before, in the same order: then one comparison finds it.
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
