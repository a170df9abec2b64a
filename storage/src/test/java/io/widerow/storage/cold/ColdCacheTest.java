package io.widerow.storage.cold;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.SimDisk;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a piece that the cache has is the one that was put, whatever a crash or damage has left of
/// its files, and all pieces together stay within the limit. Method: random pieces against a map;
/// restarts, power cuts, flipped bits, lost files, a full disk.
class ColdCacheTest {
  private static final Path DIRECTORY = Path.of("/cache");
  private static final long BYTES_MAX = 1 << 20;
  private static final int SEGMENTS = 5;
  private static final int NUMBERS = 30;

  /// @param number of the piece
  private record Put(int segment, long number) {}

  private static ColdStub stub(int segment) {
    return new ColdStub(
        Path.of("/segments/%016x.cold".formatted(segment)),
        "memory:x",
        64,
        64,
        "%064x".formatted(segment));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#twenty")
  void whatIsThereIsWhatWasPut(long seed) {
    var random = new SplittableRandom(seed);
    var disk = new SimDisk(random.nextLong());
    Map<Put, byte[]> put = new HashMap<>();
    ColdCache cache = ColdCache.open(disk, DIRECTORY, BYTES_MAX);
    int found = 0;
    int kept = 0; // over a restart
    for (int step = 0; step < 400; step++) {
      var key = new Put(random.nextInt(SEGMENTS), random.nextInt(NUMBERS));
      if (random.nextInt(3) > 0) {
        byte[] piece = put.computeIfAbsent(key, _ -> piece(random));
        cache.put(stub(key.segment), key.number, piece);
      } else {
        byte[] got = cache.get(stub(key.segment), key.number);
        found += got == null ? 0 : 1;
        if (got != null) {
          assertArrayEquals(put.get(key), got);
        }
      }
      assertTrue(cache.bytes() <= BYTES_MAX, () -> "bytes: " + BYTES_MAX);
      if (random.nextInt(60) == 0) {
        cache.close();
        disk = next(disk, random);
        cache = ColdCache.open(disk, DIRECTORY, BYTES_MAX);
        assertNull(cache.failure());
        for (Map.Entry<Put, byte[]> each : put.entrySet()) {
          byte[] got = cache.get(stub(each.getKey().segment), each.getKey().number);
          if (got != null) {
            assertArrayEquals(each.getValue(), got);
            kept++;
          }
        }
      }
    }
    assertTrue(found > 0, "nothing was found");
    assertTrue(kept > 0, "nothing was found after a restart");
  }

  /// What the next process finds: all, what a power cut leaves, or a file with a wrong bit.
  private static SimDisk next(SimDisk disk, SplittableRandom random) {
    switch (random.nextInt(4)) {
      case 0 -> {
        return disk.crash(random.nextBoolean());
      }
      case 1 -> {
        for (Path file : disk.files()) {
          if (disk.sizeOf(file) > 0 && random.nextInt(3) == 0) {
            disk.flip(file, random.nextLong(8 * disk.sizeOf(file)));
          }
        }
      }
      case 2 -> {
        for (Path file : disk.files()) {
          if (random.nextInt(6) == 0) {
            disk.delete(file);
          }
        }
      }
      default -> {}
    }
    return disk.restart();
  }

  private static byte[] piece(SplittableRandom random) {
    byte[] piece = new byte[1 + random.nextInt(ColdPieces.PIECE_BYTES)];
    random.nextBytes(piece);
    return piece;
  }

  @Test
  void aFullDiskEndsIt() {
    var disk = new SimDisk(1);
    ColdCache cache = ColdCache.open(disk, DIRECTORY, BYTES_MAX);
    cache.put(stub(1), 0, new byte[100]);
    assertNotNull(cache.get(stub(1), 0));
    disk.limitTo(300);
    cache.put(stub(1), 1, new byte[10_000]);
    assertNotNull(cache.failure());
    assertNull(cache.get(stub(1), 0));
    cache.put(stub(1), 2, new byte[1]);
    assertNull(cache.get(stub(1), 2));
    disk.limitTo(Long.MAX_VALUE);
    ColdCache next = ColdCache.open(disk, DIRECTORY, BYTES_MAX);
    assertNotNull(next.get(stub(1), 0));
    assertEquals(100, next.bytes());
    next.close();
    ColdCache.delete(disk, DIRECTORY);
    assertTrue(disk.files().isEmpty(), () -> disk.files().toString());
  }
}
