package io.widerow.storage.scan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeName;
import io.widerow.event.EventId;
import io.widerow.event.Text;
import io.widerow.faults.Crowded;
import io.widerow.faults.MemoryDisk;
import io.widerow.faults.TestEvent;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.Scan;
import io.widerow.storage.ScanStatistics;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.StorageException;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentProfile;
import io.widerow.storage.segment.SegmentSizes;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a cursor that finds no room for its block shows what one with room shows, whatever the
/// range, direction, filter and projection, also where a block is damaged; what it holds is a few
/// events. Method: a segment of many blocks, read by both; room comes and goes at random.
class SlicedCursorTest {
  private static final Path FILE = Path.of("s.seg");
  private static final int EVENTS = 4_000;
  private static final int EVENTS_PER_BLOCK = 256;

  private final MemoryDisk disk = new MemoryDisk();
  private List<TestEvent> events = List.of();

  private void write(SplittableRandom random) {
    events =
        random.nextBoolean()
            ? SegmentSizes.access().subList(0, EVENTS)
            : SegmentSizes.metrics(EVENTS, 20, random.nextLong());
    SegmentSizes.write(disk, FILE, events, new SegmentProfile(1, EVENTS_PER_BLOCK, 1 << 20, 10));
  }

  /// What a scan shows, and the failure that ended it.
  private record Shown(List<TestEvent> events, String failure, ScanStatistics statistics) {}

  private Shown read(Scan scan, boolean sliced) {
    List<TestEvent> found = new ArrayList<>();
    try (Segment segment = Segment.open(disk, FILE, new UUID(1, 2), 1);
        EventCursor cursor =
            sliced
                ? SlicedCursor.open(
                    segment, SegmentSizes.key(events), scan, BlockReaders.NONE, Prefetch.OFF, 3)
                : SegmentCursor.open(segment, SegmentSizes.key(events), scan)) {
      String failure = "";
      try {
        while (cursor.next() == EventCursor.Step.EVENT) {
          found.add(TestEvent.copyOf(cursor.event()));
        }
        assertEquals(EventCursor.Step.END, cursor.next());
      } catch (StorageException.Corrupt damaged) {
        failure = String.valueOf(damaged.getMessage());
      }
      return new Shown(found, failure, cursor.statistics());
    }
  }

  private Scan scan(SplittableRandom random) {
    Scan scan = Scan.all().withDescending(random.nextBoolean());
    if (random.nextBoolean()) {
      EventId a = events.get(random.nextInt(EVENTS)).id();
      EventId b = events.get(random.nextInt(EVENTS)).id();
      scan = scan.withRange(EventId.min(a, b), EventId.max(a, b));
    }
    if (random.nextBoolean()) {
      scan = scan.withColumns(random.nextBoolean() ? Set.of() : Set.of(AttributeName.BODY));
    }
    String word = List.of("Mozilla", "bot", "404", "nowhere").get(random.nextInt(4));
    return random.nextBoolean()
        ? scan
        : scan.withFilter(new Filter.Contains(AttributeName.BODY, Text.of(word)));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#twenty")
  void itShowsWhatACursorWithRoomShows(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    write(random);
    Scan scan = scan(random);
    Shown expected = read(scan, false);
    Crowded memory = new Crowded(seed, random.nextInt(4));
    Shown shown = read(scan.withWatch(new ScanWatch(() -> {}, memory)), true);
    assertEquals(expected.events, shown.events);
    assertEquals(expected.statistics.eventsKept() > 0, shown.statistics.eventsKept() > 0);
    memory.assertGivenBack();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#twenty")
  void itEndsWithTheSameDamageBehindTheSameEvents(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    write(random);
    byte[] bytes = disk.bytes(FILE);
    bytes[random.nextInt(100, bytes.length / 2)] ^= (byte) (1 << random.nextInt(8));
    disk.set(FILE, bytes);
    Scan scan = scan(random);
    Shown expected = read(scan, false);
    Crowded memory = new Crowded(seed, 0);
    Shown shown = read(scan.withWatch(new ScanWatch(() -> {}, memory)), true);
    assertEquals(expected.events, shown.events);
    assertEquals(expected.failure, shown.failure);
    memory.assertGivenBack();
  }

  @Test
  void aSliceIsSmallerThanABlock() {
    write(new SplittableRandom(1));
    Crowded memory = new Crowded(1, 0);
    Shown shown = read(Scan.all().withWatch(new ScanWatch(() -> {}, memory)), true);
    assertEquals(EVENTS, shown.events.size());
    assertTrue(memory.most() < 32 << 10, memory.most() + " bytes");
  }
}
