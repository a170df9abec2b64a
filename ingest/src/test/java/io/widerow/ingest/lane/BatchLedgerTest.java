package io.widerow.ingest.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Slice;
import io.widerow.ingest.decode.Refusals;
import io.widerow.storage.Durability;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: the ledger has exactly the keys that it must have, with their answers, across growth,
/// expiry and restarts. Method: random operations on it and on a map in insertion order.
class BatchLedgerTest {
  static LongStream seeds() {
    return LongStream.rangeClosed(1, Slice.of(2, 8));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void agreesWithAMap(long seed) {
    var random = new SplittableRandom(seed);
    BatchLedger ledger = new BatchLedger(100, 4_096, 50);
    Map<BatchKey, Integer> model = new LinkedHashMap<>();
    Map<BatchKey, Long> times = new LinkedHashMap<>();
    Map<Long, byte[]> notes = new LinkedHashMap<>();
    long group = 0;
    for (long now = 0; now < 4_000; now++) {
      BatchKey key = new BatchKey(random.nextInt(64), random.nextInt(3_000)); // colliding homes
      int slot = ledger.find(key);
      assertEquals(model.containsKey(key), slot >= 0);
      if (slot >= 0) {
        assertEquals(model.get(key), ledger.accepted(slot));
        assertEquals(group, Math.max(group, ledger.groupLast(slot)));
      } else {
        int accepted = random.nextInt(1, 1_000);
        Refusals refused = new Refusals();
        if (accepted % 3 == 0) {
          refused.add(accepted, "reason " + accepted % 7);
        }
        group++;
        notes.put(group, ledger.add(key, accepted, refused, Durability.DISK, now, group));
        ledger.committed(group);
        model.put(key, accepted);
        times.put(key, now);
      }
      long needed = ledger.expire(now);
      if (needed >= 0) {
        notes.keySet().removeIf(noted -> noted < needed);
      }
      expire(model, times, now, 100);
      assertEquals(model.size(), ledger.count());
      if (random.nextInt(500) == 0) { // a restart
        BatchLedger restarted = new BatchLedger(100, 4_096, 50);
        notes.forEach(restarted::restore);
        ledger = restarted;
        assertEquals(model.size(), ledger.count());
      }
    }
    assertTrue(model.size() >= 100);
    for (Map.Entry<BatchKey, Integer> each : model.entrySet()) {
      Refusals refused = ledger.refused(ledger.find(each.getKey()));
      assertEquals(each.getValue() % 3 == 0 ? 1 : 0, refused.count());
    }
  }

  /// A store may keep notes for longer than they are needed, so that a key which was forgotten and
  /// used again has several. A restart must not forget it by the age of an old one.
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void ofSeveralNotesOfAKeyTheLastCounts(long seed) {
    var random = new SplittableRandom(seed);
    BatchLedger ledger = new BatchLedger(700, 4_096, 50);
    Map<BatchKey, Integer> model = new LinkedHashMap<>();
    Map<BatchKey, Long> times = new LinkedHashMap<>();
    List<byte[]> notes = new ArrayList<>();
    for (long now = 0; now < 8_000; now++) {
      BatchKey key = new BatchKey(random.nextInt(2), random.nextInt(1_000));
      int slot = ledger.find(key);
      assertEquals(model.containsKey(key), slot >= 0);
      if (slot >= 0) {
        int accepted = ledger.accepted(slot);
        assertEquals(model.get(key), accepted);
        Refusals refused = ledger.refused(slot);
        assertEquals(accepted % 3 == 0 ? 1 : 0, refused.listed());
        assertTrue(refused.listed() == 0 || refused.index(0) == accepted);
      } else {
        int accepted = random.nextInt(1, 1_000);
        Refusals refused = new Refusals();
        if (accepted % 3 == 0) {
          refused.add(accepted, "why");
        }
        int group = notes.size() + 1;
        notes.add(ledger.add(key, accepted, refused, Durability.DISK, now, group));
        ledger.committed(group);
        model.put(key, accepted);
        times.put(key, now);
      }
      var _ = ledger.expire(now);
      expire(model, times, now, 700);
      assertEquals(model.size(), ledger.count());
      if (random.nextInt(800) == 0) { // a restart, with all notes there ever were
        ledger.close();
        ledger = new BatchLedger(700, 4_096, 50);
        for (int i = 0; i < notes.size(); i++) {
          ledger.restore(i + 1, notes.get(i));
        }
        long needed = ledger.expire(now);
        assertTrue(needed > notes.size() - 2_000 || needed < 0, needed + " is needed");
        assertEquals(model.size(), ledger.count());
      }
    }
    ledger.close();
  }

  /// Stale entries of reused keys must not displace other keys.
  @Test
  void aReplacedKeyTakesNoRoom() {
    BatchLedger ledger = new BatchLedger(10, 1_024, 1_000_000);
    long group = 0;
    for (int low = 0; low < 300; low++) { // once, before all others
      ledger.restore(++group, note(low));
    }
    for (int round = 0; round < 9; round++) {
      for (int low = 300; low < 700; low++) {
        ledger.restore(++group, note(low));
      }
      assertEquals(700, ledger.count());
    }
    for (int low = 0; low < 700; low++) {
      assertTrue(ledger.find(new BatchKey(1, low)) >= 0);
    }
    assertEquals(-1, ledger.find(new BatchKey(1, 700)));
    ledger.close();
  }

  private static byte[] note(int low) {
    try (BatchLedger ledger = new BatchLedger(10, 1_024, 50)) {
      return ledger.add(new BatchKey(1, low), 1, new Refusals(), Durability.DISK, 1, 1);
    }
  }

  private static void expire(
      Map<BatchKey, Integer> model, Map<BatchKey, Long> times, long now, int keptMin) {
    while (model.size() > keptMin) {
      BatchKey first = model.keySet().iterator().next();
      if (times.getOrDefault(first, now) >= now - 50) {
        return;
      }
      model.remove(first);
      times.remove(first);
    }
  }

  @Test
  void aNoteThatWasCutIsNotRecognised() {
    Refusals refused = new Refusals();
    refused.add(3, "why");
    refused.add(5, "why not");
    byte[] note =
        new BatchLedger(10, 1_024, 50).add(new BatchKey(1, 2), 7, refused, Durability.OS, 0, 1);
    for (int bytes = 0; bytes < note.length; bytes++) {
      BatchLedger restarted = new BatchLedger(10, 1_024, 50);
      restarted.restore(1, Arrays.copyOf(note, bytes));
      assertEquals(0, restarted.count(), bytes + " bytes");
    }
  }

  @ParameterizedTest(name = "{0} refusals")
  @ValueSource(ints = {0, 1, 100, 100_000})
  void aNoteHasRoomForWhatFits(int count) {
    Refusals refused = new Refusals();
    for (int i = 0; i < count; i++) {
      refused.add(3 * i, i % 2 == 0 ? "an even reason" : "an odd reason");
    }
    BatchLedger ledger = new BatchLedger(10, 1_024, 50);
    BatchKey key = new BatchKey(1, 2);
    byte[] note = ledger.add(key, 7, refused, Durability.OS, 0, 1);
    assertTrue(note.length <= BatchLedger.NOTE_BYTES_MAX);
    BatchLedger restarted = new BatchLedger(10, 1_024, 50);
    restarted.restore(1, note);
    int slot = restarted.find(key);
    assertEquals(7, restarted.accepted(slot));
    Refusals kept = restarted.refused(slot);
    assertEquals(count, kept.count());
    for (int i = 0; i < kept.listed(); i++) {
      assertEquals(3 * i, kept.index(i));
      assertEquals(refused.reason(i), kept.reason(i));
    }
    assertTrue(kept.listed() == count || kept.listed() > 100);
  }

  /// A log of which one line in three has a bad time, and one that is bad from some line on.
  @ParameterizedTest(name = "each {0}")
  @ValueSource(ints = {1, 3})
  void tenThousandRefusalsOfAReasonAreListedAgain(int stride) {
    Refusals refused = new Refusals();
    for (int i = 0; i < 10_000; i++) {
      refused.add(stride * i, "the time must be in 1970..2199");
    }
    BatchLedger ledger = new BatchLedger(10, 1_024, 50);
    BatchKey key = new BatchKey(1, 2);
    byte[] note = ledger.add(key, 7, refused, Durability.OS, 0, 1);
    Refusals kept = ledger.refused(ledger.find(key));
    assertEquals(10_000, kept.listed());
    assertEquals(stride * 9_999, kept.index(9_999));
    BatchLedger restarted = new BatchLedger(10, 1_024, 50);
    restarted.restore(1, note);
    kept = restarted.refused(restarted.find(key));
    assertEquals(10_000, kept.count());
    int listed = kept.listed();
    assertTrue(listed == 10_000 || (stride > 1 && listed > 900), listed + " listed");
    assertEquals(stride * (listed - 1), kept.index(listed - 1));
  }

  /// A sender with a bad line in every batch, or with very many in one, must not fill the heap:
  /// older lists are dropped, and their counts stay.
  @ParameterizedTest(name = "{0} refused events a batch")
  @ValueSource(ints = {1, 300, 200_000})
  void listsOfRefusedEventsAreBounded(int refusedEvents) {
    BatchLedger ledger = new BatchLedger(10, 1 << 17, 900);
    int batches = refusedEvents == 1 ? Slice.of(12_000, 60_000) : 600;
    int several = refusedEvents > 1_000 ? 10 : batches;
    Refusals many = new Refusals();
    for (int i = 0; i < refusedEvents; i++) {
      many.add(i, "the reason of event " + i);
    }
    for (int batch = 0; batch < several; batch++) {
      Refusals refused = new Refusals();
      refused.addAll(many);
      ledger.add(new BatchKey(batch, batch), 7, refused, Durability.DISK, batch, batch);
    }
    long heapBytes = 0;
    for (int batch = 0; batch < several; batch++) {
      Refusals kept = ledger.refused(ledger.find(new BatchKey(batch, batch)));
      assertEquals(refusedEvents, kept.count());
      heapBytes += kept.listed() == 0 ? 0 : writtenBytes(kept) + BatchLedger.LIST_EXTRA_BYTES;
    }
    assertTrue(heapBytes <= BatchLedger.LISTS_BYTES_MAX, heapBytes + " bytes of lists");
    Refusals newest = ledger.refused(ledger.find(new BatchKey(several - 1, several - 1)));
    assertTrue(newest.listed() > 0 && newest.reason(0).equals("the reason of event 0"));
    ledger.committed(several);
    ledger.expire(1L << 31);
    assertEquals(10, ledger.count());
    ledger.close();
  }

  private static int writtenBytes(Refusals refused) {
    ByteBuffer out = ByteBuffer.allocate(1 << 20);
    assertTrue(refused.writeTo(out));
    return out.position();
  }

  /// Keys dropped for lack of room need their notes no longer. Otherwise any number of notes would
  /// be kept for as long as keys are.
  @Test
  void notesOfKeysThatHadNoRoomAreForgotten() {
    BatchLedger ledger = new BatchLedger(10, 1_024, 900);
    for (int group = 1; group <= 5_000; group++) {
      ledger.add(new BatchKey(0, group), 1, new Refusals(), Durability.DISK, 1, group);
      ledger.committed(group);
      assertEquals(group <= 1_024 ? -1 : group - 1_023, ledger.expire(2));
    }
    assertEquals(-1, ledger.expire(2), "nothing was dropped since");
    assertEquals(1_024, ledger.count());
    ledger.close();
  }

  /// Each lane numbers its own groups, and a restart tells it the notes of all lanes. The number of
  /// a busier lane must not take the notes of keys that came since.
  @Test
  void groupsOfAnotherLaneForgetNoKeyOfThisOne() {
    BatchLedger ledger = new BatchLedger(1, 1_024, 10);
    try (BatchLedger busier = new BatchLedger(1, 1_024, 10)) {
      ledger.restore(50, busier.add(new BatchKey(1, 1), 1, new Refusals(), Durability.DISK, 1, 50));
      ledger.restore(
          5_000, busier.add(new BatchKey(1, 2), 1, new Refusals(), Durability.DISK, 8, 5_000));
    }
    for (int group = 51; group < 60; group++) {
      ledger.add(new BatchKey(2, group), 1, new Refusals(), Durability.DISK, 10, group);
      ledger.committed(group);
    }
    assertEquals(51, ledger.expire(15), "the key of group 50 is dropped, and no other");
    ledger.close();
  }
}
