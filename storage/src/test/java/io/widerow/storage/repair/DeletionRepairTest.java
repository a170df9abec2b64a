package io.widerow.storage.repair;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventBatch;
import io.widerow.event.EventId;
import io.widerow.event.PartitionKey;
import io.widerow.event.Rejection;
import io.widerow.event.Text;
import io.widerow.event.TimeUuid;
import io.widerow.storage.Durability;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.DeletionControl;
import io.widerow.storage.embedded.DeletionControl.Asked;
import io.widerow.storage.embedded.EmbeddedStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: events that were deleted never come back, although a damaged segment may hold some of them
/// as the deletion runs. Method: a store on the real disk whose first segment has two types; a byte
/// of the first type is flipped, so that the other one can be read.
class DeletionRepairTest {
  private static final byte[] BODY = "body".getBytes(StandardCharsets.UTF_8);
  private static final int DAMAGED_AT = 90; // in the block of the first type
  private static final int LOOKS = 20;

  @TempDir private Path directory = Path.of(".");

  private final long start = (Instant.now().getEpochSecond() / 3_600 - 5) * 3_600_000_000_000L;

  private EmbeddedStore open() {
    StoreConfig config =
        StoreConfig.at(directory)
            .withBuckets(60, Map.of())
            .withMemory(4 << 20, Duration.ofDays(1))
            .withJournal(1 << 20, 4 << 20)
            .withDiskReserveBytes(0)
            .withAges(Duration.ofDays(30), null); // nothing is merged
    return EmbeddedStore.open(config, Runnable::run);
  }

  /// Writes events with ids of their own, one a second.
  private void write(EmbeddedStore store, String type, String... bodies) {
    write(store, start, type, bodies);
  }

  private static void write(EmbeddedStore store, long from, String type, String... bodies) {
    byte[] utf8 = type.getBytes(StandardCharsets.UTF_8);
    try (var batch = new EventBatch(1 << 12, 1 << 20)) {
      for (int i = 0; i < bodies.length; i++) {
        long time = TimeUuid.timeOfNanos(from + i * 1_000_000_000L);
        batch.begin(utf8, 0, utf8.length, new EventId(time, TimeUuid.tailOf(0, 1, 0)));
        batch.putString(BODY, 0, BODY.length, bodies[i].getBytes(StandardCharsets.UTF_8));
        assertEquals(null, batch.end());
      }
      store.lane(0).append(batch, 0, DeletionRepairTest::refused);
    }
    store.lane(0).commit(Durability.DISK);
  }

  private static void refused(int index, Rejection why) {
    throw new AssertionError(why.reason());
  }

  private static void look(EmbeddedStore store) {
    for (int look = 0; look < LOOKS; look++) {
      store.maintain();
    }
  }

  private static List<String> shown(EmbeddedStore store, String type) {
    List<String> shown = new ArrayList<>();
    var body = new AttributeValue();
    try (StoreView view = store.view()) {
      List<PartitionKey> keys =
          view.partitions(type::equals, 0, Long.MAX_VALUE / 2, null).stream()
              .map(PartitionInfo::key)
              .toList();
      try (EventCursor cursor = view.open(keys, Scan.all())) {
        while (EventCursor.nextLocal(cursor)) {
          assertTrue(cursor.event().find(AttributeName.BODY, body));
          shown.add(body.toString());
        }
      }
    }
    return shown;
  }

  private static int plan(EmbeddedStore store, String word) {
    var filter = new Filter.Has(AttributeName.BODY, Text.of(word));
    try (StoreView view = store.view()) {
      var asked = new Asked(List.of(), Long.MIN_VALUE, Long.MAX_VALUE, "body has " + word, filter);
      return store.deletions().plan(asked, view).id();
    }
  }

  /// Flips a byte of the first segment.
  private Path damage() throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("segments"))) {
      Path first = files.sorted().findFirst().orElseThrow();
      byte[] bytes = Files.readAllBytes(first);
      bytes[DAMAGED_AT] ^= 1;
      Files.write(first, bytes);
      return first;
    }
  }

  private static String nameOf(Path file) {
    return String.valueOf(file.getFileName());
  }

  private void repair() {
    assertEquals(List.of(), StoreRepair.repair(directory, false).left());
  }

  @Test
  void aDeletionIsNotDoneBeforeWhatIsDamagedWasRepaired() throws IOException {
    try (EmbeddedStore store = open()) {
      write(store, "a", "stays", "goes");
      write(store, "b", "stays", "goes", "stays too");
      store.sealAll();
      write(store, start + 3_600_000_000_000L, "c", "goes", "stays");
      store.sealAll();
      assertEquals(1, plan(store, "goes"));
    }
    Path damaged = damage();
    try (EmbeddedStore store = open()) {
      var _ = store.deletions().run(1);
      look(store);
      DeletionControl.Standing waits = store.deletions().standing(1);
      assertEquals(List.of("stays", "stays too"), shown(store, "b"), "hidden");
      assertEquals("waiting", waits.state());
      assertEquals(List.of(nameOf(damaged)), waits.damaged());
      assertEquals(1, waits.removed(), "what can be told is gone");
      assertThrows(StorageException.Corrupt.class, () -> shown(store, "a"));
      look(store);
      assertEquals(waits, store.deletions().standing(1), "nothing is done again");
    }
    try (EmbeddedStore store = open()) {
      assertEquals(List.of("stays", "stays too"), shown(store, "b"), "after a start, too");
      look(store);
      assertEquals("waiting", store.deletions().standing(1).state());
      assertEquals(List.of("stays"), shown(store, "c"));
    }
    repair();
    try (EmbeddedStore store = open()) {
      assertEquals(List.of("stays", "stays too"), shown(store, "b"));
      look(store);
      DeletionControl.Standing done = store.deletions().standing(1);
      assertEquals("done", done.state());
      assertEquals(2, done.removed());
      assertEquals(done.keptBefore(), done.kept());
      assertEquals(0, store.deletions().verify(1));
      assertEquals(List.of("stays", "stays too"), shown(store, "b"));
      assertEquals(List.of(), shown(store, "a"), "lost by the damage");
      assertEquals(List.of("stays"), shown(store, "c"));
    }
  }

  /// The last write says what goes: without it nobody could tell that the earlier one goes, too.
  @Test
  void anEarlierWriteInADamagedFileDoesNotComeBack() throws IOException {
    try (EmbeddedStore store = open()) {
      write(store, "a", "first", "first");
      write(store, "b", "first", "other");
      store.sealAll();
      write(store, "b", "goes");
      store.sealAll();
      assertEquals(List.of("goes", "other"), shown(store, "b"));
      assertEquals(1, plan(store, "goes"));
    }
    var _ = damage();
    try (EmbeddedStore store = open()) {
      assertThrows(StorageException.Corrupt.class, () -> shown(store, "a"));
      var _ = store.deletions().run(1);
      look(store);
      assertEquals("waiting", store.deletions().standing(1).state());
      assertEquals(List.of("other"), shown(store, "b"));
    }
    repair();
    try (EmbeddedStore store = open()) {
      assertEquals(List.of("other"), shown(store, "b"));
      look(store);
      assertEquals("done", store.deletions().standing(1).state());
      assertEquals(List.of("other"), shown(store, "b"));
    }
  }
}
