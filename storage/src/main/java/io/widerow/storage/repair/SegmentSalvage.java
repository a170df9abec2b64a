package io.widerow.storage.repair;

import io.widerow.event.EventId;
import io.widerow.storage.Damage;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.StorageException;
import io.widerow.storage.codec.BlockLimits;
import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.codec.ByteSource;
import io.widerow.storage.codec.IdDecoder;
import io.widerow.storage.disk.DiskFile;
import io.widerow.storage.manifest.SegmentEntry;
import io.widerow.storage.segment.BlockDirectory;
import io.widerow.storage.segment.BlockReader;
import io.widerow.storage.segment.GroupFilter;
import io.widerow.storage.segment.SegmentChecksum;
import io.widerow.storage.segment.SegmentFormat;
import io.widerow.storage.segment.SegmentGroups;
import io.widerow.storage.segment.SegmentIndex;
import io.widerow.storage.segment.SegmentSummary;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Salvage of a segment whose header, index or footer is unreadable: it finds the blocks. The
/// directory of a block or of a [GroupFilter] gives its length, so they are found one after the
/// other. The manifest gives the order of the partitions and the number of events of each:
///
/// ```
///   header | block of 3 | block of 2 | block of 4 | cut
///   manifest:  A with 5 events, B with 9           ->  A whole, B: 4 found, 5 lost
/// ```
///
/// Nothing is found after a damaged directory. A matching checksum proves that a block belongs
/// here, because it is salted with store, segment and offset.
///
/// - Threads: one.
/// - Memory: one block, and one directory of the largest size.
public final class SegmentSalvage {
  private static final int DIRECTORY_BYTES_MAX = 1 << 20;

  private final Path path;
  private final long fileBytes;
  private final SegmentChecksum checksum;
  private final byte[] window = new byte[DIRECTORY_BYTES_MAX + ByteSource.SLACK];
  private final BlockDirectory directory = new BlockDirectory();
  private final List<SegmentIndex> indexes = new ArrayList<>();
  private final List<Damage> lost = new ArrayList<>();
  private long offset = SegmentFormat.HEADER_BYTES;
  private String end = "";
  private EventId lastPut = EventId.LEAST; // of the current partition

  private SegmentSalvage(DiskFile file, UUID storeId, long segmentId) {
    this.path = file.path();
    this.fileBytes = file.size();
    this.checksum = new SegmentChecksum(storeId, segmentId);
  }

  /// @param file stays the caller's
  /// @param entry the manifest's entry of the segment
  public static SegmentSalvage of(DiskFile file, UUID storeId, SegmentEntry entry) {
    var salvage = new SegmentSalvage(file, storeId, entry.id());
    for (SegmentSummary.Partition partition : entry.partitions()) {
      salvage.find(file, partition);
    }
    return salvage;
  }

  /// Indexes of the blocks whose directories and ids are readable.
  public List<SegmentIndex> indexes() {
    return indexes;
  }

  /// Damage: what the other blocks held.
  public List<Damage> lost() {
    return lost;
  }

  /// A block as its directory describes it.
  private record Block(int events, int directoryBytes, int blockBytes) {}

  private void find(DiskFile file, SegmentSummary.Partition partition) {
    ByteSink blocks = new ByteSink();
    int count = 0;
    lastPut = EventId.LEAST;
    long left = partition.events();
    long missing = 0;
    try (BlockReader reader = new BlockReader(file, checksum)) {
      while (left > 0) {
        Block block = end.isEmpty() ? next(file) : null;
        if (block == null || block.events > left) {
          break;
        }
        left -= block.events;
        if (put(reader, partition, block, blocks)) {
          count++;
        } else {
          missing += block.events;
        }
        offset += block.blockBytes;
      }
    }
    if (left + missing > 0) {
      end = left > 0 && end.isEmpty() ? "the block belongs to no partition" : end;
      lose(partition, left + missing);
    }
    if (count > 0) {
      ByteSink index = header(partition, count);
      index.put(blocks);
      indexes.add(read(index));
    }
  }

  private void lose(SegmentSummary.Partition partition, long events) {
    PartitionInfo all = partition.info();
    var part = new PartitionInfo(all.key(), events, all.timeFirstNanos(), all.timeLastNanos());
    String found = end.isEmpty() ? "blocks whose ids are damaged" : end;
    lost.add(new Damage(Damage.Kind.BLOCK, path, offset, found, List.of(part)));
  }

  private static ByteSink header(SegmentSummary.Partition partition, int blocks) {
    ByteSink index = new ByteSink();
    byte[] key = partition.key().toBytes();
    index.putVarint(key.length);
    index.put(key, 0, key.length);
    index.putByte(partition.ownIds() ? 1 : 0);
    index.putVarint(blocks);
    return index;
  }

  private SegmentIndex read(ByteSink index) {
    byte[] bytes = Arrays.copyOf(index.bytes(), index.length() + ByteSource.SLACK);
    return SegmentIndex.read(new ByteSource(path).over(bytes, 0, index.length(), 0), 0, fileBytes);
  }

  /// The block at `offset`, or after the filters there; null when none can be recognized.
  private @Nullable Block next(DiskFile file) {
    try {
      ByteSource in = piece(file);
      while (in.left() > 0 && in.bytes()[in.at()] == 0) {
        offset += filterBytes(in);
        in = piece(file);
      }
      Block block = parse(in);
      if (offset + block.blockBytes <= fileBytes) {
        return block;
      }
      end = "the file ends inside a block";
    } catch (StorageException.Corrupt damaged) {
      end = damaged.found;
    }
    return null;
  }

  /// The block or filter that starts at `offset`.
  private ByteSource piece(DiskFile file) {
    int there = (int) Math.min(DIRECTORY_BYTES_MAX, Math.max(0, fileBytes - offset));
    long got = file.read(MemorySegment.ofArray(window).asSlice(0, there), offset);
    return new ByteSource(path).over(window, 0, (int) got, offset);
  }

  /// Size of a [GroupFilter], read from its directory.
  private long filterBytes(ByteSource in) {
    in.readByte();
    in.readByte();
    int blocks = in.readCount(1, SegmentGroups.BLOCKS_MAX, "blocks of a filter");
    int pageLines = in.readCount(1, SegmentGroups.BLOCKS_MAX, "lines of a page");
    int columns = in.readCount(1, in.left(), "columns of a filter");
    long bytes = 0;
    for (int i = 0; i < columns; i++) {
      in.skip(in.readByte(), "attribute name");
      int lines = in.readCount(1, GroupFilter.LINES_MAX, "lines of a filter");
      bytes += GroupFilter.columnBytes(lines, blocks, pageLines);
    }
    int directory = in.at();
    if (in.readInt() != checksum.of(window, 0, directory, offset)) {
      throw in.corrupt("a filter with a wrong checksum");
    }
    return bytes + directory + SegmentFormat.CRC_BYTES;
  }

  private Block parse(ByteSource in) {
    long bytes = directory.readNext(in);
    int directoryBytes = in.at();
    if (in.readInt() != checksum.of(window, 0, directoryBytes, offset)) {
      throw in.corrupt("a directory with a wrong checksum");
    }
    directoryBytes += SegmentFormat.CRC_BYTES;
    if (directoryBytes + bytes > BlockLimits.BYTES_MAX) {
      throw in.corrupt("a block of %d bytes".formatted(directoryBytes + bytes));
    }
    return new Block(directory.events, directoryBytes, (int) (directoryBytes + bytes));
  }

  /// Adds a block to a partition's index. Returns false when its ids are unreadable or not after
  /// those of the previous block.
  private boolean put(
      BlockReader reader, SegmentSummary.Partition partition, Block block, ByteSink blocks) {
    ByteSink alone = header(partition, 1);
    put(alone, block, partition.least(), partition.greatest());
    try {
      reader.open(read(alone), 0);
      reader.readIds();
    } catch (StorageException.Corrupt damaged) {
      return false;
    }
    IdDecoder ids = reader.ids();
    EventId first = new EventId(ids.times[0], ids.tails[0]);
    if (first.compareTo(lastPut) < 0) {
      return false;
    }
    int last = block.events - 1;
    lastPut = new EventId(ids.times[last], ids.tails[last]);
    put(blocks, block, first, lastPut);
    return true;
  }

  private void put(ByteSink blocks, Block block, EventId first, EventId last) {
    blocks.putLong(offset);
    blocks.putVarint(block.directoryBytes);
    blocks.putVarint(block.blockBytes);
    blocks.putVarint(block.events);
    blocks.putLong(first.time());
    blocks.putLong(first.tail());
    blocks.putLong(last.time());
    blocks.putLong(last.tail());
  }
}
