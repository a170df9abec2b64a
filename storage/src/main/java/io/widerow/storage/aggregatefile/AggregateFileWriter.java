package io.widerow.storage.aggregatefile;

import io.widerow.event.AttributeValue;
import io.widerow.event.EventId;
import io.widerow.event.EventLayout;
import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.rollup.RollupDefinition;
import io.widerow.rollup.RollupShape;
import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.DiskFile;
import io.widerow.storage.disk.ReadDeadline;
import io.widerow.storage.segment.Cells;
import io.widerow.storage.segment.CellsWriter;
import io.widerow.storage.segment.PartitionTable;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentCells;
import io.widerow.storage.segment.SegmentChecksum;
import io.widerow.storage.segment.SegmentFormat;
import io.widerow.storage.segment.SegmentOrigin;
import io.widerow.storage.segment.SegmentSummary;
import io.widerow.storage.sketch.RollupIndex;
import io.widerow.storage.sketch.RollupsWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Writer of one file of aggregates: a segment without blocks and filters. Its partitions ascend by
/// key; each is counted from events, or copied from a segment that has its cells.
///
/// ```
///  +--------+------------------+-------+-------+--------+
///  | header | cells of rollups | cells | index | footer |
///  +--------+------------------+-------+-------+--------+
/// ```
///
/// - Threads: one.
/// - Memory: all cells, see [#bytes], and the index.
public final class AggregateFileWriter implements AutoCloseable {
  /// Bytes of cells from which a file should end.
  public static final long BYTES_FULL = 16 << 20;

  private final Disk disk;
  private final Path path;
  private final long id;
  private final SegmentChecksum checksum;
  private final CellsWriter cells = new CellsWriter();
  private final RollupsWriter rollups;
  private final DiskFile file;
  private final ByteSink out = new ByteSink();
  private final ByteSink index = new ByteSink();
  private final List<SegmentSummary.Partition> partitions = new ArrayList<>();
  private final AttributeValue scratch = new AttributeValue();
  private @Nullable PartitionKey key; // of the partition that is counted
  private EventId least = EventId.LEAST;
  private EventId greatest = EventId.LEAST;
  private boolean ownIds;
  private long events;
  private long allEvents;
  private SegmentOrigin origin = SegmentOrigin.NONE;
  private boolean open = true;

  /// Creates the file, which must not exist.
  ///
  /// @param kept rollups whose cells are counted from events
  public AggregateFileWriter(
      Disk disk, Path path, UUID storeId, long id, List<RollupDefinition> kept) {
    this.disk = disk;
    this.path = path;
    this.id = id;
    this.checksum = new SegmentChecksum(storeId, id);
    this.rollups = new RollupsWriter(kept);
    this.file = disk.create(path);
  }

  /// Bytes of the cells of rollups so far.
  public long bytes() {
    return rollups.bytes();
  }

  public boolean isEmpty() {
    return partitions.isEmpty();
  }

  /// Starts a partition that is counted from events. Its key must be after all earlier ones.
  public void begin(PartitionKey partition) {
    key = partition;
    events = 0;
    ownIds = false;
    cells.begin(partition);
    rollups.begin(partition);
  }

  /// Counts an event of the partition. Its id must not be before the last one.
  public void add(EventView event) {
    greatest = event.id();
    least = events == 0 ? greatest : least;
    events++;
    ownIds |= event.version() != EventLayout.VERSION_ASSIGNED;
    cells.add(event, event.plainBytes(scratch));
    rollups.add(event);
  }

  /// Ends the partition, which has events.
  public void end() {
    PartitionKey counted = key;
    if (counted == null || events == 0) {
      throw new IllegalStateException("a partition without events: " + counted);
    }
    cells.end();
    rollups.end();
    put(new SegmentSummary.Partition(counted, events, least, greatest, ownIds));
    key = null;
  }

  /// Copies the cells of a partition, with those of all its rollups, or of some.
  ///
  /// @param partition its number in the segment, which has cells of it
  /// @param as the key that it gets: of the same bucket and type
  /// @param shapes rollups to copy; null for all
  /// @throws io.widerow.storage.StorageException.Corrupt when they are damaged; nothing was added
  public void copy(
      Segment from, int partition, PartitionKey as, @Nullable Set<RollupShape> shapes) {
    SegmentSummary.Partition of = from.partitions().get(partition);
    Cells counted =
        new SegmentCells.Reader(from, ReadDeadline.NONE, false).read(partition, partition + 1);
    var groups = new SegmentCells.GroupReader(from, ReadDeadline.NONE);
    RollupIndex there = from.rollups();
    List<RollupsWriter.Copied> copied = new ArrayList<>();
    for (int piece = 0; piece < there.pieces(partition); piece++) {
      RollupShape shape = there.shape(partition, piece);
      if (shapes == null || shapes.contains(shape)) {
        copied.add(new RollupsWriter.Copied(shape, groups.copy(partition, piece)));
      }
    }
    cells.begin(as);
    for (int cell = 0; cell < counted.size(); cell++) {
      cells.add(counted, cell);
    }
    cells.end();
    rollups.copy(copied);
    put(new SegmentSummary.Partition(as, of.events(), of.least(), of.greatest(), of.ownIds()));
  }

  private void put(SegmentSummary.Partition partition) {
    byte[] keyBytes = partition.key().toBytes();
    index.putVarint(keyBytes.length);
    index.put(keyBytes, 0, keyBytes.length);
    index.putByte(partition.ownIds() ? 1 : 0);
    index.putVarint(partition.events());
    index.putLong(partition.least().time());
    index.putLong(partition.least().tail());
    index.putLong(partition.greatest().time());
    index.putLong(partition.greatest().tail());
    partitions.add(partition);
    allEvents += partition.events();
  }

  /// The number of the file.
  public long id() {
    return id;
  }

  /// Writes the origin: the files that this file replaces.
  public void tell(SegmentOrigin madeOf) {
    origin = madeOf;
  }

  /// Writes the file and forces it. The caller forces the directory.
  public SegmentSummary finish() {
    SegmentFormat.putHeader(out, SegmentFormat.FIGURES, checksum);
    rollups.write(out, checksum::of, 0);
    cells.write(out, checksum, 0);
    int indexAt = out.length();
    origin.write(index);
    cells.writeSizes(index);
    rollups.writeSizes(index);
    out.put(index);
    SegmentFormat.putFooter(out, indexAt, indexAt, partitions.size(), 0, allEvents, checksum);
    file.write(out.memory(0), 0);
    file.force();
    open = false;
    file.close();
    return new SegmentSummary(id, PartitionTable.of(partitions), allEvents, out.length());
  }

  /// Deletes the file unless it is finished.
  @Override
  public void close() {
    if (open) {
      open = false;
      file.close();
      disk.delete(path);
    }
  }
}
