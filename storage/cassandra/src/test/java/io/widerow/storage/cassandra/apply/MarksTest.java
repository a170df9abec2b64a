package io.widerow.storage.cassandra.apply;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.storage.LaneArrivals;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: rounds end at marks, in the lanes of their start, and between starts. Method: a few marks,
/// by hand.
class MarksTest {
  private static final List<Long> NO_GROUPS = List.of(0L, 0L);

  private static LaneArrivals at(Long... limits) {
    return new LaneArrivals(7, List.of(limits));
  }

  private static LaneArrivals next(Marks marks, LaneArrivals last) {
    Marks.End end = marks.next(last);
    assertNotNull(end);
    return end.to();
  }

  @Test
  void aRoundEndsWhereEnoughIsMarked() {
    Marks marks = new Marks(2, 100);
    marks.start(at(10L, 10L), List.of(1L, 2L));
    marks.add(0, 20, 3, 60);
    marks.add(1, 25, 4, 30);
    marks.add(0, 30, 5, 20);
    marks.add(0, 40, 6, 90);
    Marks.End before = marks.next(at(9L));
    assertNotNull(before);
    assertEquals(at(10L, 10L), before.to(), "what came before the start");
    assertEquals(List.of(1L, 2L), before.groups());
    Marks.End end = marks.next(at(10L, 10L));
    assertNotNull(end);
    assertEquals(at(30L, 25L), end.to());
    assertEquals(List.of(5L, 4L), end.groups());
    assertNull(marks.next(at(30L, 25L)), "90 bytes are no round");
    assertEquals(at(40L, 25L), next(marks, at(20L, 10L)), "marks up to the last end are passed");
    marks.forgetBefore(at(30L, 25L));
    marks.add(1, 50, 7, 10);
    Marks.End later = marks.next(at(30L, 25L));
    assertNotNull(later);
    assertEquals(at(40L, 50L), later.to());
    assertEquals(List.of(6L, 7L), later.groups());
  }

  @Test
  void aBacklogOfEarlierStartsIsCutInTheirLanes() {
    Marks first = new Marks(1, 100);
    first.start(at(5L), NO_GROUPS);
    Marks second = new Marks(2, 100);
    second.start(at(60L, 60L), NO_GROUPS);
    Marks now = new Marks(3, 100);
    now.recover(second.note(1, 80, 100));
    now.recover(first.note(0, 50, 100));
    now.start(at(90L, 90L, 90L), List.of(8L, 9L, 10L));
    LaneArrivals last = new LaneArrivals(7, List.of(0L));
    Long[][] ends = {{5L}, {50L}, {60L, 60L}, {60L, 80L}, {90L, 90L, 90L}};
    for (Long[] end : ends) {
      last = next(now, last);
      assertEquals(at(end), last);
    }
    assertNull(now.next(last));
    assertEquals(at(90L, 90L, 90L), next(now, at(90L, 80L)), "also when one lane was that far");
    now.forgetBefore(last);
    assertEquals(last, next(now, at(5L)), "applied marks are forgotten");
  }

  @Test
  void tellsItsNotes() {
    Marks marks = new Marks(1, 100);
    assertTrue(Marks.isNote(marks.note(0, 1, 1)));
    assertFalse(Marks.isNote(new Batches(1).note(new byte[16], 0, 1, 1, 1)));
    assertFalse(Batches.isNote(marks.note(0, 1, 1)));
    assertEquals(25, marks.bytesPerMark());
  }
}
