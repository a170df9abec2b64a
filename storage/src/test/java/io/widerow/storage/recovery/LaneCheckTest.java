package io.widerow.storage.recovery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.widerow.storage.JournalLoss;
import io.widerow.storage.journal.JournalFile;
import io.widerow.storage.journal.Witness;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class LaneCheckTest {
  private static final Path JOURNALS = Path.of("journal");
  private static final long SEALED = 5;

  /// A file of 100 bytes, which has the number of one that the witness saw with 4,096.
  private static List<JournalLoss> losses(boolean expected) {
    var check = new LaneCheck(0, SEALED);
    check.witness(new Witness.Lane(SEALED, 0, 4_096));
    if (expected) {
      check.expectFile();
    }
    check.file(new JournalFile(0, 0, SEALED + 1, JOURNALS.resolve("0-0-6"), 100));
    return check.losses(JOURNALS);
  }

  @Test
  void aShortFileIsALoss() {
    assertNotEquals(List.of(), losses(true));
  }

  /// A file whose headers are damaged, at these offsets.
  private static List<JournalLoss> losses(long... headers) {
    var check = new LaneCheck(0, SEALED);
    Path path = JOURNALS.resolve("0-0-6");
    check.file(new JournalFile(0, 0, SEALED + 1, path, 4_096));
    for (long offset : headers) {
      check.unbelievable(path, offset);
    }
    check.end();
    return check.losses(JOURNALS);
  }

  /// Groups that were not forced may all be torn, each header between two sectors.
  @Test
  void aFileIsForeignWhenItsHeadersAreDamagedAndNotTorn() {
    assertEquals(List.of(), losses(115_136, 155_628));
    assertEquals(List.of(), losses(65_812));
    assertNotEquals(List.of(), losses(65_812, 115_136));
  }

  /// A start on a full disk deletes all files, then makes new ones from number 0 on. Killed there,
  /// it leaves a short file.
  @Test
  void aShortFileIsNoneWhileTheManifestCountsNoJournals() {
    assertEquals(List.of(), losses(false));
  }
}
