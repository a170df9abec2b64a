package io.widerow.cql.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cql.store.KeySpan;
import io.widerow.cql.store.TableDriver;
import io.widerow.cql.store.TableView;
import io.widerow.cql.store.WriteTooLargeException;
import io.widerow.storage.Damage;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.disk.RealDisk;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.embedded.StoreSnapshot;
import io.widerow.storage.manifest.StoreFormat;
import io.widerow.storage.repair.StoreRepair;
import io.widerow.storage.repair.StoreVerifier;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What operates a store handles its tables: snapshots, verifying, repairing, reading a stopped
/// one. On the real disk with the real journal.
class TablesUpkeepTest {
  private static final int PARTITION = 13;

  @TempDir private Path directory;

  private Path store() {
    return directory.resolve("store");
  }

  private static EmbeddedStore open(Path store) {
    return EmbeddedStore.open(
        StoreConfig.at(store)
            .withMemory(4 << 20, Duration.ofMinutes(1))
            .withJournal(1 << 20, 4 << 20)
            .withDiskReserveBytes(0),
        Runnable::run);
  }

  private static byte[] key(int number) {
    byte[] key = new byte[PARTITION + 3];
    key[0] = 1;
    key[11] = (byte) (number >> 8);
    key[PARTITION] = 1;
    key[PARTITION + 1] = (byte) (number >> 8);
    key[PARTITION + 2] = (byte) number;
    return key;
  }

  /// Writes rows `[from, until)`, each with a value that no compressor makes small.
  private static void write(EmbeddedStore store, int from, int until) {
    store
        .extension(TableEngine.class)
        .write((_, out) -> {
          for (int i = from; i < until; i++) {
            byte[] value = new byte[200];
            new SplittableRandom(i).nextBytes(value);
            out.row(key(i), PARTITION).live(10, 0, 0).cell(1, null, value, 10, 0, 0);
          }
          return true;
        })
        .join();
  }

  private static int rows(EmbeddedStore store) {
    try (TableView view = store.extension(TableEngine.class).view()) {
      return TableDriver.readAll(view, 1_000).size();
    }
  }

  private Path tableFile() throws IOException {
    try (Stream<Path> files = Files.list(store().resolve("tables/segments"))) {
      return files.findFirst().orElseThrow();
    }
  }

  @Test
  void aStoreWithoutTablesIsNotTouched() throws IOException {
    try (EmbeddedStore store = open(store())) {
      store.maintain();
      assertEquals(0, rows(store));
    }
    assertFalse(Files.exists(store().resolve("tables")));
    assertFalse(StoreFormat.hasTables(new RealDisk(), store()));
    assertTrue(
        Files.readString(store().resolve("FORMAT")).contains("incompatible 0000000000000000"));
  }

  @Test
  void programsThatKnowNoTablesRefuseAStoreThatHasThem() throws IOException {
    try (EmbeddedStore store = open(store())) {
      write(store, 0, 1);
    }
    assertTrue(
        Files.readString(store().resolve("FORMAT")).contains("incompatible 0000000000000001"));
  }

  @Test
  void aStoppedStoreIsReadAndNotChanged() {
    try (EmbeddedStore store = open(store())) {
      write(store, 0, 1_000);
    }
    try (EmbeddedStore store = EmbeddedStore.openForReading(store())) {
      assertEquals(1_000, rows(store));
      var refused = store.extension(TableEngine.class).write((_, _) -> true);
      var failure = assertThrows(CompletionException.class, refused::join);
      assertInstanceOf(StorageException.ReadOnly.class, failure.getCause());
    }
  }

  /// Keys of rows from one number until another, both multiples of 256.
  private static KeySpan span(int from, int until) {
    return new KeySpan(
        Arrays.copyOf(key(from), PARTITION - 1), Arrays.copyOf(key(until), PARTITION - 1));
  }

  private long bytes() throws IOException {
    try (Stream<Path> files = Files.list(store().resolve("tables/segments"))) {
      return files.mapToLong(file -> file.toFile().length()).sum();
    }
  }

  @Test
  void whatIsForgottenGivesItsRoomBack() throws IOException {
    try (EmbeddedStore store = open(store())) {
      write(store, 0, 2_560);
      store.extension(TableEngine.class).flush();
      long whole = bytes();
      store.extension(TableEngine.class).forget(List.of(span(512, 768)));
      assertEquals(whole, bytes(), "a tenth is not worth rewriting a file");
      store.extension(TableEngine.class).forget(List.of(span(2_304, 2_560), span(512, 1_536)));
      assertTrue(bytes() < whole * 6 / 10, bytes() + " of " + whole);
      assertEquals(2_560 - 1_280, rows(store));
      write(store, 2_560, 2_570);
      store.extension(TableEngine.class).flush();
    }
    try (EmbeddedStore store = open(store())) {
      assertEquals(2_560 - 1_280 + 10, rows(store), "the same after a start");
      store.extension(TableEngine.class).forget(List.of(span(0, 0x7f00)));
      assertEquals(0, rows(store));
      assertEquals(0, bytes());
      write(store, 0, 10);
      store.extension(TableEngine.class).flush();
      assertEquals(0, bytes(), "nothing of it is written again");
    }
    assertEquals(List.of(), StoreVerifier.verify(store()).damage());
  }

  @Test
  void nothingIsForgottenBesideDamage() throws IOException {
    try (EmbeddedStore store = open(store())) {
      write(store, 0, 512);
      store.extension(TableEngine.class).flush();
      write(store, 512, 1_024);
    }
    try (FileChannel file = FileChannel.open(tableFile(), StandardOpenOption.WRITE)) {
      file.truncate(file.size() - 1);
    }
    long before = bytes();
    try (EmbeddedStore store = open(store())) {
      store.extension(TableEngine.class).forget(List.of(span(0, 0x7f00)));
      assertEquals(before, bytes());
    }
  }

  @Test
  void snapshotsHaveTheTables() {
    Path open = directory.resolve("open");
    try (EmbeddedStore store = open(store())) {
      write(store, 0, 500);
      store.extension(TableEngine.class).flush();
      write(store, 500, 900);
      store.snapshot(open);
      write(store, 900, 1_000);
    }
    try (EmbeddedStore copy = open(open)) {
      assertEquals(900, rows(copy));
    }
    Path stopped = directory.resolve("stopped");
    StoreSnapshot.ofStopped(store(), stopped);
    try (EmbeddedStore copy = open(stopped)) {
      assertEquals(1_000, rows(copy));
    }
    assertEquals(List.of(), StoreVerifier.verify(open).damage());
  }

  @Test
  void manySmallFilesBecomeFew() throws Exception {
    try (EmbeddedStore store = open(store())) {
      for (int i = 0; i < 12; i++) {
        write(store, 0, 20 + i);
        store.extension(TableEngine.class).flush();
      }
      store.maintain();
      assertEquals(31, rows(store));
      assertTrue(store.extension(TableEngine.class).contents().state().files().size() < 5);
    }
  }

  @Test
  void aDamagedBlockIsFoundToldAndRepaired() throws IOException {
    try (EmbeddedStore store = open(store())) {
      write(store, 0, 1_000);
    }
    damage(tableFile(), 20_000);
    StoreVerifier.Verification found = StoreVerifier.verify(store());
    assertEquals(List.of(Damage.Kind.BLOCK), found.damage().stream().map(Damage::kind).toList());
    try (EmbeddedStore store = open(store())) {
      assertThrows(StorageException.Corrupt.class, () -> rows(store));
    }
    StoreRepair.Repair repaired = StoreRepair.repair(store(), false);
    assertEquals(1, repaired.lost().size());
    assertEquals(List.of(), repaired.left());
    assertEquals(List.of(), StoreVerifier.verify(store()).damage());
    try (EmbeddedStore store = open(store())) {
      int left = rows(store);
      assertTrue(left > 850 && left < 1_000, left + " rows are left");
    }
  }

  @Test
  void aDamagedFootLosesNoBlock() throws IOException {
    try (EmbeddedStore store = open(store())) {
      write(store, 0, 1_000);
    }
    Path file = tableFile();
    damage(file, Files.size(file) - 30);
    try (EmbeddedStore store = open(store())) {
      assertEquals(1, store.recovery().damage().size());
      assertThrows(StorageException.Corrupt.class, () -> rows(store));
    }
    StoreRepair.Repair repaired = StoreRepair.repair(store(), false);
    assertEquals(1, repaired.lost().size());
    try (EmbeddedStore store = open(store())) {
      assertEquals(1_000, rows(store));
    }
  }

  @Test
  void tablesThatAreGoneAreMissed() throws IOException {
    try (EmbeddedStore store = open(store())) {
      write(store, 0, 10);
    }
    Files.move(store().resolve("tables"), directory.resolve("elsewhere"));
    assertThrows(StorageException.Corrupt.class, () -> open(store()));
    assertEquals(
        List.of(Damage.Kind.MANIFEST),
        StoreVerifier.verify(store()).damage().stream().map(Damage::kind).toList());
  }

  @Test
  void aWriteThatIsTooLargeIsRefused() {
    try (EmbeddedStore store = open(store())) {
      var refused =
          store
              .extension(TableEngine.class)
              .write(
                  (_, out) -> out.row(key(1), PARTITION).cell(1, null, new byte[1 << 20], 1, 0, 0));
      var failure = assertThrows(CompletionException.class, refused::join);
      assertInstanceOf(WriteTooLargeException.class, failure.getCause());
      assertEquals(0, rows(store));
      write(store, 0, 1);
      assertEquals(1, rows(store));
    }
  }

  @Test
  void moreThanTheMemoryIsFlushedOnTheWay() {
    try (EmbeddedStore store = open(store())) {
      for (int i = 0; i < 30; i++) {
        write(store, 1_000 * i, 1_000 * (i + 1));
      }
      assertEquals(30_000, rows(store));
      assertTrue(store.extension(TableEngine.class).memoryBytes() <= 3 * (2L << 20));
    }
    try (EmbeddedStore store = open(store())) {
      assertEquals(30_000, rows(store));
    }
  }

  private static void damage(Path file, long at) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[(int) at] ^= 0x40;
    Files.write(file, bytes);
  }
}
