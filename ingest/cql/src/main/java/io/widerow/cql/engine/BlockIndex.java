package io.widerow.cql.engine;

import io.widerow.cql.fragment.Keys;
import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.codec.ByteSource;
import io.widerow.storage.disk.DiskFile;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The index of a table file: where its blocks of rows are, and the last key of each.
///
/// - Threads: any; immutable.
final class BlockIndex {
  private final byte[] firstKey;
  private final byte[][] lastKeys;
  private final long[] starts;
  private final long[] ends;

  private BlockIndex(byte[] firstKey, byte[][] lastKeys, long[] starts, long[] ends) {
    this.firstKey = firstKey;
    this.lastKeys = lastKeys;
    this.starts = starts;
    this.ends = ends;
  }

  /// Reads the index of a file, whose blocks of rows are without gaps up to the index.
  ///
  /// @throws io.widerow.storage.StorageException.Corrupt when the blocks are not in order
  static BlockIndex read(ByteSource in, long indexAt) {
    byte[] firstKey = key(in);
    int count = in.readCount(1, Math.max(1, in.left()), "blocks");
    long[] starts = new long[count];
    byte[][] lastKeys = new byte[count][];
    for (int i = 0; i < count; i++) {
      starts[i] = in.readVarint();
      lastKeys[i] = key(in);
      long least = i == 0 ? TableFileFormat.HEAD_BYTES : starts[i - 1] + 1;
      byte[] before = i == 0 ? firstKey : lastKeys[i - 1];
      int order = Arrays.compareUnsigned(before, lastKeys[i]);
      if (starts[i] < least || starts[i] >= indexAt || order > 0 || (order == 0 && i > 0)) {
        throw in.corrupt("block %d of the index is not behind the one before".formatted(i));
      }
    }
    if (starts[0] != TableFileFormat.HEAD_BYTES) {
      throw in.corrupt("the first block is at " + starts[0]);
    }
    in.requireEnd("the index");
    long[] ends = Arrays.copyOfRange(starts, 1, count + 1);
    ends[count - 1] = indexAt;
    return new BlockIndex(firstKey, lastKeys, starts, ends);
  }

  private static byte[] key(ByteSource in) {
    int bytes = in.readCount(1, 0xffff, "bytes of a key");
    int at = in.skip(bytes, "a key");
    return Arrays.copyOfRange(in.bytes(), at, at + bytes);
  }

  /// Finds the blocks of a file whose index or foot cannot be read: one block leads to the next, as
  /// long as lengths make sense. Blocks without rows, or damaged ones, leave gaps.
  static BlockIndex salvage(DiskFile file, BlockExpander reader) {
    byte[] firstKey = new byte[0];
    List<byte[]> lastKeys = new ArrayList<>();
    List<Long> starts = new ArrayList<>();
    List<Long> ends = new ArrayList<>();
    long at = TableFileFormat.HEAD_BYTES;
    long size = file.size();
    while (at + TableFileFormat.BLOCK_HEAD_BYTES < size) {
      byte[] head = TableFileFormat.read(file, at, TableFileFormat.BLOCK_HEAD_BYTES);
      int stored = (int) ByteSink.INT.get(head, 4);
      long next = at + TableFileFormat.BLOCK_HEAD_BYTES + stored;
      if (stored < 0 || next > size) {
        break;
      }
      if (reader.hasRows(at, next)) {
        firstKey = lastKeys.isEmpty() ? reader.rows().firstKey() : firstKey;
        lastKeys.add(reader.rows().lastKey());
        starts.add(at);
        ends.add(next);
      }
      at = next;
    }
    return new BlockIndex(
        firstKey, lastKeys.toArray(byte[][]::new), offsets(starts), offsets(ends));
  }

  private static long[] offsets(List<Long> all) {
    return all.stream().mapToLong(Long::longValue).toArray();
  }

  /// Number of blocks.
  int count() {
    return lastKeys.length;
  }

  /// Offset of a block in the file.
  long start(int block) {
    return starts[block];
  }

  long end(int block) {
    return ends[block];
  }

  /// Bytes that a block takes in the file.
  long bytes(int block) {
    return ends[block] - starts[block];
  }

  /// The first key of the file for the first block, else the last key of the block before.
  byte[] keyBefore(int block) {
    return block == 0 ? firstKey : lastKeys[block - 1];
  }

  byte[] lastKey(int block) {
    return lastKeys[block];
  }

  /// False when the file has no key of a range.
  boolean meets(KeyRange range) {
    return range.meets(firstKey, lastKeys[lastKeys.length - 1]);
  }

  /// The first block whose last key is not before a key.
  int find(MemorySegment key, int keyBytes) {
    int low = 0;
    int high = count();
    while (low < high) {
      int middle = (low + high) >>> 1;
      byte[] last = lastKeys[middle];
      if (Keys.compare(MemorySegment.ofArray(last), 0, last.length, key, 0, keyBytes) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
