package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventBatch;
import io.widerow.faults.Appends;
import io.widerow.faults.FileJournal;
import io.widerow.faults.SimDisk;
import io.widerow.faults.TestClock;
import io.widerow.storage.Durability;
import io.widerow.storage.StoreView;
import io.widerow.storage.TypeInfo;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Goal: the types of a store are listed with the right numbers and times, whether their events are
/// open, sealed or both, without events past retention. Method: a store on the simulated disk with
/// a clock that the test sets.
class StoreTypesTest {
  private static final long START_NANOS = 1_700_000_000_000_000_000L;
  private static final long SECOND = 1_000_000_000L;
  private static final byte[] BODY = "body".getBytes(StandardCharsets.UTF_8);

  private final SimDisk disk = new SimDisk(1);
  private final TestClock clock = new TestClock(START_NANOS);
  private final EmbeddedStore store =
      FileJournal.openStore(StoreRetentionTest.config(), disk, clock);

  @AfterEach
  void close() {
    store.close();
  }

  private void write(String type, long timeNanos) {
    byte[] utf8 = type.getBytes(StandardCharsets.UTF_8);
    try (var batch = new EventBatch(1 << 12, 1 << 22)) {
      batch.begin(utf8, 0, utf8.length, timeNanos);
      batch.putString(BODY, 0, BODY.length, "line".getBytes(StandardCharsets.UTF_8));
      assertEquals(null, batch.end());
      Appends.all(store.lane(0), batch, 0);
    }
    store.lane(0).commit(Durability.DISK);
  }

  private List<TypeInfo> types() {
    try (StoreView view = store.view()) {
      return view.types(_ -> true);
    }
  }

  private static TypeInfo info(String type, long events, long bytes, long first, long last) {
    return new TypeInfo(type, events, bytes, first, last + 99); // an id has ticks of 100 ns
  }

  @Test
  void openAndSealedEventsCountTogether() {
    assertEquals(List.of(), types());
    write("b", START_NANOS - 7_200 * SECOND);
    write("a", START_NANOS);
    long earlier = START_NANOS - 7_200 * SECOND;
    assertEquals(
        List.of(info("a", 1, 0, START_NANOS, START_NANOS), info("b", 1, 0, earlier, earlier)),
        types());
    store.sealAll();
    write("b", START_NANOS + SECOND);
    List<TypeInfo> both = types();
    long sealed = both.get(0).bytes();
    assertTrue(sealed > 0 && sealed < 4_096, both.toString());
    assertEquals(info("a", 1, sealed, START_NANOS, START_NANOS), both.get(0));
    long blocks = both.get(1).bytes();
    assertTrue(blocks > 0, both.toString());
    assertEquals(info("b", 2, blocks, earlier, START_NANOS + SECOND), both.get(1));
    try (StoreView view = store.view()) {
      assertEquals(List.of(both.get(1)), view.types("b"::equals));
    }
  }

  @Test
  void whatIsPastRetentionIsNoTypeAnyMore() {
    write("old", START_NANOS);
    write("kept", START_NANOS);
    store.retain("old", Duration.ofHours(1));
    assertEquals(List.of("kept", "old"), types().stream().map(TypeInfo::type).toList());
    clock.advance(Duration.ofHours(3).toNanos());
    assertEquals(List.of("kept"), types().stream().map(TypeInfo::type).toList());
  }
}
