package io.widerow.query;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.event.EventBatch;
import io.widerow.storage.Durability;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.embedded.EmbeddedStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// A small store on disk for tests of the command line.
public final class StoreDirectory {
  /// An event to store. Values are strings, longs, doubles and booleans.
  public record Stored(String type, long timeNanos, Map<String, Object> attributes) {}

  private StoreDirectory() {}

  public static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /// Makes a store like one that a killed process leaves: half of the events sealed, half in the
  /// journal.
  public static void write(Path directory, List<Stored> events) throws IOException {
    Path live = directory.resolveSibling(directory.getFileName() + ".live");
    StoreConfig config = StoreConfig.at(live).withJournal(1 << 20, 4 << 20);
    try (EmbeddedStore store = EmbeddedStore.open(config, Runnable::run)) {
      append(store, events.subList(0, events.size() / 2));
      store.sealAll();
      append(store, events.subList(events.size() / 2, events.size()));
      copy(live, directory);
    }
  }

  public static void copy(Path from, Path to) throws IOException {
    try (var files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file)));
      }
    }
  }

  public static void append(EmbeddedStore store, List<Stored> events) {
    try (var batch = new EventBatch(1 << 16, 1 << 26)) {
      for (Stored event : events) {
        byte[] type = utf8(event.type());
        batch.begin(type, 0, type.length, event.timeNanos());
        new TreeMap<>(event.attributes()).forEach((name, value) -> put(batch, name, value));
        assertEquals(null, batch.end());
      }
      store
          .lane(0)
          .append(
              batch,
              0,
              (index, why) -> {
                throw new AssertionError(events.get(index) + ": " + why);
              });
      store.lane(0).commit(Durability.MEMORY);
    }
  }

  static void put(EventBatch batch, String attribute, Object value) {
    byte[] name = utf8(attribute);
    switch (value) {
      case Long whole -> batch.putLong(name, 0, name.length, whole);
      case Double number -> batch.putDouble(name, 0, name.length, number);
      case Boolean truth -> batch.putBoolean(name, 0, name.length, truth);
      default -> batch.putString(name, 0, name.length, utf8(value.toString()));
    }
  }
}
