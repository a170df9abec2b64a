package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.event.EventBatch;
import io.widerow.event.PartitionKey;
import io.widerow.faults.Appends;
import io.widerow.faults.FileJournal;
import io.widerow.faults.SimDisk;
import io.widerow.faults.TestClock;
import io.widerow.storage.Durability;
import io.widerow.storage.EventCursor;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Goal: a bucket past the retention of its type is hidden at once and dropped by maintenance with
/// its file, while other types of the same bucket stay. Raising the retention before the drop
/// brings it back. Merging rewrites an event exactly once. Method: a store on the simulated disk
/// with a clock that the test sets, tasks run at once.
class StoreRetentionTest {
  private static final long START_NANOS = 1_700_000_000_000_000_000L;
  private static final byte[] BODY = "body".getBytes(StandardCharsets.UTF_8);

  private final SimDisk disk = new SimDisk(1);
  private final TestClock clock = new TestClock(START_NANOS);
  private final EmbeddedStore store = FileJournal.openStore(config(), disk, clock);

  static StoreConfig config() {
    return RetentionStore.config()
        .withMemory(4 << 20, Duration.ofMinutes(1))
        .withAges(Duration.ofMinutes(5), null);
  }

  @AfterEach
  void close() {
    store.close();
  }

  private void write(String type, int count) {
    byte[] utf8 = type.getBytes(StandardCharsets.UTF_8);
    try (var batch = new EventBatch(1 << 12, 1 << 22)) {
      for (int i = 0; i < count; i++) {
        batch.begin(utf8, 0, utf8.length, clock.wallNanos());
        batch.putString(BODY, 0, BODY.length, ("line " + i).getBytes(StandardCharsets.UTF_8));
        assertEquals(null, batch.end());
      }
      Appends.all(store.lane(0), batch, 0);
    }
    store.lane(0).commit(Durability.DISK);
  }

  private void seal() {
    store.sealAll();
  }

  private long shown(String type) {
    try (StoreView view = store.view()) {
      List<PartitionKey> keys =
          view.partitions(type::equals, 0, Long.MAX_VALUE / 2).stream()
              .map(PartitionInfo::key)
              .toList();
      long count = 0;
      try (EventCursor cursor = view.open(keys, Scan.all())) {
        while (cursor.next() == EventCursor.Step.EVENT) {
          count++;
        }
      }
      return count;
    }
  }

  private long segmentFiles() {
    return disk.files().stream().filter(file -> file.toString().endsWith(".seg")).count();
  }

  @Test
  void expiredBucketIsHiddenThenDroppedAndOthersStay() {
    store.retain("short", Duration.ofHours(2));
    write("short", 10);
    write("long", 20);
    seal();
    assertEquals(10, shown("short"));

    clock.advance(Duration.ofHours(4).toNanos());
    assertEquals(0, shown("short"), "hidden before anything is dropped");
    assertEquals(20, shown("long"));
    assertEquals(2, segmentFiles(), "kept apart, since they are kept differently long");

    store.retain("short", Duration.ofDays(1));
    assertEquals(10, shown("short"), "raising it brings the bucket back");

    store.retain("short", Duration.ofHours(2));
    store.maintain();
    assertEquals(1, segmentFiles(), "the file is gone");
    store.retain("short", null);
    assertEquals(0, shown("short"), "dropped events do not come back");
    assertEquals(20, shown("long"));
  }

  @Test
  void readerGoesOnWhileItsBucketIsDropped() {
    store.retain(null, Duration.ofHours(2));
    write("short", 10);
    seal();
    try (StoreView view = store.view()) {
      List<PartitionKey> keys =
          view.partitions(_ -> true, 0, Long.MAX_VALUE / 2).stream()
              .map(PartitionInfo::key)
              .toList();
      EventCursor cursor = view.open(keys, Scan.all());
      assertEquals(EventCursor.Step.EVENT, cursor.next());
      clock.advance(Duration.ofDays(1).toNanos());
      store.maintain();
      assertEquals(0, store.statistics().segments());
      for (int left = 9; left > 0; left--) {
        assertEquals(EventCursor.Step.EVENT, cursor.next());
      }
      assertEquals(EventCursor.Step.END, cursor.next());
      cursor.close();
    }
  }

  @Test
  void eventIsMergedOnce() {
    for (int i = 0; i < 3; i++) {
      write("a", 100);
      seal();
    }
    clock.advance(Duration.ofHours(2).toNanos());
    store.maintain();
    assertEquals(1, store.statistics().merged());
    assertEquals(1, store.statistics().segments());
    long written = store.statistics().segmentBytesWritten();

    store.maintain();
    assertEquals(written, store.statistics().segmentBytesWritten(), "nothing is written again");
    assertEquals(300, shown("a"));
    assertEquals(300, store.statistics().segmentEvents());
  }
}
