package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a directory that cannot become a store is refused as no store, with the reason, so that a
/// supervisor does not start the daemon again and again. Method: real directories that the kernel
/// refuses, also for root.
class UncreatableStoreTest {
  @TempDir private Path directory = Path.of(".");

  @Test
  void theReasonIsReported() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "x");
    for (Path place :
        List.of(Path.of("/proc/widerow"), directory.resolve("a/b"), file.resolve("x"))) {
      StorageException.Incompatible refused =
          assertThrows(
              StorageException.Incompatible.class,
              () -> EmbeddedStore.open(StoreConfig.at(place), Runnable::run).close());
      String sentence = String.valueOf(refused.getMessage());
      assertTrue(
          sentence.matches(
              ".*: the directory of the store cannot be created: "
                  + "(no such file or directory|[Nn]ot a directory)"),
          sentence);
    }
  }
}
