package io.widerow.storage.embedded;

import static io.widerow.storage.journal.JournalFrame.ENDS_GROUP;
import static io.widerow.storage.journal.JournalFrame.STARTS_GROUP;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.storage.StorageException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/// Goal: the state of a group agrees with its records and frames after each transition. Method: the
/// transitions that a lane makes, with records of 10 bytes behind a committed group of 100.
class CommitGroupTest {
  private final CommitGroup group = new CommitGroup();

  CommitGroupTest() {
    group.committed(100);
    group.framed(100, true);
  }

  private void take(int records) {
    for (int i = 0; i < records; i++) {
      group.took(10);
    }
  }

  private void assertState(long from, long frameFrom, int frameEvents, long events) {
    assertEquals(from, group.from());
    assertEquals(frameFrom, group.frameFrom());
    assertEquals(frameEvents, group.frameEvents());
    assertEquals(events, group.events());
    assertEquals(events * 10, group.bytes());
  }

  @Test
  void framesStartAndEndAGroupOnce() {
    take(3);
    assertEquals(STARTS_GROUP, group.flags(false));
    group.framed(130, false);
    take(1);
    assertState(100, 130, 1, 4);
    assertEquals(ENDS_GROUP, group.flags(true));
    group.framed(140, true);
    group.committed(140);
    assertState(140, 140, 0, 0);
    assertTrue(group.isEmpty());
    assertEquals(STARTS_GROUP | ENDS_GROUP, group.flags(true));
  }

  @Test
  void movedRecordsKeepTheirFrames() {
    take(3);
    group.framed(120, false);
    take(1);
    group.moved();
    assertState(0, 20, 1, 4);
    assertEquals(0, group.flags(false));
  }

  @Test
  void aRestartedGroupIsTakenOnceMoreWithItsNotes() {
    group.notes.add(new byte[1]);
    take(5);
    group.framed(130, false);
    group.restart();
    assertState(100, 100, 0, 0);
    assertFalse(group.isEmpty());
    assertEquals(STARTS_GROUP, group.flags(false));
    group.moved();
    take(2);
    assertState(0, 0, 2, 2);
    assertFalse(group.leftRecords());
  }

  @Test
  void recordsThatAreLeftKeepTheRowsFromReaders() {
    group.restart();
    group.leaveRecords(100);
    assertFalse(group.leftRecords());
    take(2);
    group.restart();
    group.leaveRecords(120);
    assertTrue(group.leftRecords());
    assertState(120, 120, 0, 0);
    group.moved();
    assertFalse(group.leftRecords());
    assertState(0, 0, 0, 0);
  }

  @Test
  void aDroppedGroupIsReportedUntilTheNextDrop() {
    var full = new StorageException.DiskFull(Path.of("store"), 1, 2);
    group.notes.add(new byte[1]);
    take(2);
    group.framed(110, false);
    group.drop(120, full);
    assertTrue(group.isEmpty());
    assertState(120, 120, 0, 0);
    assertSame(full, group.dropped());
    assertTrue(group.leftRecords());
    assertEquals(STARTS_GROUP, group.flags(false));
    group.drop(120, null);
    assertNull(group.dropped());
    assertTrue(group.leftRecords(), "renewing the rows may find no room either");
  }
}
