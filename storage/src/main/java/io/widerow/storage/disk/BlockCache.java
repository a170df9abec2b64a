package io.widerow.storage.disk;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/// Blocks of files, expanded, for the next reader that wants them. It is set-associative: a block
/// belongs to one set, in which it replaces the least recently used block. A large scan bypasses
/// the cache, so that it does not evict blocks that others read again.
///
/// A block is copied in and out, so nothing in use can be freed or overwritten. Copying costs
/// little compared with expanding.
///
/// - Threads: any; each set has a lock, held while a block is copied.
/// - Memory: native, of a set when its first block comes, freed with the cache by the collector.
///   Blocks of more than [#BLOCK_BYTES_MAX] are not kept.
public final class BlockCache {
  /// The most bytes of a block that is kept: blocks of table files end with the row that goes
  /// beyond 16 KiB.
  public static final int BLOCK_BYTES_MAX = 20 << 10;

  private static final int WAYS = 8;
  private static final long MIX = 0x9e37_79b9_7f4a_7c15L; // 2^64 / golden ratio (Fibonacci hashing)

  private final BlockSet[] sets;

  /// @param bytes at most so many are used; too few for one set keep nothing
  public BlockCache(long bytes) {
    long wanted = bytes / ((long) WAYS * BLOCK_BYTES_MAX);
    sets = new BlockSet[(int) Math.min(wanted, 1 << 20)];
    for (int i = 0; i < sets.length; i++) {
      sets[i] = new BlockSet();
    }
  }

  /// Keeps nothing.
  public static BlockCache none() {
    return new BlockCache(0);
  }

  private @Nullable BlockSet setOf(long file, long offset) {
    if (sets.length == 0) {
      return null;
    }
    long hash = (file * MIX ^ offset) * MIX;
    return sets[(int) Math.unsignedMultiplyHigh(hash, sets.length)];
  }

  /// Copies a block, if it is there.
  ///
  /// @param file id of the file, which no other file had or will have
  /// @param offset of the block in it
  /// @param into has room for [#BLOCK_BYTES_MAX]
  /// @return bytes of the block; 0 when it is not there
  public int find(long file, long offset, byte[] into) {
    BlockSet set = setOf(file, offset);
    return set == null ? 0 : set.find(file, offset, into);
  }

  /// Keeps a copy of a block, unless it is too large.
  public void keep(long file, long offset, byte[] block, int length) {
    BlockSet set = length > BLOCK_BYTES_MAX ? null : setOf(file, offset);
    if (set != null) {
      set.keep(file, offset, block, length);
    }
  }

  /// A few blocks.
  private static final class BlockSet {
    private final long[] files = new long[WAYS];
    private final long[] offsets = new long[WAYS];
    private final int[] lengths = new int[WAYS]; // 0 for none
    private final long[] asked = new long[WAYS]; // the greater, the later
    private long askedLast;
    private @Nullable MemorySegment blocks;

    synchronized int find(long file, long offset, byte[] into) {
      int way = wayOf(file, offset);
      MemorySegment from = blocks;
      if (way < 0 || from == null) {
        return 0;
      }
      asked[way] = ++askedLast;
      MemorySegment.copy(from, ValueLayout.JAVA_BYTE, start(way), into, 0, lengths[way]);
      return lengths[way];
    }

    synchronized void keep(long file, long offset, byte[] block, int length) {
      if (wayOf(file, offset) >= 0) {
        return; // another reader was faster
      }
      MemorySegment to = blocks;
      if (to == null) {
        to = Arena.ofAuto().allocate((long) WAYS * BLOCK_BYTES_MAX);
        blocks = to;
      }
      int way = 0;
      for (int i = 1; i < WAYS; i++) {
        way = asked[i] < asked[way] ? i : way;
      }
      MemorySegment.copy(block, 0, to, ValueLayout.JAVA_BYTE, start(way), length);
      files[way] = file;
      offsets[way] = offset;
      lengths[way] = length;
      asked[way] = ++askedLast;
    }

    private int wayOf(long file, long offset) {
      for (int way = 0; way < WAYS; way++) {
        if (lengths[way] > 0 && files[way] == file && offsets[way] == offset) {
          return way;
        }
      }
      return -1;
    }

    private static long start(int way) {
      return (long) way * BLOCK_BYTES_MAX;
    }
  }
}
