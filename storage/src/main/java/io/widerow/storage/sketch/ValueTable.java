package io.widerow.storage.sketch;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeValue;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/// Distinct values, numbered from 0 in the order in which they were added. Adding a present value
/// allocates nothing.
///
/// ```
///   bytes   of each value: the text, or the number in 8 | ...      one after the other
///   value   kind, and where its bytes end
///   slot    hash of the value, linear probing -> number of the value + 1, or 0 for a free slot
/// ```
///
/// - Values are equal when they make one group, see [ValueHash]; bytes may be distinguished from
///   texts.
/// - Threads: one.
/// - Memory: the values, and 13 to 26 bytes for each, twice while it grows.
public final class ValueTable {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final int VALUES_LEAST = 4;
  private static final int BYTES_LEAST = 64;

  private final boolean bytesApart;
  private byte[] bytes = new byte[BYTES_LEAST];
  private int[] ends = new int[VALUES_LEAST];
  private byte[] kinds = new byte[VALUES_LEAST];
  private int[] slots = new int[2 * VALUES_LEAST];
  private int size;

  /// @param bytesApart false when bytes are the same value as the text of these bytes
  public ValueTable(boolean bytesApart) {
    this.bytesApart = bytesApart;
  }

  /// The number of a value, which is [#size] from before when it is new.
  public int add(AttributeValue value) {
    int begin = begin(size);
    int length = ValueHash.length(value);
    return add(put(value, begin, length), begin, length);
  }

  /// The same for a value of another table.
  public int add(ValueTable from, int number) {
    int begin = begin(size);
    int length = from.length(number);
    room(begin, length);
    System.arraycopy(from.bytes, from.begin(number), bytes, begin, length);
    LONG.set(bytes, begin + length, 0L); // the hash reads whole words
    return add(from.kinds[number], begin, length);
  }

  /// Adds all values of another table.
  public void addAll(ValueTable from) {
    for (int number = 0; number < from.size; number++) {
      int _ = add(from, number);
    }
  }

  private int add(byte kind, int begin, int length) {
    int slot = slotOf(kind, begin, length);
    if (slots[slot] != 0) {
      return slots[slot] - 1;
    }
    ends[size] = begin + length;
    kinds[size] = kind;
    slots[slot] = ++size;
    if (size == ends.length) {
      grow();
    }
    return size - 1;
  }

  /// The number of a value; negative when it is not there.
  public int find(AttributeValue value) {
    int begin = begin(size);
    int length = ValueHash.length(value);
    return slots[slotOf(put(value, begin, length), begin, length)] - 1;
  }

  /// The hash of a value that is not added.
  public long hashOf(AttributeValue value) {
    int begin = begin(size);
    int length = ValueHash.length(value);
    return ValueHash.of(put(value, begin, length), bytes, begin, length);
  }

  /// Writes a value after the last one and returns its kind.
  private byte put(AttributeValue value, int begin, int length) {
    room(begin, length);
    byte kind = ValueHash.put(value, bytes, begin);
    LONG.set(bytes, begin + length, 0L); // the hash reads whole words
    return bytesApart && value.kind() == AttributeKind.BYTES ? AttributeKind.BYTES.code : kind;
  }

  /// Makes room for a value and the zeros after it.
  private void room(int begin, int length) {
    if (bytes.length - begin < length + Long.BYTES) {
      long wanted = Math.max(2L * bytes.length, (long) begin + length + Long.BYTES);
      bytes = Arrays.copyOf(bytes, Math.toIntExact(wanted));
    }
  }

  /// The slot of a value, or the free one where it belongs.
  private int slotOf(byte kind, int begin, int length) {
    int mask = slots.length - 1;
    int slot = (int) (ValueHash.of(kind, bytes, begin, length) >>> 32) & mask;
    while (slots[slot] != 0 && !is(slots[slot] - 1, kind, begin, length)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private boolean is(int number, byte kind, int begin, int length) {
    return kinds[number] == kind
        && Arrays.equals(bytes, begin(number), ends[number], bytes, begin, begin + length);
  }

  private void grow() {
    ends = Arrays.copyOf(ends, 2 * size);
    kinds = Arrays.copyOf(kinds, 2 * size);
    slots = new int[4 * size];
    for (int number = 0; number < size; number++) {
      slots[slotOf(kinds[number], begin(number), length(number))] = number + 1;
    }
  }

  /// The number of distinct values.
  public int size() {
    return size;
  }

  /// The kind of a value, as [ValueHash#put] gives it.
  public AttributeKind kind(int number) {
    return AttributeKind.of(kinds[number]);
  }

  /// Fills `out` with a value, which is valid until another is added.
  public void show(int number, AttributeValue out) {
    AttributeKind kind = kind(number);
    if (kind.isText()) {
      out.setText(kind, MemorySegment.ofArray(bytes), begin(number), length(number));
    } else {
      out.setBits(kind, bits(number));
    }
  }

  /// The bytes of a text.
  public byte[] text(int number) {
    return Arrays.copyOfRange(bytes, begin(number), ends[number]);
  }

  /// The bits of a number or a truth value.
  public long bits(int number) {
    return (long) LONG.get(bytes, begin(number));
  }

  /// The hash of a value, see [ValueHash].
  public long hash(int number) {
    return ValueHash.of(kinds[number], bytes, begin(number), length(number));
  }

  private int begin(int number) {
    return number == 0 ? 0 : ends[number - 1];
  }

  private int length(int number) {
    return ends[number] - begin(number);
  }

  /// Adds the hashes of its values.
  public void addTo(HashedValues hashes) {
    for (int number = 0; number < size; number++) {
      hashes.add(hash(number));
    }
  }

  /// Bytes of its arrays.
  public long bytes() {
    return bytes.length + 5L * ends.length + 4L * slots.length;
  }
}
