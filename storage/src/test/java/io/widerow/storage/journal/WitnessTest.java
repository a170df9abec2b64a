package io.widerow.storage.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.LayoutRows;
import io.widerow.faults.SimDisk;
import io.widerow.storage.Damage;
import io.widerow.storage.StorageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/// Goal: a power cut leaves a witness equal to one of the last two writes, and a damaged one is
/// empty. Method: write, cut the power at every operation, flip every byte. The document is checked
/// against the code.
public class WitnessTest {
  private static final UUID STORE = new UUID(3, 4);
  private static final Path DIRECTORY = Path.of("/store");
  private static final Path FILE = DIRECTORY.resolve(Witness.NAME);

  private final SimDisk disk = new SimDisk(1);

  private static List<Witness.Lane> lanes(long lsn) {
    return List.of(new Witness.Lane(lsn, 7, 1 << 20), new Witness.Lane(lsn + 1, 8, 1 << 20));
  }

  private static Witness read(SimDisk from) {
    return Witness.read(from, DIRECTORY, STORE, 1);
  }

  @Test
  void documentListsTheLayoutsAsTheCodeHasThem() throws IOException {
    String[] parts = Files.readString(Path.of("FORMAT-journal.md")).split("<!-- witness .*-->", 5);
    assertEquals(parts[1].strip(), LayoutRows.of(Witness.HEADER));
    assertEquals(parts[3].strip(), LayoutRows.of(Witness.ENTRY));
  }

  @Test
  public void aPowerCutLeavesOneOfTheLastTwoStatements() {
    disk.createDirectory(DIRECTORY);
    disk.forceDirectory(Path.of("/"));
    try (var file = new WitnessFile(disk, DIRECTORY, STORE)) {
      file.write(lanes(1));
      assertEquals(lanes(1), read(disk).lanes());
      for (long lsn = 2; lsn < 200; lsn++) {
        long before = lsn - 1;
        List<List<Witness.Lane>> either = List.of(lanes(before), lanes(lsn));
        disk.beforeEach(() -> {
          Witness left = read(disk.crash(true));
          assertNull(left.damage());
          assertTrue(either.contains(left.lanes()), left::toString);
        });
        file.write(lanes(lsn));
        assertEquals(lanes(lsn), read(disk.crash(true)).lanes());
      }
    }
  }

  @Test
  void whatIsSaidAlreadyIsNotWrittenAgain() {
    disk.createDirectory(DIRECTORY);
    try (var file = new WitnessFile(disk, DIRECTORY, STORE)) {
      file.write(lanes(1));
      long operations = disk.operations();
      file.write(lanes(1));
      assertEquals(operations, disk.operations());
    }
  }

  @Test
  void afterAFailedWriteANewFileIsStarted() {
    disk.createDirectory(DIRECTORY);
    disk.forceDirectory(Path.of("/"));
    try (var file = new WitnessFile(disk, DIRECTORY, STORE)) {
      file.write(lanes(1));
      for (int nth = 1; nth <= 2; nth++) { // the write, the force
        long at = disk.operations() + nth;
        disk.failOperations(at, at + 1);
        long lsn = 2L * nth;
        assertThrows(StorageException.class, () -> file.write(lanes(lsn)));
        assertNull(read(disk).damage());
        file.write(lanes(lsn));
        assertEquals(lanes(lsn), read(disk.crash(false)).lanes());
      }
    }
  }

  @Test
  void aFlippedByteLeavesTheOtherCopy() {
    disk.createDirectory(DIRECTORY);
    try (var file = new WitnessFile(disk, DIRECTORY, STORE)) {
      file.write(lanes(1));
      file.write(lanes(2));
    }
    assertNull(read(disk).remark());
    for (long at = 0; at < disk.sizeOf(FILE); at++) {
      disk.flip(FILE, 8 * at + at % 8);
      Witness left = read(disk);
      boolean newer = at >= Witness.COPY_BYTES; // sequence 3, an odd one
      assertEquals(lanes(newer ? 1 : 2), left.lanes(), "byte " + at);
      assertNotNull(left.remark());
      disk.flip(FILE, 8 * at + at % 8);
    }
  }

  @Test
  void aWitnessThatCannotBeReadIsDamage() {
    disk.createDirectory(DIRECTORY);
    assertEquals(Witness.NONE, Witness.read(disk, DIRECTORY, STORE, 0), "no journal is counted");
    assertEquals(List.of(), read(disk).lanes());
    assertNotNull(read(disk).damage(), "it is gone");
    try (var file = new WitnessFile(disk, DIRECTORY, new UUID(5, 6))) {
      file.write(lanes(1));
    }
    Damage other = read(disk).damage();
    assertNotNull(other, "that of another store");
    assertEquals(FILE, other.file());
    for (int size : new int[] {0, 100, Witness.COPIES * Witness.COPY_BYTES}) {
      disk.replace(FILE, new byte[size]);
      assertNotNull(read(disk).damage(), size + " zeros");
    }
  }
}
