package io.widerow.cql.engine;

import io.widerow.cql.fragment.Keys;
import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.codec.ByteSource;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;

/// The rows of one block of a table file, with their whole keys. It is reused for block after
/// block.
///
/// - Threads: one.
final class BlockRows {
  private final ByteSource in;
  private final ByteSink keys = new ByteSink();
  private int[] keyEnds = new int[128];
  private int[] partitions = new int[128];
  private int[] fragments = new int[128];
  private int[] fragmentEnds = new int[128];
  private int count;
  private MemorySegment keyMemory = MemorySegment.NULL;
  private MemorySegment raw = MemorySegment.NULL;

  BlockRows(Path file) {
    this.in = new ByteSource(file);
  }

  /// @param bytes with [ByteSource#SLACK] more than the block has
  /// @param fileOffset of the block, for messages
  void read(byte[] bytes, int length, long fileOffset) {
    in.over(bytes, 0, length, fileOffset);
    keys.clear();
    count = 0;
    while (in.left() > 0) {
      int before = count == 0 ? 0 : keyBytes(count - 1);
      int shared = in.readCount(0, before, "bytes that keys share");
      int more = in.readCount(0, Math.min(0xffff - shared, in.left()), "bytes of a key");
      int partition = in.readCount(0, Math.max(0, shared + more - 1), "bytes of a partition");
      int fragment = in.readCount(1, Math.max(1, in.left()), "bytes of a fragment");
      if (count == keyEnds.length) {
        grow();
      }
      int start = keys.length();
      byte[] target = keys.reserve(shared + more);
      if (count > 0) {
        System.arraycopy(target, keyStart(count - 1), target, start, shared);
      }
      System.arraycopy(bytes, in.skip(more, "a key"), target, start + shared, more);
      keys.advance(shared + more);
      if (count > 0
          && Arrays.compareUnsigned(
                  target, keyStart(count - 1), start, target, start, start + shared + more)
              >= 0) {
        throw in.corrupt("keys that do not ascend");
      }
      keyEnds[count] = keys.length();
      partitions[count] = partition;
      fragments[count] = in.skip(fragment, "a fragment");
      fragmentEnds[count] = fragments[count] + fragment;
      count++;
    }
    if (count == 0) {
      throw in.corrupt("a block without rows");
    }
    keyMemory = MemorySegment.ofArray(keys.bytes());
    raw = MemorySegment.ofArray(bytes);
  }

  /// Has no rows from now on.
  void clear() {
    count = 0;
  }

  private void grow() {
    keyEnds = Arrays.copyOf(keyEnds, 2 * count);
    partitions = Arrays.copyOf(partitions, 2 * count);
    fragments = Arrays.copyOf(fragments, 2 * count);
    fragmentEnds = Arrays.copyOf(fragmentEnds, 2 * count);
  }

  int count() {
    return count;
  }

  MemorySegment keyMemory() {
    return keyMemory;
  }

  int keyStart(int row) {
    return row == 0 ? 0 : keyEnds[row - 1];
  }

  int keyBytes(int row) {
    return keyEnds[row] - keyStart(row);
  }

  int partition(int row) {
    return partitions[row];
  }

  byte[] firstKey() {
    return Arrays.copyOf(keys.bytes(), keyEnds[0]);
  }

  byte[] lastKey() {
    return Arrays.copyOfRange(keys.bytes(), keyStart(count - 1), keyEnds[count - 1]);
  }

  MemorySegment raw() {
    return raw;
  }

  int fragment(int row) {
    return fragments[row];
  }

  int fragmentEnd(int row) {
    return fragmentEnds[row];
  }

  /// Bytes of the block that the rows of a range take.
  long rawBytes(KeyRange range) {
    int from = before(range.from(), range.fromBytes());
    int until = before(range.until(), range.untilBytes());
    return from >= until ? 0 : fragmentEnds[until - 1] - (from == 0 ? 0L : fragmentEnds[from - 1]);
  }

  /// The number of rows before a key.
  int before(MemorySegment key, int keyBytes) {
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (Keys.compare(keyMemory, keyStart(middle), keyBytes(middle), key, 0, keyBytes) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
