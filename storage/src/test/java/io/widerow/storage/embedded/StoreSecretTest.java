package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.DiskAround;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.RealDisk;
import io.widerow.storage.journal.ChronicleJournalFactory;
import io.widerow.storage.manifest.StoreFormat;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a store's secret never changes, differs from that of any other store, and no failure
/// message reveals its source. Method: a known secret; stores that are reopened, copied and created
/// again; a snapshot that fails.
class StoreSecretTest {
  @TempDir private Path directory;

  /// Batch keys are derived from the secret and outlive restarts, so it must never change.
  @Test
  void aKnownStoreHasAKnownSecret() {
    assertEquals(
        "31d88c5ba1b9f5c0746c34fe3da9dbe2e77e44c0db8fa2b9412ee796b8417604",
        HexFormat.of().formatHex(StoreSecret.of(new UUID(1, 2))));
  }

  private byte[] secret(String name) {
    try (var store = EmbeddedStore.open(StoreConfig.at(directory.resolve(name)), Runnable::run)) {
      return store.secret();
    }
  }

  @Test
  void aCopyHasTheSecretOfItsOriginal() {
    byte[] first = secret("a");
    try (var store = EmbeddedStore.open(StoreConfig.at(directory.resolve("a")), Runnable::run)) {
      store.snapshot(directory.resolve("b"));
    }
    assertArrayEquals(first, secret("a"));
    assertArrayEquals(first, secret("b"));
    assertFalse(Arrays.equals(first, secret("c")));
  }

  /// Clients get the reason why a snapshot failed.
  @Test
  void aSnapshotThatFailsDoesNotTellTheId() {
    byte[] _ = secret("a");
    Path store = directory.resolve("a");
    String id = StoreFormat.read(new RealDisk(), store).storeId().toString();
    Disk failing =
        new DiskAround(new RealDisk()) {
          @Override
          public void createDirectory(Path path) {
            throw new StorageException.Failed("cannot make " + path, new IOException("planned"));
          }
        };
    var failure =
        assertThrows(
            StorageException.Failed.class,
            () ->
                StoreSnapshot.ofStopped(
                    failing,
                    store,
                    directory.resolve("b"),
                    storeId ->
                        ChronicleJournalFactory.of(
                            store,
                            StoreConfig.at(store).journalFileBytes(),
                            failing,
                            storeId,
                            Runnable::run)));
    String told = String.valueOf(failure.getMessage());
    assertTrue(told.contains("b.") && told.endsWith(".tmp"), told);
    assertFalse(told.contains(id), told);
  }
}
