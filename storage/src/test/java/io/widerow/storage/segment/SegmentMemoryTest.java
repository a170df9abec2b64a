package io.widerow.storage.segment;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.widerow.faults.MemoryDisk;
import io.widerow.faults.Seeds;
import io.widerow.faults.TestEvent;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a segment is the same, byte for byte, with a memory of its own and with one that other
/// segments were written with. Method: pieces of logs and metrics, long and short, in random order;
/// some writers are closed in the middle.
class SegmentMemoryTest {
  private static final UUID STORE = new UUID(1, 2);
  private static final Path FILE = Path.of("piece.seg");
  private static final int PIECES = 30;

  static List<Long> seeds() {
    return Seeds.of(5);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void doesNotChangeWhatIsWritten(long seed) {
    var random = new SplittableRandom(seed);
    List<List<TestEvent>> logs =
        List.of(
            SegmentSizes.access(),
            SegmentSizes.broker(),
            SegmentSizes.metrics(5_000, 1 + random.nextInt(200), seed));
    for (SegmentProfile form : List.of(SegmentProfile.SEALED, SegmentProfile.FINAL)) {
      try (var shared = new SegmentMemory(form)) {
        for (int piece = 0; piece < PIECES; piece++) {
          List<TestEvent> events = piece(logs.get(random.nextInt(logs.size())), random);
          if (random.nextInt(4) == 0) {
            abandon(events, shared);
          }
          try (var own = new SegmentMemory(form)) {
            assertArrayEquals(write(events, own), write(events, shared), () -> "seed " + seed);
          }
        }
      }
    }
  }

  private static List<TestEvent> piece(List<TestEvent> log, SplittableRandom random) {
    int events = 1 + random.nextInt(random.nextInt(5) == 0 ? log.size() : 500);
    int from = random.nextInt(log.size() - Math.min(log.size() - 1, events));
    return new ArrayList<>(log.subList(from, Math.min(log.size(), from + events)));
  }

  private static void abandon(List<TestEvent> events, SegmentMemory memory) {
    var disk = new MemoryDisk();
    try (var writer = new SegmentWriter(disk.create(FILE), STORE, 1, memory)) {
      writer.begin(SegmentSizes.key(events));
      events.forEach(writer::add);
    }
  }

  private static byte[] write(List<TestEvent> events, SegmentMemory memory) {
    var disk = new MemoryDisk();
    try (var writer = new SegmentWriter(disk.create(FILE), STORE, 1, memory)) {
      writer.begin(SegmentSizes.key(events));
      events.forEach(writer::add);
      byte[] bytes = new byte[Math.toIntExact(writer.finish().bytes())];
      try (var file = disk.open(FILE)) {
        file.read(MemorySegment.ofArray(bytes), 0);
      }
      return bytes;
    }
  }
}
