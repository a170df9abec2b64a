package io.widerow.query.fields;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeValue;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/// How many events have each value of an attribute, in two columns: the events that were picked,
/// and the rest. A value that it has allocates nothing.
///
/// ```
///   values  bytes of the text, or 8 bytes of the number | ...       one after the other
///   slot    hash of the value, linear probing -> kind, begin and length in `values`, counts
/// ```
///
/// - With more than [#VALUES_MAX] values, or one that is longer than [#TEXT_BYTES_MAX], it forgets
///   the values and estimates how many there are.
/// - Threads: one.
final class ValueCounts {
  /// Column of the events that were not picked.
  static final int REST = 0;

  /// Column of the events that were picked.
  static final int PICKED = 1;

  static final int VALUES_MAX = 10_000;
  static final int TEXT_BYTES_MAX = 1 << 10;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long MIX = 0x9e37_79b9_7f4a_7c15L; // 2^64 / golden ratio (Fibonacci hashing)
  private static final double LONG_LIMIT = 0x1p63;
  private static final int SLOTS_LEAST = 16;
  private static final int BYTES_LEAST = 128;

  private byte[] values = new byte[BYTES_LEAST];
  private int[] begins = new int[SLOTS_LEAST];
  private int[] lengths = new int[SLOTS_LEAST];
  private byte[] kinds = new byte[SLOTS_LEAST]; // 0 for a free slot
  private long[] counts = new long[2 * SLOTS_LEAST];
  private int used; // of `values`
  private int size;
  private boolean many;
  private final DistinctEstimate estimate = new DistinctEstimate();

  /// A value and its events.
  ///
  /// @param json the value as JSON shows it
  record Counted(String json, long rest, long picked) {}

  void add(AttributeValue value, int column) {
    int length = value.kind().isText() ? value.length() : Long.BYTES;
    if (length > TEXT_BYTES_MAX) {
      forget();
      estimate.add(mix(value.toString().hashCode() * MIX));
      return;
    }
    if (values.length - used < length + Long.BYTES) {
      values = Arrays.copyOf(values, Math.max(2 * values.length, used + length + Long.BYTES));
    }
    byte kind = put(value);
    LONG.set(values, used + length, 0L); // the hash reads whole words
    long hash = hash(used, length, kind);
    if (many) {
      estimate.add(hash);
      return;
    }
    int slot = slotOf(used, length, kind, hash);
    counts[2 * slot + column]++;
    if (kinds[slot] != 0) {
      return;
    }
    estimate.add(hash);
    begins[slot] = used;
    lengths[slot] = length;
    kinds[slot] = kind;
    used += length;
    size++;
    if (size > VALUES_MAX) {
      forget();
    } else if (2 * size > kinds.length) {
      grow();
    }
  }

  private void forget() {
    many = true;
    values = new byte[TEXT_BYTES_MAX + Long.BYTES];
    used = 0;
    begins = new int[0];
    lengths = begins;
    kinds = new byte[0];
    counts = new long[0];
  }

  /// Writes a value after the last one and returns its kind. Equal numbers are one value.
  private byte put(AttributeValue value) {
    return switch (value.kind()) {
      case STRING, BYTES -> {
        value.copyTo(values, used);
        yield value.kind().code;
      }
      case DOUBLE -> {
        double number = value.asDouble();
        boolean whole = number >= -LONG_LIMIT && number < LONG_LIMIT && number == Math.rint(number);
        LONG.set(values, used, whole ? (long) number : Double.doubleToLongBits(number));
        yield whole ? AttributeKind.LONG.code : AttributeKind.DOUBLE.code;
      }
      case LONG, BOOLEAN -> {
        LONG.set(values, used, value.bits());
        yield value.kind().code;
      }
    };
  }

  /// The slot of a value, or the free one where it belongs.
  private int slotOf(int begin, int length, byte kind, long hash) {
    int mask = kinds.length - 1;
    int slot = (int) (hash >>> 32) & mask;
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
    return mix(hash);
  }

  private static long mix(long word) {
    long mixed = (word ^ (word >>> 32)) * MIX;
    return mixed ^ (mixed >>> 29);
  }

  private void grow() {
    int[] oldBegins = begins;
    int[] oldLengths = lengths;
    byte[] oldKinds = kinds;
    long[] oldCounts = counts;
    begins = new int[2 * oldBegins.length];
    lengths = new int[begins.length];
    kinds = new byte[begins.length];
    counts = new long[2 * begins.length];
    for (int i = 0; i < oldKinds.length; i++) {
      if (oldKinds[i] != 0) {
        long hash = hash(oldBegins[i], oldLengths[i], oldKinds[i]);
        int slot = slotOf(oldBegins[i], oldLengths[i], oldKinds[i], hash);
        begins[slot] = oldBegins[i];
        lengths[slot] = oldLengths[i];
        kinds[slot] = oldKinds[i];
        counts[2 * slot + REST] = oldCounts[2 * i + REST];
        counts[2 * slot + PICKED] = oldCounts[2 * i + PICKED];
      }
    }
  }

  /// True when there are too many values to keep them.
  boolean isMany() {
    return many;
  }

  /// Number of different values; an estimate when there are many.
  long distinct() {
    return many ? estimate.count() : size;
  }

  /// All values, in no order; none when there are many.
  List<Counted> all() {
    List<Counted> all = new ArrayList<>(size);
    for (int slot = 0; slot < kinds.length; slot++) {
      if (kinds[slot] != 0) {
        all.add(new Counted(json(slot), counts[2 * slot + REST], counts[2 * slot + PICKED]));
      }
    }
    return all;
  }

  private String json(int slot) {
    AttributeKind kind = AttributeKind.of(kinds[slot]);
    return switch (kind) {
      case STRING ->
          Json.string(new String(values, begins[slot], lengths[slot], StandardCharsets.UTF_8));
      case BYTES ->
          Json.string(
              Base64.getEncoder()
                  .encodeToString(
                      Arrays.copyOfRange(values, begins[slot], begins[slot] + lengths[slot])));
      case LONG -> Long.toString((long) LONG.get(values, begins[slot]));
      case DOUBLE -> Json.number(Double.longBitsToDouble((long) LONG.get(values, begins[slot])));
      case BOOLEAN -> Boolean.toString((long) LONG.get(values, begins[slot]) != 0);
    };
  }

  /// Bytes of its arrays.
  long bytes() {
    return values.length + 25L * kinds.length + (1 << 11);
  }
}
