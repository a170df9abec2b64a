package io.widerow.storage.sketch;

import io.widerow.event.AttributeValue;
import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.codec.ByteSource;
import java.util.Arrays;

/// A set of hashes of values, for the number of distinct ones. Two values share a hash of 64 bits
/// with a probability of 1 : 2^64; among a million distinct texts some two do with 1 : 30 million.
///
/// ```
///   varint hashes | hashes, 8 bytes each, ascending
/// ```
///
/// - Threads: one.
/// - Memory: 16 to 32 bytes a hash.
public final class HashedValues {
  /// Most hashes that a cell keeps of a group.
  public static final int CELL_MAX = 1 << 16;

  private static final int SLOTS_LEAST = 8;

  private long[] slots = new long[SLOTS_LEAST]; // 0 for a free one
  private int size;
  private boolean zero; // the hash 0 is in the set
  private byte[] scratch = new byte[0];

  /// Adds a value.
  public void add(AttributeValue value) {
    int length = ValueHash.length(value);
    if (scratch.length < length + Long.BYTES) {
      scratch = new byte[2 * (length + Long.BYTES)];
    }
    byte kind = ValueHash.put(value, scratch, 0);
    add(ValueHash.of(kind, scratch, 0, length));
  }

  /// Adds a hash, see [ValueHash].
  public void add(long hash) {
    if (hash == 0) {
      zero = true;
      return;
    }
    int mask = slots.length - 1;
    int slot = (int) (hash >>> 32) & mask;
    while (slots[slot] != 0) {
      if (slots[slot] == hash) {
        return;
      }
      slot = (slot + 1) & mask;
    }
    slots[slot] = hash;
    size++;
    if (2 * size > slots.length) {
      long[] old = slots;
      slots = new long[2 * old.length];
      size = 0;
      addAll(old);
    }
  }

  /// Adds all that another set has.
  public void add(HashedValues other) {
    zero |= other.zero;
    addAll(other.slots);
  }

  private void addAll(long[] hashes) {
    for (long hash : hashes) {
      if (hash != 0) {
        add(hash);
      }
    }
  }

  /// Number of hashes.
  public int size() {
    return size + (zero ? 1 : 0);
  }

  /// Bytes of its arrays.
  public long bytes() {
    return (long) Long.BYTES * slots.length + scratch.length;
  }

  void write(ByteSink out) {
    long[] hashes = new long[size()];
    int filled = zero ? 1 : 0;
    for (long hash : slots) {
      if (hash != 0) {
        hashes[filled++] = hash;
      }
    }
    Arrays.sort(hashes);
    out.putVarint(hashes.length);
    for (long hash : hashes) {
      out.putLong(hash);
    }
  }

  static HashedValues read(ByteSource in) {
    HashedValues read = new HashedValues();
    int count = in.readCount(0, Math.min(CELL_MAX, in.left() / Long.BYTES), "hashes");
    for (int i = 0; i < count; i++) {
      read.add(in.readLong());
    }
    if (read.size() != count) {
      throw in.corrupt("%d hashes, %d different ones".formatted(count, read.size()));
    }
    return read;
  }
}
