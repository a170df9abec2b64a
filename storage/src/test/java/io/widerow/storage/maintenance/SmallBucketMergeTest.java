package io.widerow.storage.maintenance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.Bucket;
import io.widerow.event.EventBatch;
import io.widerow.event.PartitionKey;
import io.widerow.faults.Appends;
import io.widerow.faults.FileJournal;
import io.widerow.faults.SimDisk;
import io.widerow.faults.StoreReading;
import io.widerow.faults.TestClock;
import io.widerow.storage.Durability;
import io.widerow.storage.EventCursor;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Goal: a few events in each of thousands of hours stay small in files and in bytes, whether they
/// arrive over years or at once; they are read exactly, in any range; they are hidden at the
/// nanosecond at which their hour is past retention, and deleted later; an hour with many events
/// stays an hour. Method: a store on the simulated disk, a clock that the test sets, tasks run at
/// once, and a sorted list as the oracle.
class SmallBucketMergeTest {
  private static final long HOUR = Duration.ofHours(1).toNanos();
  private static final long DAY = 24 * HOUR;
  private static final long YEARS = 14 * 365 * DAY;

  /// Midnight, and no start of a wide bucket.
  private static final long START_NANOS = 15_003 * DAY;

  private static final int FILES_MAX = 64;
  private static final String[] TYPES = {"alarm", "door", "note"};
  private static final byte[] BODY = "body".getBytes(StandardCharsets.UTF_8);

  private final SimDisk disk = new SimDisk(1);
  private final TestClock clock = new TestClock(START_NANOS);
  private final StoreConfig config =
      StoreConfig.at(Path.of("/store"))
          .withLanes(1, 2)
          .withBuckets(60, Map.of("note", 15))
          .withMemory(64 << 20, Duration.ofMinutes(1))
          .withJournal(16 << 20, 64 << 20)
          .withDiskReserveBytes(0)
          .withAges(Duration.ofMinutes(5), null);
  private final SplittableRandom random = new SplittableRandom(22);
  private final List<Event> oracle = new ArrayList<>();
  private @Nullable Duration retention;
  private EmbeddedStore store = open();

  /// An event of the oracle.
  private record Event(long timeNanos, String type) {}

  private EmbeddedStore open() {
    return FileJournal.openStore(config, disk, clock);
  }

  @AfterEach
  void close() {
    store.close();
  }

  private void write(List<Event> events) {
    try (var batch = new EventBatch(1 << 16, 1 << 24)) {
      for (Event event : events) {
        byte[] type = event.type().getBytes(StandardCharsets.UTF_8);
        batch.begin(type, 0, type.length, event.timeNanos());
        String body = "door %d opened by %d".formatted(random.nextInt(9), random.nextInt(300));
        batch.putString(BODY, 0, BODY.length, body.getBytes(StandardCharsets.UTF_8));
        assertNull(batch.end());
      }
      Appends.all(store.lane(0), batch, random.nextLong());
    }
    store.lane(0).commit(Durability.DISK);
    oracle.addAll(events);
  }

  private void seal() {
    store.sealAll();
    store.maintain();
  }

  /// Some bursts a month, of some events within minutes.
  private List<Event> history(long fromNanos, long untilNanos) {
    List<Event> events = new ArrayList<>();
    for (long at = fromNanos; at < untilNanos; at += 2 * DAY) {
      long burst = at + random.nextLong(DAY);
      for (int i = 0; i < 6 && burst < untilNanos - HOUR; i++) {
        long time = burst + random.nextLong(HOUR / 4);
        events.add(new Event(time, TYPES[random.nextInt(TYPES.length)]));
      }
    }
    return events;
  }

  private static List<Event> read(StoreView view, long fromNanos, long untilNanos, boolean down) {
    List<PartitionKey> keys =
        view.partitions(_ -> true, fromNanos, untilNanos).stream().map(PartitionInfo::key).toList();
    List<Event> shown = new ArrayList<>();
    Scan scan = Scan.ofTime(fromNanos, untilNanos).withDescending(down);
    try (EventCursor cursor = view.open(keys, scan)) {
      while (cursor.next() == EventCursor.Step.EVENT) {
        shown.add(new Event(cursor.event().timeNanos(), cursor.event().type()));
      }
    }
    return shown;
  }

  /// The instant from which an event is hidden.
  private long hiddenFrom(Event event) {
    Duration kept = retention;
    if (kept == null) {
      return Long.MAX_VALUE;
    }
    long width = event.type().equals("note") ? HOUR / 4 : HOUR;
    return event.timeNanos() / width * width + width + kept.toNanos();
  }

  /// What the oracle has of a range, as the store shows it. No two times are equal.
  private List<Event> expected(long fromNanos, long untilNanos) {
    return oracle.stream()
        .filter(event -> clock.wallNanos() < hiddenFrom(event))
        .filter(event -> event.timeNanos() >= fromNanos && event.timeNanos() < untilNanos)
        .sorted((a, b) -> Long.compare(a.timeNanos(), b.timeNanos()))
        .toList();
  }

  private void check() {
    try (StoreView view = store.view()) {
      long end = clock.wallNanos() + HOUR;
      assertEquals(expected(0, end), read(view, 0, end, false));
      assertEquals(expected(0, end), read(view, 0, end, true).reversed());
      for (int i = 0; i < 20; i++) {
        long from = oracle.get(random.nextInt(oracle.size())).timeNanos() - random.nextLong(HOUR);
        long until = from + random.nextLong(i % 2 == 0 ? HOUR : 100 * DAY);
        assertEquals(expected(from, until), read(view, from, until, false));
        checkCounts(view, from, from + random.nextLong(2 * DAY));
      }
      Duration kept = retention;
      if (kept != null) { // some of a wide bucket is hidden
        long edge = clock.wallNanos() - kept.toNanos();
        checkCounts(view, edge - DAY, edge + DAY);
      }
      assertEquals(expected(0, end), readSpans(view, end));
    }
  }

  /// Counts by minutes are those of the events shown, also from cells of wide buckets.
  private static void checkCounts(StoreView view, long from, long until) {
    var shown = StoreReading.read(view, _ -> true, from, until, Scan.ofTime(from, until));
    long _ = StoreReading.checkCounts(view, _ -> true, from, until, shown);
  }

  /// Reads span by span, as a query does.
  private static List<Event> readSpans(StoreView view, long end) {
    List<Event> shown = new ArrayList<>();
    StoreView.Span span = view.firstSpan(0, end, false);
    while (span != null) {
      shown.addAll(read(view, span.fromNanos(), Math.min(end, span.untilNanos()), false));
      span = view.firstSpan(span.untilNanos(), end, false);
    }
    return shown;
  }

  private long files() {
    return disk.files().stream().filter(file -> file.toString().endsWith(".seg")).count();
  }

  private boolean hasWideBuckets() {
    try (StoreView view = store.view()) {
      return view.partitions(_ -> true, 0, clock.wallNanos()).stream()
          .anyMatch(partition -> Bucket.of(partition.key()).isWide());
    }
  }

  /// Lives through a history: seals it month by month.
  private void live(long untilNanos) {
    while (clock.wallNanos() < untilNanos) {
      long from = clock.wallNanos();
      clock.advance(30 * DAY);
      write(history(from, clock.wallNanos()));
      seal();
      assertTrue(files() <= FILES_MAX, files() + " files");
    }
  }

  @Test
  void whatCameOverYearsIsInFewFiles() {
    live(START_NANOS + YEARS / 2);
    check();
    assertTrue(hasWideBuckets());
    store.close();
    store = open();
    check();
    long written = store.statistics().segmentBytesWritten();
    store.maintain();
    assertEquals(written, store.statistics().segmentBytesWritten(), "nothing is written again");
  }

  @Test
  void whatCameAtOnceIsInFewFilesAndBytes() {
    clock.advance(YEARS);
    write(history(START_NANOS, clock.wallNanos()));
    seal();
    assertTrue(files() <= FILES_MAX, files() + " files");
    check();
    long perEvent = store.statistics().segmentBytes() / oracle.size();
    assertTrue(perEvent <= 24, perEvent + " bytes an event");
    assertTrue(disk.sizeOf(Path.of("/store/manifest")) / oracle.size() <= 24, "manifest");
  }

  @Test
  void whatWasSealedByTheHourIsMerged() {
    clock.advance(YEARS / 4);
    List<Event> history = history(START_NANOS, clock.wallNanos());
    for (int at = 0; at < history.size(); at += 6) { // so few are no history yet
      write(history.subList(at, Math.min(at + 6, history.size())));
      store.sealAll();
    }
    long sealed = files();
    assertTrue(sealed > 1_000, sealed + " files");
    store.maintain();
    assertTrue(files() <= FILES_MAX, files() + " files");
    check();
  }

  @Test
  void lateEventsAreShownAndMerged() {
    clock.advance(YEARS);
    write(history(START_NANOS, clock.wallNanos()));
    seal();
    for (int i = 0; i < 80; i++) {
      long late = START_NANOS + random.nextLong(YEARS - DAY);
      write(List.of(new Event(late, TYPES[i % TYPES.length])));
      seal();
    }
    check();
    assertTrue(files() <= 2 * FILES_MAX, files() + " files");
  }

  @Test
  void hourIsHiddenInAWideBucketWhenItIsPastRetention() {
    retention = Duration.ofDays(1_100);
    store.retain(null, retention);
    live(START_NANOS + YEARS / 3);
    check();
    assertTrue(hasWideBuckets());
    Event oldest = expected(0, clock.wallNanos()).get(100); // amid a wide bucket
    clock.advance(hiddenFrom(oldest) - 1 - clock.wallNanos());
    List<Event> before = expected(0, clock.wallNanos());
    assertTrue(before.contains(oldest));
    check();
    clock.advance(1);
    assertTrue(!expected(0, clock.wallNanos()).contains(oldest));
    check();
    long keptFrom = (clock.wallNanos() - retention.toNanos()) / HOUR * HOUR - HOUR;
    try (StoreView view = store.view()) {
      view.types(_ -> true)
          .forEach(type -> assertTrue(type.timeFirstNanos() >= keptFrom, type::toString));
    }
    store.maintain();
    check();
  }

  @Test
  void wideBucketIsDroppedSoonAfterItsRetention() {
    retention = Duration.ofDays(1_100);
    store.retain(null, retention);
    live(START_NANOS + YEARS / 2);
    long limit = clock.wallNanos() - retention.toNanos() - 65 * DAY;
    long most = oracle.stream().filter(event -> event.timeNanos() >= limit).count();
    assertTrue(store.statistics().segmentEvents() <= most);
    clock.advance(retention.plusDays(65).toNanos());
    store.maintain();
    assertEquals(0, files());
    assertEquals(List.of(), expected(0, clock.wallNanos()));
  }

  @Test
  void typesThatAreKeptDifferentlyLongStayApart() {
    clock.advance(YEARS);
    write(history(START_NANOS, clock.wallNanos())); // first: the policy refuses expired events
    store.retain("door", Duration.ofDays(600)); // a bucket of 64 days at most
    seal();
    oracle.removeIf(event ->
        event.type().equals("door")
            && event.timeNanos() / HOUR * HOUR + HOUR + 600 * DAY <= clock.wallNanos());
    check();
    assertTrue(files() <= FILES_MAX, files() + " files");
    clock.advance(Duration.ofDays(665).toNanos());
    store.maintain();
    oracle.removeIf(event -> event.type().equals("door"));
    check();
    assertEquals(oracle.size(), store.statistics().segmentEvents(), "the others are deleted");
  }

  @Test
  void hoursWithManyEventsStay() {
    int hours = 24;
    clock.advance(10 * DAY);
    for (int hour = 0; hour < hours; hour++) {
      List<Event> many = new ArrayList<>();
      for (int i = 0; i < 2 * SmallBucketMerge.EVENTS_MAX / hours; i++) {
        many.add(new Event(START_NANOS + hour * HOUR + i * 1_000L, "door"));
      }
      write(many);
      store.sealAll();
    }
    store.maintain();
    assertEquals(hours, files());
    assertTrue(!hasWideBuckets());
  }
}
