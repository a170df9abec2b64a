package io.widerow.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a store's secret is always the same, and that of no other. Method: a known one; stores
/// that are opened again, copied, and made anew.
class StoreSecretTest {
  @TempDir private Path directory;

  /// Keys of batches outlive restarts and are made of it, so this must never change.
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
}
