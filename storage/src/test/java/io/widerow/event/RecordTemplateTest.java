package io.widerow.event;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a record fits a template if it differs from it only in header and numbers; its numbers are
/// then read at the template's places. Method: random records at the very end of their memory, with
/// each byte changed in turn. The seed is the test's name; to replay one, run with `-Dseed=<n>`.
class RecordTemplateTest {
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#hundred")
  void everyByteCounts(long seed) {
    var random = new SplittableRandom(seed);
    try (var batch = new EventBatch(1 << 12, 1 << 20);
        Arena arena = Arena.ofConfined()) {
      put(batch, random);
      var template = new RecordTemplate();
      batch.copyLast(template);
      int length = template.length();
      MemorySegment record = arena.allocate(length, 8).copyFrom(batch.memory().asSlice(0, length));
      assertTrue(template.fits(record, 0));
      boolean[] isNumber = new boolean[length];
      long attribute = EventLayout.attributesOffset(record, 0);
      var value = new AttributeValue();
      for (int place = 0; place < template.attributes(); place++) {
        long next = EventLayout.readValue(record, attribute, value);
        if (value.kind().isText()) {
          byte[] text = new byte[template.textBytes(place)];
          template.copyText(place, text, 0);
          assertEquals(value.toString(), new String(text, US_ASCII));
        } else {
          assertEquals(value.bits(), template.bits(record, 0, place));
          for (long at = EventLayout.valueOffset(record, attribute); at < next; at++) {
            isNumber[(int) at] = true;
          }
        }
        attribute = next;
      }
      for (int at = 0; at < length; at++) {
        byte before = record.get(ValueLayout.JAVA_BYTE, at);
        record.set(ValueLayout.JAVA_BYTE, at, (byte) (before ^ (1 << random.nextInt(8))));
        boolean inId = at >= 6 && at < EventLayout.HEADER_BYTES; // shard, id and version
        assertEquals(
            inId || isNumber[at],
            template.fits(record, 0),
            at + " of " + length + ", seed " + seed);
        record.set(ValueLayout.JAVA_BYTE, at, before);
      }
    }
  }

  private static void put(EventBatch batch, SplittableRandom random) {
    byte[] type = "t".repeat(1 + random.nextInt(9)).getBytes(US_ASCII);
    batch.begin(type, 0, type.length, 1_700_000_000_000_000_000L);
    int attributes = 1 + random.nextInt(12);
    for (int i = 0; i < attributes; i++) {
      byte[] name = ("n" + (char) ('a' + i) + "x".repeat(random.nextInt(20))).getBytes(US_ASCII);
      switch (random.nextInt(4)) {
        case 0 -> batch.putLong(name, 0, name.length, random.nextLong());
        case 1 -> batch.putDouble(name, 0, name.length, random.nextDouble());
        case 2 -> batch.putBoolean(name, 0, name.length, random.nextBoolean());
        default ->
            batch.putString(
                name, 0, name.length, "v".repeat(random.nextInt(40)).getBytes(US_ASCII));
      }
    }
    assertNull(batch.end());
  }

  /// Records of one series have the same hash, and records of other series another one.
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#twenty")
  void recordsThatFitHaveOneHash(long seed) {
    var random = new SplittableRandom(seed);
    try (var batch = new EventBatch(1 << 12, 1 << 20)) {
      byte[] type = {'t'};
      byte[] host = "host".getBytes(US_ASCII);
      byte[] usage = "usage".getBytes(US_ASCII);
      String name = "h".repeat(random.nextInt(30));
      for (String each : new String[] {name, name, name + 'i', 'i' + name}) {
        batch.begin(type, 0, 1, random.nextLong(1L << 60));
        batch.putString(host, 0, host.length, each.getBytes(US_ASCII));
        batch.putLong(usage, 0, usage.length, random.nextLong());
        assertNull(batch.end());
      }
      long[] hashes = new long[4];
      var view = new RecordView();
      long offset = 0;
      for (int i = 0; i < hashes.length; i++) {
        hashes[i] = view.show(batch.memory(), offset).seriesHash(64);
        offset += EventLayout.alignedLength(view.length());
      }
      assertEquals(hashes[0], hashes[1], "seed " + seed);
      assertFalse(hashes[0] == hashes[2] || hashes[0] == hashes[3], "seed " + seed);
      assertEquals(0, view.seriesHash(name.length()));
    }
  }
}
