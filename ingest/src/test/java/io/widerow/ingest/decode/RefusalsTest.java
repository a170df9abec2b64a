package io.widerow.ingest.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: a list of refusals is read as it was written, as far as it had room, and other bytes are
/// no list. Method: bytes written by hand, random lists, and bytes that were cut or changed.
class RefusalsTest {
  private static final HexFormat HEX = HexFormat.of();

  private static Refusals list(String... reasonsOfEachIndex) {
    Refusals refused = new Refusals();
    for (int i = 0; i < reasonsOfEachIndex.length; i++) {
      if (!reasonsOfEachIndex[i].isEmpty()) {
        refused.add(i, reasonsOfEachIndex[i]);
      }
    }
    return refused;
  }

  private static byte[] written(Refusals refused, int bytesMax, boolean whole) {
    ByteBuffer out = ByteBuffer.allocate(bytesMax);
    assertEquals(whole, refused.writeTo(out));
    return Arrays.copyOf(out.array(), out.position());
  }

  private static Refusals read(byte[] bytes) {
    Refusals refused = Refusals.readFrom(ByteBuffer.wrap(bytes));
    assertNotNull(refused);
    assertEquals(refused.count(), Refusals.countIn(ByteBuffer.wrap(bytes)));
    return refused;
  }

  private static void assertBegins(Refusals expected, Refusals actual, int listed) {
    assertEquals(expected.count(), actual.count());
    assertEquals(listed, actual.listed());
    for (int i = 0; i < listed; i++) {
      assertEquals(expected.index(i), actual.index(i));
      assertEquals(expected.reason(i), actual.reason(i));
    }
  }

  /// However two lists interleave, and however long they are.
  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void listsAreMergedByIndex(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int events = seed == 1 ? 600_000 : random.nextInt(1, 300);
    String[] reasons = new String[events];
    Arrays.setAll(reasons, i -> random.nextInt(3) == 0 ? "" : "why " + i % 7);
    Refusals one = new Refusals();
    Refusals other = new Refusals();
    Refusals[] all = {one, other};
    for (int i = 0; i < events; i++) {
      if (!reasons[i].isEmpty()) {
        all[seed == 1 ? i % 2 : random.nextInt(2)].add(i, reasons[i]);
      }
    }
    one.addAll(other);
    one.addAll(Refusals.counted(5));
    Refusals expected = list(reasons);
    expected.addAll(Refusals.counted(5));
    assertBegins(expected, one, expected.listed());
    assertEquals(expected.listed(), one.listed());
  }

  @Test
  void aListHasTheBytesThatAreDrawn() {
    Refusals single = list("", "", "", "why", "", "why not", "", "", "", "why");
    single.addAll(Refusals.counted(1));
    assertEquals(
        "00000004" + "00000003" + "0d0003776879" + "090107776879206e6f74" + "1100",
        HEX.formatHex(written(single, 1_000, true)));
    Refusals run = new Refusals();
    for (int i = 10; i < 40; i++) {
      run.add(i, "a");
    }
    run.add(42, "a");
    assertEquals(
        "0000001f" + "0000001f" + "2b1c000161" + "0c", HEX.formatHex(written(run, 1_000, true)));
    assertEquals("0000000000000000", HEX.formatHex(written(new Refusals(), 1_000, true)));
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void whatHasRoomIsReadAgain(long seed) {
    var random = new SplittableRandom(seed);
    for (int round = 0; round < 200; round++) {
      Refusals refused = new Refusals();
      int reasons = random.nextInt(1, 300);
      int stride = 1 << random.nextInt(20);
      boolean runs = random.nextBoolean();
      int index = random.nextInt(0, 5);
      for (int left = random.nextInt(300); left > 0; left--) {
        refused.add(index, "reason " + random.nextInt(reasons));
        for (int more = runs ? random.nextInt(4) : 0; more > 0; more--) {
          refused.add(++index, refused.lastReason());
        }
        index += random.nextInt(0, stride + 1); // 0: one index twice
      }
      refused.addAll(Refusals.counted(random.nextInt(2)));
      ByteBuffer out = ByteBuffer.allocate(random.nextInt(20, 6_000));
      boolean whole = refused.writeTo(out);
      Refusals again = read(Arrays.copyOf(out.array(), out.position()));
      assertBegins(refused, again, again.listed());
      assertEquals(whole, again.listed() == refused.listed());
      assertTrue(whole || out.remaining() < 40 || again.listed() >= 255, "room was left");
    }
  }

  /// The room that a note leaves for its list.
  @Test
  void manyRefusalsOfOneReasonHaveRoom() {
    int room = 1_024 - 30;
    Refusals inARow = new Refusals();
    Refusals everyThird = new Refusals();
    for (int i = 0; i < 50_000; i++) {
      inARow.add(i, "the time must be in 1970..2199");
      everyThird.add(3 * i, "the time must be in 1970..2199");
    }
    assertBegins(inARow, read(written(inARow, room, true)), 50_000);
    Refusals cut = read(written(everyThird, room, false));
    assertTrue(cut.listed() > 900, cut.listed() + " listed");
    assertBegins(everyThird, cut, cut.listed());
  }

  @Test
  void theLastIndexesHaveRoom() {
    Refusals refused = new Refusals();
    refused.add(Integer.MAX_VALUE - 1, "x");
    refused.add(Integer.MAX_VALUE, "x");
    assertBegins(refused, read(written(refused, 100, true)), 2);
  }

  @Test
  void otherBytesAreNoList() {
    for (String bad :
        new String[] {
          "00000001", // cut
          "00000001" + "00000002" + "0d00016101", // more listed than counted
          "00000002" + "80000002" + "0d00016101", // a negative number
          "00000002" + "00000002" + "0c01", // the first has no reason
          "00000002" + "00000002" + "0d000161", // one is missing
          "00000001" + "00000001" + "0d00016100", // more bytes
          "00000001" + "00000001" + "0d010161", // the second reason before the first
          "00000003" + "00000002" + "0f01000161", // a run longer than the list
          "00000001" + "00000001" + "fdffffff7f000161", // an index that is none
          "00000001" + "00000001" + "fdffffffffff7f000161", // a longer number
          "7fffffff" + "7fffffff" + "03ffffffff7f000161", // longer than any list
          "80000001" + "00000000" // a negative count
        }) {
      assertNull(Refusals.readFrom(ByteBuffer.wrap(HEX.parseHex(bad))), bad);
      assertTrue(Refusals.countIn(ByteBuffer.wrap(HEX.parseHex(bad))) < 0, bad);
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4})
  void changedBytesAreReadOrRefused(long seed) {
    var random = new SplittableRandom(seed);
    Refusals refused = new Refusals();
    for (int i = 0; i < 60; i++) {
      refused.add(i + i / 7 * random.nextInt(1, 40), "reason " + i / 3 % 5);
    }
    byte[] bytes = written(refused, 1_000, true);
    for (int cut = 0; cut < bytes.length; cut++) {
      assertFalse(isRead(Arrays.copyOf(bytes, cut)), cut + " bytes");
    }
    int read = 0;
    for (int round = 0; round < 20_000; round++) {
      byte[] changed = bytes.clone();
      for (int more = random.nextInt(1, 4); more > 0; more--) {
        changed[random.nextInt(changed.length)] = (byte) random.nextInt();
      }
      read += isRead(changed) ? 1 : 0;
    }
    assertTrue(read > 0 && read < 20_000, read + " are lists, too");
  }

  private static boolean isRead(byte[] bytes) {
    int count = Refusals.countIn(ByteBuffer.wrap(bytes));
    Refusals refused = Refusals.readFrom(ByteBuffer.wrap(bytes));
    assertEquals(refused == null ? -1 : refused.count(), count);
    return refused != null;
  }
}
