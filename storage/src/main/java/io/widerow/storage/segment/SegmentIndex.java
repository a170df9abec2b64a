package io.widerow.storage.segment;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.widerow.event.EventId;
import io.widerow.event.PartitionKey;
import io.widerow.event.TimeUuid;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.StorageException;
import io.widerow.storage.codec.BlockLimits;
import io.widerow.storage.codec.ByteSource;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// Block index of one partition of a segment: offsets, sizes and id ranges of its blocks, in id
/// order.
///
/// ```
///   a block, 7 longs:
///   offset | directoryBytes, blockBytes | events | time and tail of the first id |
///   ... of the last
/// ```
///
/// - Threads: any; immutable.
/// - Memory: its own when just read; later a part of its segment's, see [SegmentIndexes].
public final class SegmentIndex {
  static final int BLOCK_WORDS = 7;

  private static final int BLOCK_BYTES_LEAST = 5 * Long.BYTES + 3;
  private static final int SHIFT = 32;
  private static final int SIZES = 1;
  private static final int EVENTS = 2;
  private static final int FIRST = 3;
  private static final int LAST = 5;

  public final SegmentSummary.Partition partition;

  /// Number of the segment's blocks before these.
  public final int blocksBefore;

  public final int blocks;
  private final MemorySegment words;

  /// @param words the seven longs of each of these blocks
  SegmentIndex(SegmentSummary.Partition partition, int blocksBefore, MemorySegment words) {
    this.partition = partition;
    this.blocksBefore = blocksBefore;
    this.blocks = Math.toIntExact(words.byteSize() / (BLOCK_WORDS * Long.BYTES));
    this.words = words;
  }

  /// Reads one partition of an index.
  ///
  /// @param blocksBefore number of blocks in the partitions before it
  /// @param limit file offset at which the blocks end and the index starts
  public static SegmentIndex read(ByteSource in, int blocksBefore, long limit) {
    int keyBytes = in.readCount(1, SegmentFormat.PARTITION_KEY_BYTES_MAX, "partition key bytes");
    int keyAt = in.skip(keyBytes, "partition key");
    PartitionKey key = keyOf(in, Arrays.copyOfRange(in.bytes(), keyAt, keyAt + keyBytes));
    int ownIds = in.readByte();
    int blocks = in.readCount(1, in.left() / BLOCK_BYTES_LEAST, "blocks");
    long[] words = new long[BLOCK_WORDS * blocks];
    long events = 0;
    for (int block = 0; block < blocks; block++) {
      readBlock(in, block, limit, words);
      events += words[BLOCK_WORDS * block + EVENTS];
    }
    int last = BLOCK_WORDS * (blocks - 1) + LAST;
    var partition =
        new SegmentSummary.Partition(
            key,
            events,
            new EventId(words[FIRST], words[FIRST + 1]),
            new EventId(words[last], words[last + 1]),
            ownIds != 0);
    return new SegmentIndex(partition, blocksBefore, MemorySegment.ofArray(words));
  }

  /// Reads one partition of a file of aggregates, which has no blocks.
  ///
  /// ```
  ///   varint keyBytes | key | byte ownIds | varint events | time and tail of the least id (16) |
  ///   ... of the greatest (16)
  /// ```
  static SegmentIndex readFigures(ByteSource in) {
    int keyBytes = in.readCount(1, SegmentFormat.PARTITION_KEY_BYTES_MAX, "partition key bytes");
    int keyAt = in.skip(keyBytes, "partition key");
    PartitionKey key = keyOf(in, Arrays.copyOfRange(in.bytes(), keyAt, keyAt + keyBytes));
    int ownIds = in.readByte();
    long events = in.readVarint();
    long[] bounds = {in.readLong(), in.readLong(), in.readLong(), in.readLong()};
    if (events < 1
        || !TimeUuid.isId(bounds[0], bounds[1])
        || !TimeUuid.isId(bounds[2], bounds[3])
        || TimeUuid.compare(bounds[2], bounds[3], bounds[0], bounds[1]) < 0) {
      throw in.corrupt("aggregates of %d events without bounds".formatted(events));
    }
    var partition =
        new SegmentSummary.Partition(
            key,
            events,
            new EventId(bounds[0], bounds[1]),
            new EventId(bounds[2], bounds[3]),
            ownIds != 0);
    return new SegmentIndex(partition, 0, MemorySegment.ofArray(new long[0]));
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

  private static void readBlock(ByteSource in, int block, long limit, long[] words) {
    int at = BLOCK_WORDS * block;
    long offset = in.readLong();
    int directory = in.readCount(1, BlockLimits.BYTES_MAX, "directory bytes");
    int bytes = in.readCount(directory, BlockLimits.BYTES_MAX, "block bytes");
    if (offset < SegmentFormat.HEADER_BYTES || offset > limit - bytes) {
      throw in.corrupt("block of %d bytes at %d of %d".formatted(bytes, offset, limit));
    }
    words[at] = offset;
    words[at + SIZES] = (long) directory << SHIFT | bytes;
    words[at + EVENTS] = in.readCount(1, BlockLimits.EVENTS_MAX, "events");
    for (int i = at + FIRST; i < at + BLOCK_WORDS; i++) {
      words[i] = in.readLong();
    }
    int first = at + FIRST;
    int last = at + LAST;
    if (!TimeUuid.isId(words[first], words[first + 1])
        || !TimeUuid.isId(words[last], words[last + 1])) {
      throw in.corrupt("block %d has a bound that is no id".formatted(block));
    }
    boolean rises = !isBefore(words, last, first);
    if (block > 0) {
      rises &= !isBefore(words, first, last - BLOCK_WORDS);
    }
    if (!rises) {
      throw in.corrupt("ids of block %d are out of order".formatted(block));
    }
  }

  private static boolean isBefore(long[] words, int a, int b) {
    return TimeUuid.compare(words[a], words[a + 1], words[b], words[b + 1]) < 0;
  }

  private long word(int block, int word) {
    return words.get(JAVA_LONG, 8L * (BLOCK_WORDS * (long) block + word));
  }

  /// The words of all blocks, in the form that [SegmentIndexes] stores.
  MemorySegment words() {
    return words;
  }

  /// File offset of a block.
  public long offset(int block) {
    return word(block, 0);
  }

  /// Bytes of a block's directory, including its checksum.
  public int directoryBytes(int block) {
    return (int) (word(block, SIZES) >> SHIFT);
  }

  public int blockBytes(int block) {
    return (int) word(block, SIZES);
  }

  public int events(int block) {
    return (int) word(block, EVENTS);
  }

  /// Metadata of a block, known without reading it.
  public PartitionInfo info(int block) {
    return new SegmentSummary.Partition(
            partition.key(), events(block), first(block), last(block), partition.ownIds())
        .info();
  }

  /// The first id of a block.
  public EventId first(int block) {
    return new EventId(word(block, FIRST), word(block, FIRST + 1));
  }

  /// The last id of a block.
  public EventId last(int block) {
    return new EventId(word(block, LAST), word(block, LAST + 1));
  }

  /// Compares a block's first id with `id`.
  int compareFirst(int block, EventId id) {
    return TimeUuid.compare(word(block, FIRST), word(block, FIRST + 1), id.time(), id.tail());
  }

  /// Compares a block's last id with `id`.
  int compareLast(int block, EventId id) {
    return TimeUuid.compare(word(block, LAST), word(block, LAST + 1), id.time(), id.tail());
  }

  /// The first block whose last id is not before `from`; [#blocks] when there is none.
  public int firstBlock(EventId from) {
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
  public int limitBlock(EventId until) {
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
