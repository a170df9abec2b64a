package io.widerow.ingest.decode;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Seeds;
import io.widerow.faults.Slice;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.xerial.snappy.Snappy;

/// Goal: a packed block unpacks to the same bytes, within the room that was promised. Method: bytes
/// of any kind, unpacked by snappy-java and by our own decoder.
class SnappyPackerTest {
  static List<Long> seeds() {
    return Seeds.of(Slice.of(12, 60));
  }

  private static byte[] generated(SplittableRandom random) {
    byte[] bytes = new byte[random.nextInt(3) == 0 ? random.nextInt(70) : random.nextInt(200_000)];
    int alphabet = 1 + random.nextInt(random.nextBoolean() ? 3 : 256);
    int period = 1 + random.nextInt(100_000);
    for (int i = 0; i < bytes.length; i++) {
      boolean again = i >= period && random.nextInt(40) > 0;
      bytes[i] = again ? bytes[i - period] : (byte) random.nextInt(alphabet);
    }
    return bytes;
  }

  private static byte[] packed(byte[] bytes) {
    SnappyPacker packer = new SnappyPacker();
    byte[] out = new byte[10 + 4 * SnappyPacker.packedMax(SnappyPacker.PIECE_BYTES)];
    int to = SnappyPacker.begin(bytes.length, out, 0);
    for (int at = 0; at < bytes.length; at += SnappyPacker.PIECE_BYTES) {
      int end = Math.min(bytes.length, at + SnappyPacker.PIECE_BYTES);
      byte[] piece = Arrays.copyOfRange(bytes, at, end);
      int before = to;
      to = packer.pack(piece, piece.length, out, to);
      assertTrue(to - before <= SnappyPacker.packedMax(piece.length), "more than promised");
    }
    return Arrays.copyOf(out, to);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void whatIsPackedUnpacks(long seed) throws IOException, SnappyBlock.Bad {
    byte[] bytes = generated(new SplittableRandom(seed));
    byte[] packed = packed(bytes);
    assertArrayEquals(bytes, Snappy.uncompress(packed));
    byte[] own = new byte[bytes.length];
    SnappyBlock.unpack(packed, 0, packed.length, own, 0, own.length);
    assertArrayEquals(bytes, own);
  }
}
