package io.widerow.storage.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.EventId;
import io.widerow.event.PartitionKey;
import io.widerow.event.Text;
import io.widerow.event.TimeUuid;
import io.widerow.faults.MemoryDisk;
import io.widerow.faults.Seeds;
import io.widerow.faults.Slice;
import io.widerow.faults.TestEvent;
import io.widerow.storage.Damage;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.Scan;
import io.widerow.storage.ScanStatistics;
import io.widerow.storage.StorageException;
import io.widerow.storage.manifest.SegmentEntry;
import io.widerow.storage.repair.SegmentCheck;
import io.widerow.storage.repair.SegmentSalvage;
import io.widerow.storage.scan.SegmentCursor;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: group filters rule out most blocks without a word and never one with it, in few reads and
/// little space, and damage to them loses no event. Method: segments of partitions of all sizes,
/// with words that are in one event, in some events, and in none; the results are compared with the
/// written events. The seed is the test's name; to replay one, run with `-Dseed=<n>`.
class GroupFilterTest {
  private static final UUID STORE = new UUID(1, 2);
  private static final Path FILE = Path.of("groups.seg");
  private static final AttributeName NOTE = AttributeName.of("note");
  private static final SegmentProfile FORM = new SegmentProfile(1, 100, 1 << 20, 10);

  private final MemoryDisk disk = new MemoryDisk();
  private final Map<PartitionKey, List<TestEvent>> written = new LinkedHashMap<>();
  private int number;

  static List<Long> seeds() {
    return Seeds.of(Slice.of(3, 12));
  }

  /// An event with a word of its own, `id<n>`, and one of a hundred.
  private TestEvent event(boolean noted) {
    long nanos = 3_600_000_000_000L + number * 1_000_003L;
    TreeMap<AttributeName, Object> attributes = new TreeMap<>();
    attributes.put(AttributeName.BODY, words("user u%d asks id%d".formatted(number % 100, number)));
    if (noted) {
      attributes.put(NOTE, words("note-n" + number));
    }
    EventId id =
        new EventId(TimeUuid.timeOfNanos(nanos), TimeUuid.tailOf(nanos, 5, 1_000_000L + number));
    number++;
    return new TestEvent(id, 0, "t", attributes);
  }

  private static TestEvent.Words words(String text) {
    return TestEvent.Words.of(AttributeKind.STRING, text.getBytes(StandardCharsets.UTF_8));
  }

  private void partition(int events, boolean noted) {
    var key = new PartitionKey(60, 60, "t", written.size());
    List<TestEvent> its = new ArrayList<>();
    for (int i = 0; i < events; i++) {
      its.add(event(noted));
    }
    written.put(key, its);
  }

  private long write() {
    try (var writer = new SegmentWriter(disk, FILE, STORE, 1, FORM)) {
      written.forEach((key, events) -> {
        writer.begin(key);
        events.forEach(writer::add);
      });
      return writer.finish().bytes();
    }
  }

  private Segment open() {
    return Segment.open(disk, FILE, STORE, 1);
  }

  private static Scan having(AttributeName name, String word) {
    return Scan.all().withFilter(new Filter.Has(name, Text.of(word)));
  }

  /// Returns what a scan finds in a partition, and adds up what it read.
  private static List<TestEvent> read(
      Segment segment, PartitionKey key, Scan scan, List<ScanStatistics> statistics) {
    List<TestEvent> found = new ArrayList<>();
    try (EventCursor cursor = SegmentCursor.open(segment, key, scan)) {
      while (cursor.next() == EventCursor.Step.EVENT) {
        found.add(TestEvent.copyOf(cursor.event()));
      }
      statistics.add(cursor.statistics());
    }
    return found;
  }

  private void makeSome(SplittableRandom random) {
    for (int count = random.nextInt(1, 12); count > 0; count--) {
      int most = random.nextInt(4) == 0 ? 9_000 : 400;
      partition(random.nextInt(1, most), random.nextBoolean());
    }
    write();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void everyWordIsFoundWhereItIs(long seed) {
    var random = new SplittableRandom(seed);
    makeSome(random);
    try (Segment segment = open()) {
      segment.verify();
      for (int i = 0; i < 40; i++) {
        int wanted = random.nextInt(number);
        boolean note = random.nextBoolean();
        Scan scan = note ? having(NOTE, "n" + wanted) : having(AttributeName.BODY, "id" + wanted);
        scan = scan.withDescending(random.nextBoolean());
        List<TestEvent> found = new ArrayList<>();
        List<ScanStatistics> statistics = new ArrayList<>();
        for (PartitionKey key : written.keySet()) {
          found.addAll(read(segment, key, scan, statistics));
        }
        String word = (note ? "note-n" : " id") + wanted;
        List<TestEvent> expected =
            written.values().stream()
                .flatMap(List::stream)
                .filter(event -> event.toString().matches("(?s).*" + word + "\\b.*"))
                .toList();
        assertEquals(expected, found, word);
        long blocks = 0;
        for (ScanStatistics each : statistics) {
          blocks += each.blocksRead() + each.blocksSkipped();
        }
        assertEquals(blocks(segment), blocks);
      }
    }
  }

  private static long blocks(Segment segment) {
    return segment.indexes().stream().mapToLong(index -> index.blocks).sum();
  }

  @Test
  void aWordThatIsNowhereCostsAPageOfEachGroup() {
    partition(20_000, false);
    write();
    try (Segment segment = open()) {
      SegmentGroups groups = segment.groups();
      assertTrue(groups.groups >= 3 && groups.groups <= 6, () -> groups.groups + " groups");
      long blocksRead = 0;
      for (int i = 0; i < 50; i++) {
        List<ScanStatistics> statistics = new ArrayList<>();
        PartitionKey key = written.keySet().iterator().next();
        assertEquals(
            List.of(), read(segment, key, having(AttributeName.BODY, "no" + i), statistics));
        ScanStatistics read = statistics.getFirst();
        blocksRead += read.blocksRead();
        if (read.blocksRead() == 0) {
          long bytesMax = groups.groups * (GroupFilter.PAGE_BYTES + 64L);
          assertTrue(read.bytesRead() <= bytesMax, read::toString);
        }
      }
      long blocks = 50L * 200;
      assertTrue(blocksRead < blocks / 40, blocksRead + " of " + blocks + " blocks read");
    }
  }

  /// Partitions of few events between long ones get no filters as long as theirs.
  @Test
  void smallBlocksDoNotPayForLargeOnes() {
    for (int i = 0; i < 60; i++) {
      partition(i % 2 == 0 ? 100 : 3, false);
    }
    long together = write();
    disk.delete(FILE);
    written.values().removeIf(events -> events.size() < 100);
    long alone = write();
    long small = (together - alone) / 30;
    assertTrue(small < 400, small + " bytes for each partition of 3 events");
  }

  @Test
  void whatIsDamagedCostsNoEvent() {
    partition(700, true);
    write();
    byte[] good = disk.bytes(FILE);
    SegmentGroups groups;
    try (Segment segment = open()) {
      groups = segment.groups();
      assertNull(segment.damage());
    }
    assertEquals(1, groups.groups);
    int from = (int) groups.offsets[0];
    PartitionKey key = written.keySet().iterator().next();
    List<TestEvent> expected = List.of(written.values().iterator().next().get(333));
    int told = 0;
    for (int at = from; at < from + groups.bytes[0]; at += 7) {
      byte[] bad = good.clone();
      bad[at] ^= (byte) (1 << (at % 8));
      disk.set(FILE, bad);
      int where = at;
      try (Segment segment = open()) {
        assertThrows(StorageException.Corrupt.class, segment::verify, () -> "byte " + where);
        SegmentCheck examined = SegmentCheck.of(segment);
        assertEquals(1, examined.damage().size(), () -> "byte " + where);
        assertEquals(List.of(), examined.lost());
        assertEquals(
            expected,
            read(segment, key, having(AttributeName.BODY, "id333"), new ArrayList<>()),
            () -> "byte " + where);
        if (segment.damage() != null) {
          assertEquals(Damage.Kind.FILTER, Objects.requireNonNull(segment.damage()).kind());
          told++;
        }
      }
    }
    assertTrue(told > 0, "no page that was read was damaged");
  }

  /// Without the index, blocks are found one after the other, skipping the filters between them.
  @Test
  void blocksAreFoundOverFilters() {
    partition(150, true);
    partition(12_000, false);
    partition(5_000, true);
    write();
    byte[] good = disk.bytes(FILE);
    SegmentEntry entry;
    try (Segment segment = open()) {
      assertTrue(segment.groups().groups >= 3, () -> segment.groups().groups + " groups");
      entry =
          new SegmentEntry(1, 60, 60, false, good.length, segment.events(), segment.partitions());
    }
    good[good.length - 1] ^= 1; // the footer's magic
    disk.set(FILE, good);
    SegmentSalvage salvage = SegmentSalvage.of(disk.open(FILE), STORE, entry);
    assertEquals(List.of(), salvage.lost());
    try (Segment found = Segment.of(disk.open(FILE), STORE, 1, salvage.indexes())) {
      for (var partition : written.entrySet()) {
        assertEquals(
            partition.getValue(), read(found, partition.getKey(), Scan.all(), new ArrayList<>()));
      }
    }
  }
}
