package io.widerow.storage;

import io.widerow.event.EventId;
import io.widerow.event.PartitionKey;
import io.widerow.event.TimeUuid;
import java.util.Arrays;

/// Where the blocks of one partition of a segment lie, in order of ids.
///
/// - Threads: any; never changes.
final class SegmentIndex {
  private static final int BLOCK_BYTES_LEAST = 5 * Long.BYTES + 3;

  final SegmentSummary.Partition partition;

  /// How many blocks the segment has before these.
  final int blocksBefore;

  final int blocks;
  final long[] offsets;
  final int[] directoryBytes;
  final int[] blockBytes;
  final int[] events;
  private final long[] ids; // time and tail of the first, time and tail of the last, block by block

  private SegmentIndex(
      ByteSource in, PartitionKey key, boolean ownIds, int blocksBefore, int blocks, long limit) {
    this.blocksBefore = blocksBefore;
    this.blocks = blocks;
    offsets = new long[blocks];
    directoryBytes = new int[blocks];
    blockBytes = new int[blocks];
    events = new int[blocks];
    ids = new long[4 * blocks];
    long total = 0;
    for (int i = 0; i < blocks; i++) {
      readBlock(in, i, limit);
      total += events[i];
    }
    partition =
        new SegmentSummary.Partition(
            key,
            total,
            new EventId(ids[0], ids[1]),
            new EventId(ids[4 * blocks - 2], ids[4 * blocks - 1]),
            ownIds);
  }

  /// Reads a partition of an index.
  ///
  /// @param blocksBefore in the partitions before it
  /// @param limit where the blocks end and the index starts
  static SegmentIndex read(ByteSource in, int blocksBefore, long limit) {
    int keyBytes = in.readCount(1, SegmentFormat.PARTITION_KEY_BYTES_MAX, "partition key bytes");
    int keyAt = in.skip(keyBytes, "partition key");
    PartitionKey key = keyOf(in, Arrays.copyOfRange(in.bytes(), keyAt, keyAt + keyBytes));
    int ownIds = in.readByte();
    int blocks = in.readCount(1, in.left() / BLOCK_BYTES_LEAST, "blocks");
    return new SegmentIndex(in, key, ownIds != 0, blocksBefore, blocks, limit);
  }

  private static PartitionKey keyOf(ByteSource in, byte[] bytes) {
    StorageException.Corrupt corrupt;
    try {
      if (bytes.length >= 10) {
        return PartitionKey.of(bytes);
      }
      corrupt = in.corrupt("partition key of %d bytes".formatted(bytes.length));
    } catch (IllegalArgumentException noKey) {
      corrupt = in.corrupt("" + noKey.getMessage());
    }
    throw corrupt;
  }

  private void readBlock(ByteSource in, int block, long limit) {
    long offset = in.readLong();
    int directory = in.readCount(1, SegmentFormat.BLOCK_BYTES_MAX, "directory bytes");
    int bytes = in.readCount(directory, SegmentFormat.BLOCK_BYTES_MAX, "block bytes");
    if (offset < SegmentFormat.HEADER_BYTES || offset > limit - bytes) {
      throw in.corrupt("block of %d bytes at %d of %d".formatted(bytes, offset, limit));
    }
    offsets[block] = offset;
    directoryBytes[block] = directory;
    blockBytes[block] = bytes;
    events[block] = in.readCount(1, SegmentFormat.BLOCK_EVENTS_MAX, "events");
    for (int i = 4 * block; i < 4 * block + 4; i++) {
      ids[i] = in.readLong();
    }
    int at = 4 * block;
    if (!TimeUuid.isId(ids[at], ids[at + 1]) || !TimeUuid.isId(ids[at + 2], ids[at + 3])) {
      throw in.corrupt("block %d has a bound that is no id".formatted(block));
    }
    boolean rises = TimeUuid.compare(ids[at], ids[at + 1], ids[at + 2], ids[at + 3]) <= 0;
    if (block > 0) {
      rises &= TimeUuid.compare(ids[at - 2], ids[at - 1], ids[at], ids[at + 1]) <= 0;
    }
    if (!rises) {
      throw in.corrupt("ids of block %d are out of order".formatted(block));
    }
  }

  /// What is known of a block without reading it.
  StoreView.PartitionInfo info(int block) {
    return new SegmentSummary.Partition(
            partition.key(), events[block], first(block), last(block), partition.ownIds())
        .info();
  }

  /// The first id of a block.
  EventId first(int block) {
    return new EventId(ids[4 * block], ids[4 * block + 1]);
  }

  /// The last id of a block.
  EventId last(int block) {
    return new EventId(ids[4 * block + 2], ids[4 * block + 3]);
  }

  /// Compares a block's first id with `id`.
  int compareFirst(int block, EventId id) {
    return TimeUuid.compare(ids[4 * block], ids[4 * block + 1], id.time(), id.tail());
  }

  /// Compares a block's last id with `id`.
  int compareLast(int block, EventId id) {
    return TimeUuid.compare(ids[4 * block + 2], ids[4 * block + 3], id.time(), id.tail());
  }

  /// The first block whose last id is not before `from`; [#blocks] when there is none.
  int firstBlock(EventId from) {
    int low = 0;
    int high = blocks;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (compareLast(middle, from) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /// One past the last block whose first id is before `until`.
  int limitBlock(EventId until) {
    int low = 0;
    int high = blocks;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (compareFirst(middle, until) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
