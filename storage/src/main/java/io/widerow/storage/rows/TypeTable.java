package io.widerow.storage.rows;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import io.widerow.event.EventLayout;
import io.widerow.event.PartitionKey;
import io.widerow.event.TimeUuid;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/// Lookup table from an event's type to its open row, open-addressed over the bytes of the name:
/// metrics come with thousands of types in turn. For each type it caches the row of the last bucket
/// and shard. Only a new type, bucket or shard allocates.
///
/// It also knows which types are large. A type of few events is kept in one shard of its lane: each
/// further shard would be one more row, partition and block, with fewer events in it.
///
/// The hash has a secret, so that no choice of names makes them collide.
///
/// - Threads: the lane's.
public final class TypeTable {
  /// Events of a type in the rows of one sealing from which it is large: half a block.
  static final int LARGE_EVENTS = 1 << 12;

  private static final long TICKS_PER_MINUTE =
      PartitionKey.NANOS_PER_MINUTE / TimeUuid.NANOS_PER_TICK;

  private static final int SLOTS_MIN = 64; // a power of two

  private final ToIntFunction<String> widthMinutes;
  private final long secret = new SplittableRandom().nextLong() | 1;
  private @Nullable Slot[] slots = new Slot[SLOTS_MIN];
  private int count;
  private Slot present;

  /// @param widthMinutes of the buckets that new events of a type go to
  public TypeTable(ToIntFunction<String> widthMinutes) {
    this.widthMinutes = widthMinutes;
    this.present = new Slot("", new byte[0], 0, 60, false);
  }

  /// Turns to the type of a record, which [#isLarge] and [#row] are then about.
  public void turnTo(MemorySegment events, long offset) {
    long typeOffset = EventLayout.typeOffset(offset);
    int typeBytes = EventLayout.typeBytes(events, offset);
    if (!present.is(events, typeOffset, typeBytes)) {
      present = slot(events, typeOffset, typeBytes);
    }
  }

  /// True when the present type has many events in these rows, or had in the ones before.
  public boolean isLarge() {
    return present.wasLarge || present.events >= LARGE_EVENTS;
  }

  /// The row for one event of the present type.
  public OpenRow row(OpenRows rows, long idTime, int shard) {
    Slot slot = present;
    slot.events++;
    OpenRow row = slot.row;
    if (row != null
        && slot.rows == rows
        && slot.shard == shard
        && idTime >= slot.timeFrom
        && idTime < slot.timeUntil) {
      return row;
    }
    return slot.turnTo(rows, idTime, shard);
  }

  /// The row for a record that has its shard. Turns to its type.
  public OpenRow row(OpenRows rows, MemorySegment events, long offset, int shard) {
    turnTo(events, offset);
    return row(rows, EventLayout.idTime(events, offset), shard);
  }

  private Slot slot(MemorySegment events, long typeOffset, int typeBytes) {
    int hash = hash(events, typeOffset, typeBytes);
    int mask = slots.length - 1;
    int at = hash & mask;
    for (Slot slot = slots[at]; slot != null; slot = slots[at]) {
      if (slot.hash == hash && slot.is(events, typeOffset, typeBytes)) {
        return slot;
      }
      at = (at + 1) & mask;
    }
    byte[] utf8 = events.asSlice(typeOffset, typeBytes).toArray(JAVA_BYTE);
    String type = new String(utf8, StandardCharsets.UTF_8).intern(); // as in partition tables
    return add(new Slot(type, utf8, hash, widthMinutes.applyAsInt(type), false));
  }

  private Slot add(Slot slot) {
    if (2 * ++count > slots.length) {
      @Nullable Slot[] before = slots;
      slots = new Slot[2 * before.length];
      for (Slot moved : before) {
        if (moved != null) {
          place(moved);
        }
      }
    }
    place(slot);
    return slot;
  }

  private void place(Slot slot) {
    int mask = slots.length - 1;
    int at = slot.hash & mask;
    while (slots[at] != null) {
      at = (at + 1) & mask;
    }
    slots[at] = slot;
  }

  private int hash(MemorySegment events, long from, int bytes) {
    long hash = secret ^ bytes;
    int at = 0;
    for (; at + Long.BYTES <= bytes; at += Long.BYTES) {
      hash = mixed(hash ^ events.get(JAVA_LONG_UNALIGNED, from + at));
    }
    long rest = 0;
    for (; at < bytes; at++) {
      rest = rest << Byte.SIZE | Byte.toUnsignedLong(events.get(JAVA_BYTE, from + at));
    }
    hash = mixed(hash ^ rest);
    return (int) (hash ^ hash >>> Integer.SIZE);
  }

  private long mixed(long word) {
    return word * secret ^ Math.unsignedMultiplyHigh(word, secret);
  }

  /// Forgets all types but the large ones. Called when rows are sealed, so that the table keeps no
  /// type that came only once and holds no more types than the last rows did.
  public void clear() {
    @Nullable Slot[] before = slots;
    slots = new Slot[SLOTS_MIN];
    count = 0;
    present = new Slot("", new byte[0], 0, 60, false);
    for (Slot slot : before) {
      if (slot != null && slot.events >= LARGE_EVENTS) {
        add(new Slot(slot.type, slot.bytes, slot.hash, slot.widthMinutes, true));
      }
    }
  }

  /// A type and the row of its last event.
  private static final class Slot {
    private final String type;
    private final byte[] bytes;
    private final MemorySegment utf8; // these bytes
    private final int hash;
    private final int widthMinutes;
    private final boolean wasLarge;
    private int events;
    private @Nullable OpenRow row;
    private @Nullable OpenRows rows;
    private int shard;
    private long timeFrom;
    private long timeUntil;

    Slot(String type, byte[] bytes, int hash, int widthMinutes, boolean wasLarge) {
      this.type = type;
      this.bytes = bytes;
      this.utf8 = MemorySegment.ofArray(bytes);
      this.hash = hash;
      this.widthMinutes = widthMinutes;
      this.wasLarge = wasLarge;
    }

    boolean is(MemorySegment events, long typeOffset, int typeBytes) {
      return bytes.length == typeBytes
          && MemorySegment.mismatch(events, typeOffset, typeOffset + typeBytes, utf8, 0, typeBytes)
              < 0;
    }

    OpenRow turnTo(OpenRows newRows, long idTime, int newShard) {
      int bucket = PartitionKey.bucketOf(TimeUuid.tickNanos(idTime), widthMinutes);
      OpenRow found = newRows.row(new PartitionKey(bucket, widthMinutes, type, newShard));
      row = found;
      rows = newRows;
      shard = newShard;
      timeFrom = TimeUuid.UNIX_EPOCH_TICKS + bucket * TICKS_PER_MINUTE;
      timeUntil = timeFrom + widthMinutes * TICKS_PER_MINUTE;
      return found;
    }
  }
}
