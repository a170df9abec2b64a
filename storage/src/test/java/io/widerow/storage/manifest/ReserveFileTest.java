package io.widerow.storage.manifest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.SimDisk;
import io.widerow.storage.StorageException;
import io.widerow.storage.disk.DiskFile;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/// Goal: the ballast takes room for a rewrite of the manifest and never more than half of the free
/// room, grows with the manifest, and is given back once. Method: simulated disks of given sizes.
class ReserveFileTest {
  private static final Path STORE = Path.of("/store");
  private static final Path FILE = STORE.resolve("ballast");

  private final SimDisk disk = new SimDisk(1);

  ReserveFileTest() {
    disk.createDirectory(STORE);
  }

  private long keep(ReserveFile ballast, long fileBytes) {
    ballast.keep(fileBytes);
    return disk.exists(FILE) ? disk.sizeOf(FILE) : 0;
  }

  @Test
  void growsWithTheManifestAndIsNotWrittenAnewForNothing() {
    ReserveFile ballast = new ReserveFile(disk, STORE);
    assertEquals(64 << 10, keep(ballast, 900));
    long operations = disk.operations();
    assertEquals(64 << 10, keep(ballast, 50_000));
    assertEquals(64 << 10, keep(new ReserveFile(disk, STORE), 50_000));
    assertEquals(operations, disk.operations());
    for (long bytes : new long[] {65_000, 1 << 20, 10_000_000}) {
      long kept = keep(ballast, bytes);
      assertTrue(kept > bytes && kept <= 2 * bytes + 8_192, bytes + ": " + kept);
    }
  }

  @Test
  void takesNoMoreThanHalfOfWhatIsFree() {
    ReserveFile ballast = new ReserveFile(disk, STORE);
    disk.limitTo(4_096);
    assertEquals(0, keep(ballast, 900));
    assertFalse(disk.exists(FILE));
    disk.limitTo(50_000);
    assertEquals(24_576, keep(ballast, 900));
    assertEquals(24_576, keep(ballast, 900));
    disk.limitTo(1 << 20);
    assertEquals(64 << 10, keep(ballast, 900));
  }

  @Test
  void isGivenBackOnce() {
    ReserveFile ballast = new ReserveFile(disk, STORE);
    assertFalse(ballast.drop());
    assertEquals(64 << 10, keep(ballast, 900));
    disk.limitTo(64 << 10);
    assertTrue(ballast.drop());
    assertEquals(64 << 10, disk.usableBytes(STORE));
    assertFalse(ballast.drop());
    assertEquals(32 << 10, keep(ballast, 900));
  }

  @Test
  void aDeletionByOthersAndAShortFileAreNoticed() {
    ReserveFile ballast = new ReserveFile(disk, STORE);
    assertEquals(64 << 10, keep(ballast, 900));
    disk.delete(FILE);
    assertEquals(64 << 10, keep(ballast, 900));
    try (DiskFile file = disk.openForWriting(FILE)) {
      file.truncate(100); // as a crash may leave it
    }
    assertEquals(64 << 10, keep(new ReserveFile(disk, STORE), 900));
  }

  /// Others take the room concurrently: nothing half-written stays. A broken disk is reported.
  @Test
  void leavesNothingBehindWhenTheRoomIsGone() {
    ReserveFile ballast = new ReserveFile(disk, STORE);
    disk.fillFor(disk.operations() + 5, Long.MAX_VALUE);
    assertEquals(0, keep(ballast, 900));
    disk.fillFor(Long.MAX_VALUE, Long.MAX_VALUE);
    disk.failOperations(disk.operations() + 3, Long.MAX_VALUE);
    assertThrows(StorageException.Failed.class, () -> ballast.keep(900));
    disk.failOperations(Long.MAX_VALUE, Long.MAX_VALUE);
    assertEquals(64 << 10, keep(ballast, 900));
  }
}
