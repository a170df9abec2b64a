package io.widerow.storage.segment;

import io.widerow.event.EventId;
import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.rollup.RollupDefinition;
import io.widerow.storage.codec.BlockLimits;
import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.codec.IdEncoder;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.DiskFile;
import io.widerow.storage.disk.Throttle;
import io.widerow.storage.sketch.RollupsWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Writer of one segment file, see [SegmentFormat]: partitions in ascending key order, events in
/// ascending id order.
///
/// ```
/// index, for each partition:
///   varint keyBytes | key | byte ownIds | varint blocks | blocks ...
/// a block:
///   long offset | varint directoryBytes | varint blockBytes | varint events |
///   long timeFirst | long tailFirst | long timeLast | long tailLast
/// after them, for each group of blocks, see [SegmentGroups]:
///   long offset | varint directoryBytes | varint bytes | varint blocks
/// at the end a SegmentOrigin, the sizes of the cells of each partition, see CellsWriter, and those
/// of the cells of rollups, see RollupIndex
/// ```
///
/// A full block is held back until enough events follow it for a small last block.
///
/// - Threads: one.
/// - Memory: one block, the tokens of a group, the cells, and the index.
public final class SegmentWriter implements AutoCloseable {
  private static final int FORCE_BYTES = 1 << 20; // bytes written between forces

  /// Number of blocks from which a partition is long.
  private static final int LONG_BLOCKS = 2;

  private final Runnable delete;
  private final @Nullable SegmentMemory freed; // with the writer
  private final long segmentId;
  private final SegmentProfile form;
  private final SegmentChecksum checksum;
  private final BlockWriter block;
  private final GroupFilterWriter group;
  private final @Nullable CellsWriter cells; // null to write none
  private final RollupsWriter rollups;
  private final DiskFile file;
  private final ByteSink out = new ByteSink();
  private final ByteSink index = new ByteSink();
  private final ByteSink blockIndex = new ByteSink();
  private final ByteSink groupIndex = new ByteSink();
  private final List<SegmentSummary.Partition> partitions = new ArrayList<>();
  private @Nullable PartitionKey key;
  private int blockLimit; // events of the full block; 0 while it is not full
  private long unforcedBytes;
  private long fileBytes;
  private long rawBytes; // of the blocks that are written
  private int blocks;
  private int groups;
  private long events;
  private int partitionBlocks;
  private long partitionEvents;
  private boolean partitionOwnIds;
  private EventId least = EventId.LEAST;
  private EventId greatest = EventId.LEAST;
  private SegmentOrigin origin = SegmentOrigin.NONE;
  private boolean open = true;

  /// Creates the file, which must not exist.
  public SegmentWriter(Disk disk, Path path, UUID storeId, long segmentId, SegmentProfile form) {
    this(disk, path, storeId, segmentId, form, Throttle.NONE);
  }

  /// @param throttle throttle that lets other threads run between blocks
  public SegmentWriter(
      Disk disk, Path path, UUID storeId, long segmentId, SegmentProfile form, Throttle throttle) {
    this(disk, path, storeId, segmentId, form, throttle, List.of());
  }

  /// @param throttle throttle that lets other threads run between blocks
  /// @param rollups of which it writes cells
  public SegmentWriter(
      Disk disk,
      Path path,
      UUID storeId,
      long segmentId,
      SegmentProfile form,
      Throttle throttle,
      List<RollupDefinition> rollups) {
    this(
        () -> disk.create(path),
        () -> disk.delete(path),
        storeId,
        segmentId,
        new SegmentMemory(form, throttle),
        true,
        true,
        rollups);
  }

  /// Writes to a file that is kept elsewhere than on a disk, without cells.
  ///
  /// @param file empty; closed by [#finish] or [#close]
  /// @param memory shared with the writers before and after this one; one of them is open at a time
  public SegmentWriter(DiskFile file, UUID storeId, long segmentId, SegmentMemory memory) {
    this(file, storeId, segmentId, memory, false);
  }

  /// @param withCells true to write cells
  SegmentWriter(
      DiskFile file, UUID storeId, long segmentId, SegmentMemory memory, boolean withCells) {
    this(() -> file, () -> {}, storeId, segmentId, memory, false, withCells, List.of());
  }

  /// @param owned true to close the memory with the writer
  private SegmentWriter(
      Supplier<DiskFile> create,
      Runnable delete,
      UUID storeId,
      long segmentId,
      SegmentMemory memory,
      boolean owned,
      boolean withCells,
      List<RollupDefinition> defined) {
    this.delete = delete;
    this.freed = owned ? memory : null;
    this.segmentId = segmentId;
    this.form = memory.form();
    this.checksum = new SegmentChecksum(storeId, segmentId);
    this.block = memory.begin();
    this.cells = withCells ? new CellsWriter() : null;
    this.rollups = new RollupsWriter(defined);
    this.group = new GroupFilterWriter(form.filterBits(), memory.throttle());
    try {
      this.file = create.get();
    } catch (Throwable failure) {
      free();
      throw failure;
    }
    SegmentFormat.putHeader(out, withCells ? SegmentFormat.FEATURE_CELLS : 0, checksum);
  }

  /// Sets the origin of the segment; call it before [#finish].
  public void tell(SegmentOrigin madeOf) {
    origin = madeOf;
  }

  /// Starts a partition. Its key must be after all earlier ones.
  public void begin(PartitionKey partition) {
    endPartition();
    assert key == null || key.compareTo(partition) < 0 : key + " before " + partition;
    key = partition;
    if (cells != null) {
      cells.begin(partition);
    }
    rollups.begin(partition);
  }

  /// Adds an event to the partition. Its id must not be before the last one.
  public void add(EventView event) {
    assert key != null : "an event outside a partition";
    long rawBefore = block.rawBytes();
    block.add(event);
    if (cells != null) {
      cells.add(event, block.rawBytes() - rawBefore);
    }
    rollups.add(event);
    if (block.columns() >= BlockLimits.COLUMNS_FULL) {
      endBlock(block.events());
    } else if (blockLimit > 0) {
      if (block.events() >= blockLimit + form.lastEvents()
          || block.rawBytes() >= 2L * form.blockBytes()) {
        endBlock(blockLimit);
      }
    } else if (block.events() >= form.blockEvents() || block.rawBytes() >= form.blockBytes()) {
      blockLimit = block.events();
    }
  }

  /// Writes the rest of a partition. The newest events of a long one get a small block of their
  /// own, because most queries want them.
  private void endBlocks() {
    int left = block.events();
    boolean isLong = partitionEvents + left >= LONG_BLOCKS * (long) form.blockEvents();
    if (isLong && left > 2 * form.lastEvents()) {
      endBlock(left - form.lastEvents());
    } else if (blockLimit > 0) {
      endBlock(blockLimit);
    }
    endBlock(block.events());
  }

  /// Writes the first `blockEvents` events as a block. The rest start the next one.
  private void endBlock(int blockEvents) {
    blockLimit = 0;
    if (blockEvents == 0) {
      return;
    }
    IdEncoder ids = block.ids();
    EventId from = new EventId(ids.time(0), ids.tail(0));
    EventId to = new EventId(ids.time(blockEvents - 1), ids.tail(blockEvents - 1));
    least = partitionBlocks == 0 ? from : least;
    greatest = to;
    partitionOwnIds |= ids.ownIds();
    int start = out.length();
    long offset = fileBytes + start;
    rawBytes += block.rawBytes();
    int directoryBytes = block.finish(blockEvents, out, checksum, offset);
    rawBytes -= block.rawBytes(); // of the events that start the next block
    blockIndex.putLong(offset);
    blockIndex.putVarint(directoryBytes);
    blockIndex.putVarint(out.length() - start);
    blockIndex.putVarint(blockEvents);
    blockIndex.putLong(from.time());
    blockIndex.putLong(from.tail());
    blockIndex.putLong(to.time());
    blockIndex.putLong(to.tail());
    partitionBlocks++;
    partitionEvents += blockEvents;
    if (!group.takes(block.tokens())) {
      endGroup();
    }
    group.add(block.tokens());
    flush();
  }

  /// Writes the filter of the group's blocks.
  private void endGroup() {
    int groupBlocks = group.blocks();
    if (groupBlocks == 0) {
      return;
    }
    int start = out.length();
    int directoryBytes = group.finish(out, checksum, fileBytes);
    groupIndex.putLong(fileBytes + start);
    groupIndex.putVarint(directoryBytes);
    groupIndex.putVarint(out.length() - start);
    groupIndex.putVarint(groupBlocks);
    groups++;
  }

  private void flush() {
    file.write(out.memory(0), fileBytes);
    fileBytes += out.length();
    unforcedBytes += out.length();
    out.clear();
    // One force at the end of a large segment would keep the disk busy and delay the journal's
    // // groups.
    if (unforcedBytes >= FORCE_BYTES) {
      file.force();
      unforcedBytes = 0;
    }
  }

  private void endPartition() {
    endBlocks();
    if (key != null && partitionBlocks > 0) {
      byte[] keyBytes = key.toBytes();
      index.putVarint(keyBytes.length);
      index.put(keyBytes, 0, keyBytes.length);
      index.putByte(partitionOwnIds ? 1 : 0);
      index.putVarint(partitionBlocks);
      index.put(blockIndex);
      if (cells != null) {
        cells.end();
      }
      rollups.end();
      partitions.add(
          new SegmentSummary.Partition(key, partitionEvents, least, greatest, partitionOwnIds));
    }
    blockIndex.clear();
    blocks += partitionBlocks;
    events += partitionEvents;
    partitionBlocks = 0;
    partitionEvents = 0;
    partitionOwnIds = false;
  }

  /// Writes the rest, index and footer, and forces the file. The caller forces the directory.
  public SegmentSummary finish() {
    endPartition();
    endGroup();
    flush();
    rollups.write(out, checksum::of, fileBytes);
    flush();
    if (cells != null) {
      cells.write(out, checksum, fileBytes);
      flush();
    }
    long indexOffset = fileBytes;
    index.putVarint(groups);
    index.put(groupIndex);
    origin.write(index);
    if (cells != null) {
      cells.writeSizes(index);
      rollups.writeSizes(index);
    }
    out.put(index);
    SegmentFormat.putFooter(out, 0, indexOffset, partitions.size(), blocks, events, checksum);
    flush();
    file.force();
    SegmentSummary summary =
        new SegmentSummary(segmentId, PartitionTable.of(partitions), events, fileBytes);
    open = false;
    file.close();
    free();
    return summary;
  }

  /// Bytes of the events so far before encoding: their attributes, ids and versions. They follow
  /// from the events alone.
  public long rawBytes() {
    return rawBytes + block.rawBytes();
  }

  /// Bytes written so far.
  long bytes() {
    return fileBytes;
  }

  private void free() {
    if (freed != null) {
      freed.close();
    }
  }

  /// Deletes the file unless it is finished.
  @Override
  public void close() {
    if (open) {
      open = false;
      free();
      file.close();
      delete.run();
    }
  }
}
