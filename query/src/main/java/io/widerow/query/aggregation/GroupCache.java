package io.widerow.query.aggregation;

import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// A hash table from the bytes of an event's attributes to its group. An event of a known group
/// allocates nothing. The cache holds the groups of one time step, because events come in time
/// order. One group may have several keys: the numbers 200 and 200.0 are equal.
///
/// ```
///   key   kind 1 | length 4 | bytes of the text, or 8 bits of the number     for each attribute
///   slot  hash of the key, linear probing -> key, group
/// ```
///
/// - Threads: one.
/// - Memory: a few thousand keys; when full, it forgets all and starts again.
///
/// @param <T> type of a group
public final class GroupCache<T> {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final int SLOT_BITS = 13;
  private static final int SLOTS = 1 << SLOT_BITS;
  private static final int FILLED_MAX = SLOTS / 2;
  private static final int HEAD_BYTES = 1 + Integer.BYTES;
  private static final int KEY_BYTES_MAX = 1 << 10; // longer keys are not cached
  private static final byte ABSENT = -1;
  private static final long MIX = 0x9e37_79b9_7f4a_7c15L; // 2^64 / golden ratio (Fibonacci hashing)

  private static final int ARRAY_BYTES = 24; // of an array, without its bytes

  private final LongConsumer memory;
  private long held; // of the keys
  private final Field[] by; // no list: its iterator would be garbage of each event
  private final byte[][] keys = new byte[SLOTS][];
  private final Object[] groups = new Object[SLOTS];
  private final byte[] key = new byte[KEY_BYTES_MAX];
  private int keyBytes;
  private int slot;
  private final int[] filledSlots = new int[FILLED_MAX];
  private int filled;
  private long step;

  /// @param memory receives the bytes by which the keys grow, before they do, and freed bytes as a
  ///   negative number; it may refuse by throwing
  public GroupCache(List<Field> by, LongConsumer memory) {
    memory.accept((long) SLOTS * 2 * Integer.BYTES + FILLED_MAX * Integer.BYTES + KEY_BYTES_MAX);
    this.memory = memory;
    this.by = by.toArray(Field[]::new);
  }

  /// The group of an event; null when it is not cached. Then pass it to [#put].
  public @Nullable T find(long eventStep, EventView event, AttributeValue scratch) {
    if (eventStep != step || filled == FILLED_MAX) {
      forget(eventStep);
    }
    if (!readKey(event, scratch)) {
      slot = -1;
      return null;
    }
    int at = (int) (hash() >>> (Long.SIZE - SLOT_BITS));
    while (keys[at] != null) {
      if (Arrays.equals(keys[at], 0, keys[at].length, key, 0, keyBytes)) {
        @SuppressWarnings("unchecked") // only put() fills it
        T found = (T) groups[at];
        return found;
      }
      at = (at + 1) & (SLOTS - 1);
    }
    slot = at;
    return null;
  }

  /// Caches the group of the event that [#find] has just missed.
  public void put(T group) {
    if (slot >= 0) {
      memory.accept(ARRAY_BYTES + keyBytes);
      held += ARRAY_BYTES + keyBytes;
      keys[slot] = Arrays.copyOf(key, keyBytes);
      groups[slot] = group;
      filledSlots[filled++] = slot;
    }
  }

  private void forget(long nextStep) {
    for (int i = 0; i < filled; i++) { // mostly a few: a step may have one event
      int used = filledSlots[i];
      Arrays.fill(keys, used, used + 1, null);
      Arrays.fill(groups, used, used + 1, null);
    }
    filled = 0;
    memory.accept(-held);
    held = 0;
    step = nextStep;
  }

  /// False when the key is too long.
  private boolean readKey(EventView event, AttributeValue scratch) {
    int to = 0;
    for (Field field : by) {
      boolean found = field.find(event, scratch);
      boolean text = found && scratch.kind().isText();
      int bytes = !found ? 0 : text ? scratch.length() : Long.BYTES;
      if (bytes > KEY_BYTES_MAX - Long.BYTES - HEAD_BYTES - to) {
        return false;
      }
      key[to] = found ? scratch.kind().code : ABSENT;
      INT.set(key, to + 1, bytes);
      to += HEAD_BYTES;
      if (text) {
        scratch.copyTo(key, to);
      } else if (found) {
        LONG.set(key, to, scratch.bits());
      }
      to += bytes;
    }
    keyBytes = to;
    LONG.set(key, to, 0L); // the hash reads whole words
    return true;
  }

  private long hash() {
    long hash = keyBytes;
    for (int at = 0; at < keyBytes; at += Long.BYTES) {
      hash = (hash ^ (long) LONG.get(key, at)) * MIX;
      hash ^= hash >>> 29;
    }
    return hash * MIX;
  }
}
