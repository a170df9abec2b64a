package io.widerow.storage.repair;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeName;
import io.widerow.event.EventBatch;
import io.widerow.event.Rejection;
import io.widerow.event.RetentionPolicy;
import io.widerow.faults.StoreReading;
import io.widerow.rollup.RollupDefinition;
import io.widerow.rollup.RollupField;
import io.widerow.rollup.RollupFigure;
import io.widerow.rollup.RollupShape;
import io.widerow.storage.Damage;
import io.widerow.storage.Durability;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.EmbeddedStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: damage of a file of aggregates whose events are gone is found, a query that needs it
/// fails, and a repair keeps the readable part. Method: a store on the real disk, a flipped byte.
class AggregateRepairTest {
  private static final byte[] NUMBER = "n".getBytes(StandardCharsets.UTF_8);
  private static final byte[] VALUE = "value".getBytes(StandardCharsets.UTF_8);
  private static final long HOUR_NANOS = 3_600_000_000_000L;

  @TempDir private Path directory = Path.of(".");

  private Map<String, String> before = Map.of();

  private EmbeddedStore open() {
    StoreConfig config =
        StoreConfig.at(directory.resolve("s"))
            .withBuckets(60, Map.of())
            .withMemory(4 << 20, Duration.ofDays(1))
            .withJournal(1 << 20, 4 << 20)
            .withDiskReserveBytes(0)
            .withAges(Duration.ofMinutes(5), null);
    return EmbeddedStore.open(config, Runnable::run);
  }

  @BeforeEach
  void fill() {
    try (EmbeddedStore store = open()) {
      var field = new RollupField(AttributeName.of("n"), RollupFigure.ALL);
      var shape = new RollupShape(60, List.of(AttributeName.of("value")), List.of(field));
      store.rollups().set(new RollupDefinition("r", "*", shape, "sum(n)", Duration.ofDays(400)));
      long now = Instant.now().getEpochSecond() * 1_000_000_000L;
      for (String type : List.of("a", "b", "c")) {
        write(store, type, now - 240 * HOUR_NANOS);
      }
      store.sealAll();
      store.maintain();
      before = figures(store);
      assertEquals(3, before.size());
      store
          .retention()
          .set(
              new RetentionPolicy(
                  "*",
                  Duration.ofDays(3),
                  RetentionPolicy.UNLIMITED,
                  Duration.ZERO,
                  RetentionPolicy.Source.API));
      store.maintain();
      assertEquals(before, figures(store));
    }
  }

  private static void write(EmbeddedStore store, String type, long nanos) {
    byte[] utf8 = type.getBytes(StandardCharsets.UTF_8);
    try (var batch = new EventBatch(1 << 12, 1 << 20)) {
      for (int i = 0; i < 5; i++) {
        batch.begin(utf8, 0, utf8.length, nanos);
        batch.putLong(NUMBER, 0, NUMBER.length, i);
        batch.putLong(VALUE, 0, VALUE.length, 7);
        assertEquals(null, batch.end());
      }
      store.lane(0).append(batch, 0, AggregateRepairTest::refused);
    }
    store.lane(0).commit(Durability.DISK);
  }

  private static void refused(int index, Rejection why) {
    throw new AssertionError(why.reason());
  }

  private static Map<String, String> figures(EmbeddedStore store) {
    Map<String, String> figures = new TreeMap<>();
    try (StoreView view = store.view()) {
      StoreReading.keptSums(view, _ -> true, 0, Long.MAX_VALUE / 2, new ScanWatch(() -> {}))
          .forEach((group, sum) -> figures.put(group, sum.whole() + " of " + sum.count()));
    }
    return figures;
  }

  private Path file() {
    try (Stream<Path> files = Files.list(directory.resolve("s/figures"))) {
      List<Path> all = files.toList();
      assertEquals(1, all.size(), all::toString);
      return all.getFirst();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private void flip(int at) throws IOException {
    byte[] bytes = Files.readAllBytes(file());
    bytes[at < 0 ? bytes.length + at : at] ^= 1;
    Files.write(file(), bytes);
  }

  @Test
  void aWholeFileHasNoDamage() {
    var verified = StoreVerifier.verify(directory.resolve("s"));
    assertEquals(List.of(), verified.damage());
    assertEquals(List.of(), verified.remarks());
    assertEquals(1, verified.segments());
  }

  @Test
  void aDamagedPartitionIsLostAlone() throws IOException {
    flip(64 + 8); // in the cells of the first partition
    List<Damage> damage = StoreVerifier.verify(directory.resolve("s")).damage();
    assertEquals(1, damage.size(), damage::toString);
    try (EmbeddedStore store = open()) {
      assertThrows(StorageException.Corrupt.class, () -> figures(store));
    }
    var repair = StoreRepair.repair(directory.resolve("s"), false);
    assertEquals(1, repair.lost().size(), repair::toString);
    assertEquals(List.of(), repair.left());
    assertEquals(List.of(), StoreVerifier.verify(directory.resolve("s")).damage());
    try (EmbeddedStore store = open()) {
      Map<String, String> after = figures(store);
      assertEquals(2, after.size(), after::toString);
      assertTrue(before.entrySet().containsAll(after.entrySet()), after::toString);
    }
    assertFalse(repair.done().isEmpty());
  }

  @Test
  void aFileThatCannotBeOpenedIsTakenOut() throws IOException {
    flip(-1);
    try (EmbeddedStore store = open()) {
      assertThrows(StorageException.Corrupt.class, () -> figures(store));
      assertEquals(1, store.statistics().damage().size());
    }
    var repair = StoreRepair.repair(directory.resolve("s"), false);
    assertEquals(1, repair.lost().size(), repair::toString);
    assertEquals(List.of(), StoreVerifier.verify(directory.resolve("s")).damage());
    try (EmbeddedStore store = open()) {
      assertEquals(Map.of(), figures(store));
    }
  }

  @Test
  void aFileThatIsGoneIsTold() throws IOException {
    Files.delete(file());
    assertEquals(1, StoreVerifier.verify(directory.resolve("s")).damage().size());
    var repair = StoreRepair.repair(directory.resolve("s"), false);
    assertEquals(1, repair.lost().size(), repair::toString);
    assertEquals(List.of(), StoreVerifier.verify(directory.resolve("s")).damage());
  }
}
