package io.widerow.storage.rows;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.widerow.event.EventLayout;
import io.widerow.event.PartitionKey;
import io.widerow.event.TimeUuid;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/// Lookup table from an event's type to its open row. For each type it caches the row of the last
/// bucket and shard, so a batch costs one comparison of the type's bytes an event. Only a miss
/// allocates a [PartitionKey].
///
/// - Threads: the lane's.
public final class TypeTable {
  private static final long TICKS_PER_MINUTE =
      PartitionKey.NANOS_PER_MINUTE / TimeUuid.NANOS_PER_TICK;

  private final ToIntFunction<String> widthMinutes;
  private final Map<String, Slot> slots = new HashMap<>();
  private Slot last = new Slot("", 60);

  /// @param widthMinutes of the buckets that new events of a type go to
  public TypeTable(ToIntFunction<String> widthMinutes) {
    this.widthMinutes = widthMinutes;
  }

  /// The row for a record.
  public OpenRow row(OpenRows rows, MemorySegment events, long offset, int shard) {
    Slot slot = slot(events, EventLayout.typeOffset(offset), EventLayout.typeBytes(events, offset));
    long idTime = EventLayout.idTime(events, offset);
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

  private Slot slot(MemorySegment events, long typeOffset, int typeBytes) {
    if (last.is(events, typeOffset, typeBytes)) {
      return last;
    }
    byte[] utf8 = events.asSlice(typeOffset, typeBytes).toArray(JAVA_BYTE);
    String type = new String(utf8, StandardCharsets.UTF_8);
    last = slots.computeIfAbsent(type, name -> new Slot(name, widthMinutes.applyAsInt(name)));
    return last;
  }

  /// Forgets all types. Called when rows are sealed, so that the table keeps no type that came only
  /// once and holds no more types than the last rows did.
  public void clear() {
    slots.clear();
    last = new Slot("", 60);
  }

  /// A type and the row of its last event.
  private static final class Slot {
    private final String type;
    private final MemorySegment utf8;
    private final int widthMinutes;
    private @Nullable OpenRow row;
    private @Nullable OpenRows rows;
    private int shard;
    private long timeFrom;
    private long timeUntil;

    Slot(String type, int widthMinutes) {
      this.type = type;
      this.utf8 = MemorySegment.ofArray(type.getBytes(StandardCharsets.UTF_8));
      this.widthMinutes = widthMinutes;
    }

    boolean is(MemorySegment events, long typeOffset, int typeBytes) {
      return utf8.byteSize() == typeBytes
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
