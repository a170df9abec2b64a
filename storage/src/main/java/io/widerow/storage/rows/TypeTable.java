package io.widerow.storage.rows;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.widerow.event.ByteHash;
import io.widerow.event.EventLayout;
import io.widerow.event.PartitionKey;
import io.widerow.event.TimeUuid;
import io.widerow.storage.layout.Layout;
import io.widerow.storage.layout.Layouts;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Lookup table from an event's type to its open row, open-addressed over the bytes of the name:
/// metrics come with thousands of types in turn. For each type it caches the row of the last bucket
/// and shard. Only a new type, bucket or shard allocates.
///
/// The layout of a type, its width and shards, comes from a snapshot of [Layouts]. Another snapshot
/// takes effect with the next event of a type; rows of the old layout stay as they are.
///
/// It also knows which types are large. A type of few events is kept in one shard of its lane: each
/// further shard would be one more row, partition and block, with fewer events in it. The events of
/// a batch that have no ids of their own go to one shard for each type. In a balanced layout it is
/// the shard that has the fewest bytes of the type's newest bucket.
///
/// - Threads: the lane's.
public final class TypeTable {
  /// Events of a type in the rows of one sealing from which it is large: half a block.
  static final int LARGE_EVENTS = 1 << 12;

  private static final long TICKS_PER_MINUTE =
      PartitionKey.NANOS_PER_MINUTE / TimeUuid.NANOS_PER_TICK;

  private static final int SLOTS_MIN = 64; // a power of two

  private Layouts layouts;
  private long batch; // number of the present batch
  private final ByteHash hashes = new ByteHash();
  private @Nullable Slot[] slots = new Slot[SLOTS_MIN];
  private int count;
  private Slot present;

  public TypeTable(Layouts layouts) {
    this.layouts = layouts;
    this.present = none(layouts);
  }

  private static Slot none(Layouts layouts) {
    return new Slot("", new byte[0], 0, layouts, null);
  }

  /// Begins a batch, whose events are placed by these layouts.
  public void begin(Layouts now) {
    batch++;
    if (now != layouts) {
      layouts = now;
      present = none(now); // so that the next event looks its type up
    }
  }

  /// Turns to the type of a record, which [#isLarge] and [#row] are then about.
  public void turnTo(MemorySegment events, long offset) {
    if (!EventLayout.hasType(events, offset, present.bytes)) {
      present = slot(events, offset);
    }
  }

  /// True when the present type has many events in these rows, or had in the ones before.
  public boolean isLarge() {
    return present.wasLarge || present.events >= LARGE_EVENTS;
  }

  /// Number within the lane of the shard for an event of the present type that gets its id from the
  /// store.
  ///
  /// @param placement of its batch
  public int shardFor(long idTime, long placement) {
    Slot slot = present;
    if (slot.shards == 1 || !isLarge()) {
      return 0;
    }
    if (slot.batch != batch) {
      slot.batch = batch;
      slot.choose(idTime, placement);
    }
    return slot.chosen;
  }

  /// Number within the lane of the shard for an event of the present type that has its own id.
  ///
  /// @param placement of the id
  public int shardForOwn(long placement) {
    return (int) Long.remainderUnsigned(placement, present.shards);
  }

  /// Counts an event of the present type that came to a row.
  ///
  /// @param shard within the lane
  public void took(int shard, int bytes) {
    present.took(shard, bytes);
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

  private Slot slot(MemorySegment events, long offset) {
    long typeOffset = EventLayout.typeOffset(offset);
    int typeBytes = EventLayout.typeBytes(events, offset);
    int hash = hashes.of(events, typeOffset, typeBytes);
    int mask = slots.length - 1;
    int at = hash & mask;
    for (Slot slot = slots[at]; slot != null; slot = slots[at]) {
      if (slot.hash == hash && EventLayout.hasType(events, offset, slot.bytes)) {
        slot.follow(layouts);
        return slot;
      }
      at = (at + 1) & mask;
    }
    byte[] utf8 = events.asSlice(typeOffset, typeBytes).toArray(JAVA_BYTE);
    String type = new String(utf8, StandardCharsets.UTF_8).intern(); // as in partition tables
    return add(new Slot(type, utf8, hash, layouts, null));
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

  /// Forgets all types but the large ones. Called when rows are sealed, so that the table keeps no
  /// type that came only once and holds no more types than the last rows did.
  public void clear() {
    @Nullable Slot[] before = slots;
    slots = new Slot[SLOTS_MIN];
    count = 0;
    present = none(layouts);
    for (Slot slot : before) {
      if (slot != null && slot.events >= LARGE_EVENTS) {
        add(new Slot(slot.type, slot.bytes, slot.hash, layouts, slot));
      }
    }
  }

  /// A type and the row of its last event.
  private static final class Slot {
    private static final long[] ONE_SHARD = {};

    private final String type;
    private final byte[] bytes;
    private final int hash;
    private final boolean wasLarge;
    private Layouts layouts; // from which the layout is
    private int widthMinutes;
    private int shards; // of the lane
    private boolean balanced;
    private int events;
    private @Nullable OpenRow row;
    private @Nullable OpenRows rows;
    private int shard;
    private long timeFrom;
    private long timeUntil;
    private long batch = -1; // for which a shard was chosen
    private int chosen;
    private long countedFrom = Long.MIN_VALUE; // start of the newest bucket
    private long countedBytes; // in that bucket
    private long[] shardBytes = ONE_SHARD; // the same by shard, when there are several

    /// @param before the same type in the rows before; null when it was not large there
    Slot(String type, byte[] bytes, int hash, Layouts layouts, @Nullable Slot before) {
      this.type = type;
      this.bytes = bytes;
      this.hash = hash;
      this.wasLarge = before != null;
      this.layouts = layouts;
      if (before == null) {
        take(layouts);
      } else {
        this.layouts = before.layouts;
        this.widthMinutes = before.widthMinutes;
        this.shards = before.shards;
        this.balanced = before.balanced;
        this.countedFrom = before.countedFrom;
        this.countedBytes = before.countedBytes;
        this.shardBytes = before.shardBytes;
      }
    }

    void follow(Layouts now) {
      if (layouts != now) {
        layouts = now;
        take(now);
      }
    }

    private void take(Layouts from) {
      Layout layout = from.of(type);
      balanced = layout.balanced();
      if (widthMinutes != layout.widthMinutes()) {
        widthMinutes = layout.widthMinutes();
        row = null; // it has another width
        countedFrom = Long.MIN_VALUE;
      }
      if (shards != layout.shardsPerLane()) {
        spread(layout.shardsPerLane());
      }
    }

    /// Shards keep their bytes, so that new ones catch up.
    private void spread(int newShards) {
      long[] more = newShards == 1 ? ONE_SHARD : new long[newShards];
      if (shardBytes.length > 0) {
        System.arraycopy(shardBytes, 0, more, 0, Math.min(shardBytes.length, more.length));
      } else if (more.length > 0) {
        more[0] = countedBytes;
      }
      shardBytes = more;
      shards = newShards;
    }

    void choose(long idTime, long placement) {
      if (!balanced) {
        chosen = (int) Long.remainderUnsigned(placement, shards);
        return;
      }
      long from = ticksOf(PartitionKey.bucketOf(TimeUuid.tickNanos(idTime), widthMinutes));
      if (from > countedFrom) {
        count(from);
      }
      if (from < countedFrom) {
        chosen = (chosen + 1) % shards; // late events are spread in turn
        return;
      }
      int least = 0;
      for (int i = 1; i < shards; i++) {
        least = shardBytes[i] < shardBytes[least] ? i : least;
      }
      chosen = least;
    }

    private void count(long fromTicks) {
      countedFrom = fromTicks;
      countedBytes = 0;
      Arrays.fill(shardBytes, 0);
    }

    /// @param shardOfLane of the row that was turned to
    void took(int shardOfLane, int eventBytes) {
      if (timeFrom > countedFrom) {
        count(timeFrom);
      }
      if (timeFrom == countedFrom) {
        countedBytes += eventBytes;
        if (shards > 1) {
          shardBytes[shardOfLane] += eventBytes;
        }
      }
    }

    private static long ticksOf(int bucketMinutes) {
      return TimeUuid.UNIX_EPOCH_TICKS + bucketMinutes * TICKS_PER_MINUTE;
    }

    OpenRow turnTo(OpenRows newRows, long idTime, int newShard) {
      int bucket = PartitionKey.bucketOf(TimeUuid.tickNanos(idTime), widthMinutes);
      OpenRow found = newRows.row(new PartitionKey(bucket, widthMinutes, type, newShard));
      row = found;
      rows = newRows;
      shard = newShard;
      timeFrom = ticksOf(bucket);
      timeUntil = timeFrom + widthMinutes * TICKS_PER_MINUTE;
      return found;
    }
  }
}
