package io.widerow.event;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: a key's bytes order as its fields do, and bytes and text round-trip. Method: random keys
/// that share most of their fields, with types full of NULs, separators and long characters.
class PartitionKeyTest {
  private static final int[] WIDTHS =
      IntStream.rangeClosed(1, PartitionKey.MINUTES_PER_DAY)
          .filter(width -> PartitionKey.MINUTES_PER_DAY % width == 0)
          .toArray();
  private static final int DAYS = 84_006; // 1970 to 2199
  private static final List<String> PIECES =
      List.of("\0", "\1", "|", "+5m", "T", "a", "b", "\u007f", "é", "\uffff", "🦊", "|3", "\n");

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#twenty")
  void bytesOrderAsFieldsDo(long seed) {
    var random = new SplittableRandom(seed);
    for (int i = 0; i < 5_000; i++) {
      PartitionKey a = randomKey(random);
      PartitionKey b = random.nextInt(3) == 0 ? near(random, a) : randomKey(random);
      int byBytes = Integer.signum(Arrays.compareUnsigned(a.toBytes(), b.toBytes()));

      assertEquals(byBytes, Integer.signum(a.compareTo(b)), a + " " + b);
      assertEquals(byBytes, byFields(a, b), a + " " + b);
      assertEquals(byBytes == 0, a.equals(b), a + " " + b);
      assertEquals(a, PartitionKey.of(a.toBytes()));
      assertEquals(a, PartitionKey.parse(a.toString()));
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#twenty")
  void bytesThatAreNoKeyAreRefusedOrReadExactly(long seed) {
    var random = new SplittableRandom(seed);
    for (int i = 0; i < 5_000; i++) {
      byte[] bytes = randomKey(random).toBytes();
      if (random.nextBoolean()) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      } else {
        bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length + 3));
      }
      PartitionKey key;
      try {
        key = PartitionKey.of(bytes);
      } catch (IllegalArgumentException refused) {
        continue;
      }
      assertTrue(Arrays.equals(bytes, key.toBytes()), () -> "read otherwise: " + key);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {8, 64, 512})
  void wideKeysAreReadBack(int days) {
    int width = days * PartitionKey.MINUTES_PER_DAY;
    var hour = PartitionKey.parse("2026-11-20T19|cpu|3");
    PartitionKey wide = hour.in(Bucket.of(hour).within(width));
    assertEquals(wide, PartitionKey.parse(wide.toString()));
    assertEquals(wide, PartitionKey.of(wide.toBytes()));
    assertTrue(wide.toString().endsWith("+" + days + "d|cpu|3"), wide.toString());
    assertTrue(wide.fromNanos() <= hour.fromNanos() && wide.untilNanos() >= hour.untilNanos());
    byte[] day = wide.in(new Bucket(wide.bucketMinutes(), 1_440)).toBytes();
    assertTrue(Arrays.compareUnsigned(day, wide.toBytes()) < 0, "a wider one comes later");
  }

  @ParameterizedTest
  @ValueSource(ints = {0x8000, 0x8001, 0x8007, 0x8009, 0xffff, 0x7fff})
  void otherWidthsOnDiskAreNone(int code) {
    byte[] key = new PartitionKey(0, 1, "cpu", 3).toBytes();
    key[4] = (byte) (code >> 8);
    key[5] = (byte) code;
    assertThrows(IllegalArgumentException.class, () -> PartitionKey.of(key));
  }

  @Test
  void bucketsOfEveryWidthCoverTheDayWithoutGaps() {
    assertEquals(36, WIDTHS.length);
    for (int width : WIDTHS) {
      for (int day : new int[] {0, 1, 20_000, DAYS - 1}) {
        for (int minute = 0; minute < PartitionKey.MINUTES_PER_DAY; minute++) {
          long nanos =
              ((long) day * PartitionKey.MINUTES_PER_DAY + minute) * PartitionKey.NANOS_PER_MINUTE;
          int bucket = PartitionKey.bucketOf(nanos, width);
          var key = new PartitionKey(bucket, width, "cpu", 0);
          if (nanos < key.fromNanos()
              || nanos >= key.untilNanos()
              || PartitionKey.bucketOf(key.untilNanos() - 1, width) != bucket
              || PartitionKey.bucketOf(key.fromNanos(), width) != bucket) {
            throw new AssertionError(key + " for minute " + minute);
          }
        }
      }
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#twenty")
  void bucketHoldsTheInstant(long seed) {
    var random = new SplittableRandom(seed);
    for (int i = 0; i < 100_000; i++) {
      long nanos = random.nextLong(TimeUuid.NANOS_MIN, TimeUuid.NANOS_LIMIT);
      int width = WIDTHS[random.nextInt(WIDTHS.length)];
      long bucket = PartitionKey.bucketOf(nanos, width);
      long fromNanos = bucket * PartitionKey.NANOS_PER_MINUTE;

      assertEquals(0, bucket % width);
      assertTrue(fromNanos <= nanos && nanos - fromNanos < width * PartitionKey.NANOS_PER_MINUTE);
    }
  }

  @Test
  void printsAsDocumented() {
    int bucket = PartitionKey.bucketOf(1_795_201_200_000_000_000L, 60);
    assertEquals(
        "2026-11-20T19|nginx.access|3", new PartitionKey(bucket, 60, "nginx.access", 3).toString());
    assertEquals(
        "2026-11-20T19:15+5m|cpu|0", new PartitionKey(bucket + 15, 5, "cpu", 0).toString());
    assertEquals("1970-01-01|cpu|0", new PartitionKey(0, 1_440, "cpu", 0).toString());
    var last = new PartitionKey(DAYS * 1_440 - 1, 1, "cpu", EventLayout.SHARD_LIMIT - 1);
    assertEquals("2199-12-31T23:59+1m|cpu|32767", last.toString());
    assertEquals(TimeUuid.NANOS_LIMIT, last.untilNanos());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "2026-11-20T19|cpu",
        "2026-11-20T19||3",
        "2026-13-20T19|cpu|3",
        "2026-02-30|cpu|3",
        "2026-11-20T24|cpu|3",
        "1969-12-31|cpu|3",
        "2200-01-01|cpu|3",
        "9999-01-01|cpu|3",
        "2026-11-20T19:15+7m|cpu|0",
        "2026-11-20T19:16+5m|cpu|0",
        "2026-11-20T19|cpu|32768",
        "2026-11-20T19|cpu|-1",
        "2026-11-20T19|\ud800|1"
      })
  void refusesTextThatIsNoKey(String text) {
    var refusal = assertThrows(IllegalArgumentException.class, () -> PartitionKey.parse(text));
    assertTrue(String.valueOf(refusal.getMessage()).contains(text), refusal.getMessage());
  }

  @Test
  void refusesFieldsThatCannotBe() {
    assertRefused(-60, 60, "cpu", 0);
    assertRefused(DAYS * 1_440, 60, "cpu", 0);
    assertRefused(30, 60, "cpu", 0);
    assertRefused(0, 0, "cpu", 0);
    assertRefused(0, 2_880, "cpu", 0);
    assertRefused(0, 60, "", 0);
    assertRefused(0, 60, "é".repeat(64) + "x", 0);
    assertRefused(0, 60, "cpu\udc00", 0);
    assertRefused(0, 60, "cpu", -1);
    assertRefused(0, 60, "cpu", EventLayout.SHARD_LIMIT);
  }

  private static void assertRefused(int bucket, int width, String type, int shard) {
    assertThrows(
        IllegalArgumentException.class, () -> new PartitionKey(bucket, width, type, shard));
  }

  private static PartitionKey randomKey(SplittableRandom random) {
    int width = WIDTHS[random.nextInt(WIDTHS.length)];
    int day = random.nextInt(4) == 0 ? DAYS - 1 : random.nextInt(3);
    int bucket =
        day * PartitionKey.MINUTES_PER_DAY
            + random.nextInt(PartitionKey.MINUTES_PER_DAY / width) * width;
    return new PartitionKey(bucket, width, randomType(random), random.nextInt(3) * 16_383);
  }

  private static PartitionKey near(SplittableRandom random, PartitionKey key) {
    return new PartitionKey(
        key.bucketMinutes(),
        key.widthMinutes(),
        random.nextBoolean() ? key.type() : randomType(random),
        random.nextBoolean() ? key.shard() : random.nextInt(EventLayout.SHARD_LIMIT));
  }

  private static String randomType(SplittableRandom random) {
    var type = new StringBuilder();
    for (int left = 1 + random.nextInt(4); left > 0; left--) {
      type.append(PIECES.get(random.nextInt(PIECES.size())));
    }
    return type.toString();
  }

  private static int byFields(PartitionKey a, PartitionKey b) {
    if (a.bucketMinutes() != b.bucketMinutes()) {
      return Integer.compare(a.bucketMinutes(), b.bucketMinutes());
    }
    if (a.widthMinutes() != b.widthMinutes()) {
      return Integer.compare(a.widthMinutes(), b.widthMinutes());
    }
    int[] typeA = a.type().codePoints().toArray(); // order of code points is that of UTF-8
    int[] typeB = b.type().codePoints().toArray();
    int byType = Integer.signum(Arrays.compare(typeA, typeB));
    return byType != 0 ? byType : Integer.compare(a.shard(), b.shard());
  }
}
