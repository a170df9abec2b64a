package io.widerow.storage.cassandra.value;

import io.widerow.event.EventId;
import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.storage.StorageException;
import io.widerow.storage.cassandra.keyspace.DirectoryRow;
import io.widerow.storage.cassandra.keyspace.SegmentKey;
import io.widerow.storage.disk.MemoryFile;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentMemory;
import io.widerow.storage.segment.SegmentProfile;
import io.widerow.storage.segment.SegmentSummary;
import io.widerow.storage.segment.SegmentWriter;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.zip.CRC32C;

/// A cluster segment: a segment file (`FORMAT-segment.md`) of one partition, as the value of a row.
/// Its checksums are salted with the id of the cluster's store and segment number 0; the directory
/// has the CRC32C of the whole value, so that a value under a wrong key is found.
public final class SegmentValue {
  /// Number of every cluster segment in its checksums: rows of the cluster have keys instead.
  public static final long SEGMENT_ID = 0;

  /// Events of a value at which it is full.
  public static final int EVENTS_MAX = 16_384;

  /// Bytes of events before encoding, see [SegmentWriter#rawBytes], at which a value is full. With
  /// the largest event above it a value stays well below the 8 MiB of a statement, even when
  /// nothing of it can be compressed.
  public static final long RAW_BYTES_MAX = 4L << 20;

  /// Of segments as they are applied. They have no token filters, which take a seventh of the time
  /// of encoding: a reader has to fetch the whole value before it could look into them.
  public static final SegmentProfile APPLIED =
      new SegmentProfile(
          SegmentProfile.SEALED.zstdLevel(),
          SegmentProfile.SEALED.blockEvents(),
          SegmentProfile.SEALED.blockBytes(),
          0);

  private static final int BYTES_EXPECTED = 16 << 10;

  private SegmentValue() {}

  /// An encoded segment.
  ///
  /// @param bytes of the value, on the heap; belongs to the receiver
  /// @param first id of its first event
  /// @param last id of its last event
  /// @param own true when an event has a client's id
  /// @param crc CRC32C of the value
  public record Encoded(
      ByteBuffer bytes, EventId first, EventId last, int events, boolean own, int crc) {
    /// Its row of the directory.
    public DirectoryRow row(SegmentKey key) {
      return new DirectoryRow(key, first, last, events, bytes.remaining(), own, crc);
    }
  }

  /// Encodes the events of a partition, in ascending order of ids, into values. When [#isFull], the
  /// caller takes the value with [#finish] and continues with the next one: the cuts follow from
  /// the events alone, so the same events give the same values.
  ///
  /// - Threads: one.
  /// - Memory: one block of events and the value so far.
  public static final class Writer implements AutoCloseable {
    private final PartitionKey partition;
    private final SegmentMemory memory;
    private final boolean owned;
    private final UUID storeId;
    private MemoryFile file = new MemoryFile(BYTES_EXPECTED);
    private SegmentWriter writer;
    private int events;

    /// @param profile [#APPLIED] for applied segments, FINAL for merged ones
    /// @param storeId id of the cluster's store
    public Writer(PartitionKey partition, SegmentProfile profile, UUID storeId) {
      this(partition, new SegmentMemory(profile), true, storeId);
    }

    /// @param memory of the caller, for one writer after another
    /// @param storeId id of the cluster's store
    public Writer(PartitionKey partition, SegmentMemory memory, UUID storeId) {
      this(partition, memory, false, storeId);
    }

    private Writer(PartitionKey partition, SegmentMemory memory, boolean owned, UUID storeId) {
      this.partition = partition;
      this.memory = memory;
      this.owned = owned;
      this.storeId = storeId;
      this.writer = begin();
    }

    private SegmentWriter begin() {
      SegmentWriter begun = new SegmentWriter(file, storeId, SEGMENT_ID, memory);
      begun.begin(partition);
      return begun;
    }

    /// Adds an event, whose id must not be before the last one.
    public void add(EventView event) {
      writer.add(event);
      events++;
    }

    /// Events since the last [#finish].
    public int events() {
      return events;
    }

    /// Bytes of these events before encoding.
    public long rawBytes() {
      return writer.rawBytes();
    }

    /// True when the value should be taken.
    public boolean isFull() {
      return events >= EVENTS_MAX || writer.rawBytes() >= RAW_BYTES_MAX;
    }

    /// Encodes the events since the last call.
    ///
    /// @throws IllegalStateException when there are none
    public Encoded finish() {
      if (events == 0) {
        throw new IllegalStateException("a segment of %s without events".formatted(partition));
      }
      SegmentSummary.Partition summary = writer.finish().partitions().get(0);
      ByteBuffer bytes = file.take();
      file = new MemoryFile(bytes.remaining());
      writer = begin();
      events = 0;
      return new Encoded(
          bytes,
          summary.least(),
          summary.greatest(),
          Math.toIntExact(summary.events()),
          summary.ownIds(),
          crc(bytes));
    }

    /// Drops an unfinished value.
    @Override
    public void close() {
      writer.close();
      if (owned) {
        memory.close();
      }
    }
  }

  /// CRC32C of a value, from its position to its limit.
  public static int crc(ByteBuffer value) {
    CRC32C crc = new CRC32C();
    crc.update(value.duplicate());
    return (int) crc.getValue();
  }

  /// Opens a value for reading, from any thread. It reads from the value itself, without a copy.
  ///
  /// @param value from its position to its limit; must not change any more
  /// @param row its row in the directory
  /// @param storeId id of the cluster's store
  /// @throws StorageException.Corrupt when the value is not the one of this row; names the row's
  ///   key
  /// @throws StorageException.Incompatible when a newer program wrote it
  public static Segment open(ByteBuffer value, DirectoryRow row, UUID storeId) {
    if (value.remaining() != row.bytes()) {
      throw corrupt(
          row, "%d bytes, the directory says %d".formatted(value.remaining(), row.bytes()));
    }
    int crc = crc(value);
    if (crc != row.crc()) {
      throw corrupt(row, "CRC32C %08x, the directory says %08x".formatted(crc, row.crc()));
    }
    Segment segment = Segment.open(new ValueFile(row.key(), value), storeId, SEGMENT_ID);
    try {
      requireHolds(segment, row);
      return segment;
    } catch (StorageException.Corrupt wrong) {
      segment.close();
      throw wrong;
    }
  }

  private static void requireHolds(Segment segment, DirectoryRow row) {
    PartitionKey partition = row.key().partition();
    SegmentSummary.Partition held = segment.partitions().of(partition);
    if (held == null || segment.partitions().size() != 1) {
      throw corrupt(row, "it holds partitions %s".formatted(keysOf(segment)));
    }
    if (held.events() != row.events()
        || !held.least().equals(row.first())
        || !held.greatest().equals(row.last())) {
      throw corrupt(
          row,
          "%d events %s to %s, the directory says %d events %s to %s"
              .formatted(
                  held.events(),
                  held.least(),
                  held.greatest(),
                  row.events(),
                  row.first(),
                  row.last()));
    }
  }

  private static String keysOf(Segment segment) {
    return segment.partitions().stream()
        .limit(3)
        .map(part -> part.key().toString())
        .toList()
        .toString();
  }

  private static StorageException.Corrupt corrupt(DirectoryRow row, String found) {
    return new StorageException.Corrupt(ValueFile.pathOf(row.key()), 0, found)
        .in(row.key().partition());
  }
}
