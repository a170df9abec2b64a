package io.widerow.loadgen.format;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.xerial.snappy.Snappy;

/// Goal: a block decompresses to what went in, also after other bytes were written into its places.
/// Method: snappy-java decompresses blocks of random texts with random places.
class SnappyBlockTest {
  private static final String[] WORDS = {"GET ", "/index.html", " HTTP/1.1", "\n", "\u00fc", "x"};

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#five")
  void placesCanBeWrittenAfterwards(long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    for (int times = 0; times < 50; times++) {
      byte[] plain = plain(random);
      List<int[]> places = places(random, plain.length);
      int[] offsets = places.stream().mapToInt(place -> place[0]).toArray();
      int[] widths = places.stream().mapToInt(place -> place[1]).toArray();
      SnappyBlock.Block block = SnappyBlock.compress(plain, offsets, widths);
      assertArrayEquals(plain, Snappy.uncompress(block.bytes()));

      byte[] stamped = block.bytes().clone();
      for (int i = 0; i < offsets.length; i++) {
        for (int at = 0; at < widths[i]; at++) {
          byte other = (byte) random.nextInt();
          plain[offsets[i] + at] = other;
          stamped[block.offsets()[i] + at] = other;
        }
      }
      assertArrayEquals(plain, Snappy.uncompress(stamped));
    }
  }

  private static byte[] plain(SplittableRandom random) {
    StringBuilder text = new StringBuilder();
    int words = random.nextInt(1 << random.nextInt(1, 16));
    for (int i = 0; i < words; i++) {
      text.append(WORDS[random.nextInt(WORDS.length)]);
      if (random.nextInt(20) == 0) {
        text.append(random.nextLong());
      }
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  private static List<int[]> places(SplittableRandom random, int length) {
    List<int[]> places = new ArrayList<>();
    int at = random.nextInt(40);
    int gap = random.nextInt(1, 400);
    while (true) {
      int width = random.nextInt(1, 65);
      if (at + width > length) {
        return places;
      }
      places.add(new int[] {at, width});
      at += width + random.nextInt(gap);
    }
  }

  @Test
  void nothingAndRandomBytesAreWhole() throws IOException {
    byte[] noise = new byte[200_000]; // literals of more than 64 KiB
    new SplittableRandom(1).nextBytes(noise);
    int[] none = {};
    for (byte[] plain : List.of(new byte[0], new byte[] {7}, noise)) {
      byte[] block = SnappyBlock.compress(plain, none, none).bytes();
      assertArrayEquals(plain, Snappy.uncompress(block));
    }
    int[] cut = {(1 << 16) - 3}; // a place that a literal of 64 KiB would cut
    SnappyBlock.Block block = SnappyBlock.compress(noise, cut, new int[] {20});
    assertArrayEquals(noise, Snappy.uncompress(block.bytes()));
  }

  @Test
  void textIsAboutAsSmallAsSnappyMakesIt() throws IOException {
    byte[] text =
        "10.0.0.1 GET /index.html 200 seq=".repeat(5_000).getBytes(StandardCharsets.UTF_8);
    int[] none = {};
    int ours = SnappyBlock.compress(text, none, none).bytes().length;
    int theirs = Snappy.compress(text).length;
    assertTrue(ours <= theirs * 1.1, ours + " bytes, snappy " + theirs);
  }
}
