package io.widerow.storage.segment;

import io.widerow.storage.codec.ByteSource;
import java.util.Arrays;

/// Index of a segment's [GroupFilter]s. Blocks are numbered in partition order, and each belongs to
/// one group.
///
/// ```
/// after the partitions of the index:
///   varint groups | a group: long offset | varint directoryBytes | varint bytes | varint blocks
/// ```
///
/// - Threads: any; immutable.
public final class SegmentGroups {
  /// For a segment without groups.
  static final SegmentGroups NONE = new SegmentGroups(0);

  /// Most blocks of a group: one bit of a long for each.
  public static final int BLOCKS_MAX = Long.SIZE;

  private static final int GROUP_BYTES_LEAST = Long.BYTES + 3;

  public final int groups;
  public final long[] offsets;

  /// By group, including the checksum; 0 when the group has no filter.
  public final int[] directoryBytes;

  /// By group, bytes of the whole filter.
  final int[] bytes;

  private final int[] firstBlocks; // one more entry ends the last group

  private SegmentGroups(int groups) {
    this.groups = groups;
    offsets = new long[groups];
    directoryBytes = new int[groups];
    bytes = new int[groups];
    firstBlocks = new int[groups + 1];
  }

  /// Reads the groups from an index.
  ///
  /// @param blocks number of the segment's blocks
  /// @param limit file offset at which the filters end and the index starts
  public static SegmentGroups read(ByteSource in, int blocks, long limit) {
    int count = in.readCount(0, in.left() / GROUP_BYTES_LEAST, "groups of blocks");
    SegmentGroups read = new SegmentGroups(count);
    for (int i = 0; i < count; i++) {
      read.offsets[i] = in.readLong();
      read.directoryBytes[i] = in.readCount(0, SegmentFormat.FILTER_BYTES_MAX, "directory bytes");
      read.bytes[i] =
          in.readCount(read.directoryBytes[i], SegmentFormat.FILTER_BYTES_MAX, "filter bytes");
      read.firstBlocks[i + 1] = read.firstBlocks[i] + in.readCount(1, BLOCKS_MAX, "blocks");
      boolean inside =
          read.offsets[i] >= SegmentFormat.HEADER_BYTES && read.offsets[i] <= limit - read.bytes[i];
      if (read.hasFilter(i) && (!inside || read.directoryBytes[i] <= SegmentFormat.CRC_BYTES)) {
        throw in.corrupt(
            "filter of %d bytes at %d of %d".formatted(read.bytes[i], read.offsets[i], limit));
      }
    }
    if (read.firstBlocks[count] != blocks) {
      throw in.corrupt("groups of %d blocks, of %d".formatted(read.firstBlocks[count], blocks));
    }
    return read;
  }

  public boolean hasFilter(int group) {
    return directoryBytes[group] > 0;
  }

  /// The group of a block; negative when it has none.
  public int groupOf(int block) {
    if (groups == 0) {
      return -1;
    }
    int found = Arrays.binarySearch(firstBlocks, block);
    return found < 0 ? -found - 2 : found;
  }

  /// The first block of a group; for [#groups], the number of blocks.
  public int firstBlock(int group) {
    return firstBlocks[group];
  }
}
