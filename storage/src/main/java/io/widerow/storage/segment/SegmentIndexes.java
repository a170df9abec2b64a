package io.widerow.storage.segment;

import io.widerow.event.PartitionKey;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.AbstractList;
import java.util.List;
import java.util.RandomAccess;
import org.jspecify.annotations.Nullable;

/// Block indexes of all partitions of a segment, in native memory.
///
/// - Threads: any; immutable.
/// - Memory: 56 native bytes a block, until unreachable; 4 bytes a partition on the heap.
public final class SegmentIndexes extends AbstractList<SegmentIndex> implements RandomAccess {
  private static final long BLOCK_BYTES = (long) SegmentIndex.BLOCK_WORDS * Long.BYTES;

  private final PartitionTable partitions;
  private final int[] firstBlocks; // one more entry ends the last partition
  private final MemorySegment words;

  private SegmentIndexes(PartitionTable partitions, int[] firstBlocks, MemorySegment words) {
    this.partitions = partitions;
    this.firstBlocks = firstBlocks;
    this.words = words;
  }

  /// @param read indexes in ascending key order
  static SegmentIndexes of(List<SegmentIndex> read) {
    PartitionTable partitions =
        PartitionTable.of(read.stream().map(index -> index.partition).toList());
    int[] firstBlocks = new int[read.size() + 1];
    for (int i = 0; i < read.size(); i++) {
      firstBlocks[i + 1] = firstBlocks[i] + read.get(i).blocks;
    }
    MemorySegment words =
        Arena.ofAuto().allocate(BLOCK_BYTES * firstBlocks[read.size()], Long.BYTES);
    for (int i = 0; i < read.size(); i++) {
      MemorySegment from = read.get(i).words();
      MemorySegment.copy(from, 0, words, BLOCK_BYTES * firstBlocks[i], from.byteSize());
    }
    return new SegmentIndexes(partitions, firstBlocks, words.asReadOnly());
  }

  /// The same indexes with an equal table of partitions that other owners share.
  SegmentIndexes sharing(PartitionTable equal) {
    assert equal.size() == partitions.size() : "other partitions";
    return new SegmentIndexes(equal, firstBlocks, words);
  }

  PartitionTable partitions() {
    return partitions;
  }

  /// The index of a partition; null when the segment lacks it.
  @Nullable SegmentIndex of(PartitionKey key) {
    int found = partitions.find(key);
    return found < 0 ? null : get(found);
  }

  @Override
  public int size() {
    return partitions.size();
  }

  @Override
  public SegmentIndex get(int partition) {
    long from = BLOCK_BYTES * firstBlocks[partition];
    long until = BLOCK_BYTES * firstBlocks[partition + 1];
    return new SegmentIndex(
        partitions.get(partition), firstBlocks[partition], words.asSlice(from, until - from));
  }
}
