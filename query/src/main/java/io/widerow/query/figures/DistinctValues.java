package io.widerow.query.figures;

import io.widerow.event.AttributeValue;
import io.widerow.storage.rollup.HashedValues;
import io.widerow.storage.rollup.ValueHash;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/// A set of values, for the exact number of distinct ones. A value that it has allocates nothing.
///
/// ```
///   values  bytes of the text, or 8 bytes of the number | ...       one after the other
///   slot    hash of the value, linear probing -> kind, begin and length in `values`
/// ```
///
/// - Equal values are those that make one group, see [Cell]: 1 and 1.0, but not 1 and "1".
/// - Threads: one.
/// - Memory: the values, and 18 to 36 bytes for each, twice while it grows.
final class DistinctValues {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long MIX = 0x9e37_79b9_7f4a_7c15L; // 2^64 / golden ratio (Fibonacci hashing)
  private static final int SLOTS_LEAST = 8;
  private static final int BYTES_LEAST = 64;

  private byte[] values = new byte[BYTES_LEAST];
  private int[] begins = new int[SLOTS_LEAST];
  private int[] lengths = new int[SLOTS_LEAST];
  private byte[] kinds = new byte[SLOTS_LEAST]; // 0 for a free slot
  private int used; // of `values`
  private int size;

  /// Number of values.
  int size() {
    return size;
  }

  /// Bytes of the arrays.
  long bytes() {
    return values.length + 9L * kinds.length;
  }

  /// Adds the hashes of its values.
  void hashInto(HashedValues hashes) {
    for (int slot = 0; slot < kinds.length; slot++) {
      if (kinds[slot] != 0) {
        hashes.add(ValueHash.of(kinds[slot], values, begins[slot], lengths[slot]));
      }
    }
  }

  void add(AttributeValue value) {
    int length = ValueHash.length(value);
    if (values.length - used < length + Long.BYTES) {
      long wanted = Math.max(2L * values.length, (long) used + length + Long.BYTES);
      values = Arrays.copyOf(values, Math.toIntExact(wanted));
    }
    byte kind = ValueHash.put(value, values, used);
    LONG.set(values, used + length, 0L); // the hash reads whole words
    int slot = slotOf(used, length, kind, hash(used, length, kind));
    if (kinds[slot] != 0) {
      return;
    }
    begins[slot] = used;
    lengths[slot] = length;
    kinds[slot] = kind;
    used += length;
    size++;
    if (2 * size > kinds.length) {
      grow();
    }
  }

  /// The slot of a value, or the free one where it belongs.
  private int slotOf(int begin, int length, byte kind, long hash) {
    int mask = kinds.length - 1;
    int slot = (int) ((hash * MIX) >>> 32) & mask;
    while (kinds[slot] != 0
        && !(kinds[slot] == kind
            && Arrays.equals(
                values,
                begins[slot],
                begins[slot] + lengths[slot],
                values,
                begin,
                begin + length))) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private long hash(int begin, int length, byte kind) {
    long hash = (length + 31L * kind) * MIX;
    int at = 0;
    for (; at + Long.BYTES <= length; at += Long.BYTES) {
      hash = mix(hash ^ (long) LONG.get(values, begin + at));
    }
    if (at < length) {
      long rest = (long) LONG.get(values, begin + at) & (-1L >>> (Long.SIZE - 8 * (length - at)));
      hash = mix(hash ^ rest);
    }
    return hash;
  }

  private static long mix(long word) {
    long mixed = word * MIX;
    return mixed ^ (mixed >>> 29);
  }

  private void grow() {
    int[] oldBegins = begins;
    int[] oldLengths = lengths;
    byte[] oldKinds = kinds;
    begins = new int[2 * oldBegins.length];
    lengths = new int[begins.length];
    kinds = new byte[begins.length];
    for (int i = 0; i < oldKinds.length; i++) {
      if (oldKinds[i] != 0) {
        long hash = hash(oldBegins[i], oldLengths[i], oldKinds[i]);
        int slot = slotOf(oldBegins[i], oldLengths[i], oldKinds[i], hash);
        begins[slot] = oldBegins[i];
        lengths[slot] = oldLengths[i];
        kinds[slot] = oldKinds[i];
      }
    }
  }
}
