package io.widerow.storage.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/// Goal: a lookup returns the requested block, whole, while other blocks come and go; recently
/// requested blocks stay; no more memory is used than was given. Method: blocks that encode their
/// file and offset in every byte, many more than there is room for, from several threads.
class BlockCacheTest {
  private static final int ONE_SET = 8 * BlockCache.BLOCK_BYTES_MAX;
  private static final int THREADS = 4;

  private final byte[] into = new byte[BlockCache.BLOCK_BYTES_MAX];

  private static byte[] block(long file, long offset) {
    int length = Math.floorMod(31 * file + offset, BlockCache.BLOCK_BYTES_MAX) + 1;
    byte[] block = new byte[length];
    Arrays.fill(block, (byte) (7 * file + offset));
    return block;
  }

  private static void keep(BlockCache cache, long file, long offset) {
    byte[] block = block(file, offset);
    cache.keep(file, offset, block, block.length);
  }

  private static boolean finds(BlockCache cache, long file, long offset, byte[] into) {
    int length = cache.find(file, offset, into);
    if (length == 0) {
      return false;
    }
    byte[] block = block(file, offset);
    assertEquals(block.length, length);
    assertTrue(Arrays.equals(block, 0, length, into, 0, length), "another block");
    return true;
  }

  @Test
  void whatWasAskedForLatelyStays() {
    BlockCache cache = new BlockCache(ONE_SET);
    for (int i = 0; i < 8; i++) {
      keep(cache, 1, i);
    }
    assertTrue(finds(cache, 1, 0, into));
    keep(cache, 1, 8);
    List<Integer> found = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      if (finds(cache, 1, i, into)) {
        found.add(i);
      }
    }
    assertEquals(List.of(0, 2, 3, 4, 5, 6, 7, 8), found);
  }

  @Test
  void withoutRoomNothingIsKept() {
    for (BlockCache cache : List.of(BlockCache.none(), new BlockCache(ONE_SET - 1))) {
      keep(cache, 1, 2);
      assertEquals(0, cache.find(1, 2, into));
    }
    BlockCache cache = new BlockCache(ONE_SET);
    cache.keep(1, 2, new byte[BlockCache.BLOCK_BYTES_MAX + 1], BlockCache.BLOCK_BYTES_MAX + 1);
    assertEquals(0, cache.find(1, 2, into), "a large block");
    keep(cache, 1, 2);
    assertTrue(finds(cache, 1, 2, into));
    assertEquals(0, cache.find(2, 1, into), "another file");
  }

  @Test
  void manyThreadsFindWhatTheyAskFor() {
    BlockCache cache = new BlockCache(20L * ONE_SET);
    List<CompletableFuture<Integer>> all = new ArrayList<>();
    for (int thread = 0; thread < THREADS; thread++) {
      SplittableRandom random = new SplittableRandom(thread);
      all.add(
          CompletableFuture.supplyAsync(() -> {
            byte[] own = new byte[BlockCache.BLOCK_BYTES_MAX];
            int found = 0;
            for (int i = 0; i < 20_000; i++) {
              int file = random.nextInt(4);
              int offset = random.nextInt(100);
              if (finds(cache, file, offset, own)) {
                found++;
              } else {
                keep(cache, file, offset);
              }
            }
            return found;
          }));
    }
    int found = all.stream().mapToInt(CompletableFuture::join).sum();
    assertTrue(found > 10_000, () -> "found again: " + found);
  }
}
