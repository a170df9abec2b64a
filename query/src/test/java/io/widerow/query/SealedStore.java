package io.widerow.query;

import io.widerow.query.StoreDirectory.Stored;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.embedded.EmbeddedStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/// A store for benchmarks in a directory of its own: buckets of an hour, nothing in memory once it
/// is filled.
public final class SealedStore implements AutoCloseable {
  private static final int CHUNK = 20_000;

  private final Path directory;
  private final EmbeddedStore store;

  private SealedStore(Path directory, EmbeddedStore store) {
    this.directory = directory;
    this.store = store;
  }

  /// @param name begins that of the directory
  /// @param more changes to the configuration
  public static SealedStore open(String name, UnaryOperator<StoreConfig> more) throws IOException {
    Path directory = Files.createTempDirectory(name);
    StoreConfig config =
        StoreConfig.at(directory.resolve("s"))
            .withBuckets(60, Map.of())
            .withDiskReserveBytes(0)
            .withAges(Duration.ZERO, null);
    return new SealedStore(directory, EmbeddedStore.open(more.apply(config), Runnable::run));
  }

  public EmbeddedStore store() {
    return store;
  }

  /// Writes events, and seals.
  ///
  /// @param count of them; whole chunks of 20,000
  /// @param chunksSealed after how many chunks it seals in between
  public void fill(int count, int chunksSealed, IntFunction<Stored> event)
      throws InterruptedException {
    for (int from = 0; from < count; from += CHUNK) {
      List<Stored> some = new ArrayList<>();
      for (int i = from; i < from + CHUNK; i++) {
        some.add(event.apply(i));
      }
      StoreDirectory.append(store, some);
      if ((from / CHUNK + 1) % chunksSealed == 0) {
        store.sealAll();
        store.awaitBackground();
      }
    }
    seal();
  }

  /// Seals all events.
  public void seal() throws InterruptedException {
    store.sealAll();
    store.awaitBackground();
    if (store.statistics().openEvents() > 0) {
      throw new IllegalStateException("not sealed");
    }
  }

  /// Merges the sealed segments of each bucket that is closed.
  public void merge() throws InterruptedException {
    store.maintain();
    store.awaitBackground();
  }

  /// Deletes it.
  @Override
  public void close() throws IOException {
    store.close();
    try (Stream<Path> paths = Files.walk(directory)) {
      for (Path path : paths.toList().reversed()) {
        Files.delete(path);
      }
    }
  }
}
