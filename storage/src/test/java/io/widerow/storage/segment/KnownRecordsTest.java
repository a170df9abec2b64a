package io.widerow.storage.segment;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventBatch;
import io.widerow.event.EventLayout;
import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.event.RecordView;
import io.widerow.faults.MemoryDisk;
import io.widerow.faults.Seeds;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a segment is the same, byte for byte, with and without the cache of known records. Method:
/// random series that take turns in a fixed, random or occasionally changing order, with changing
/// texts and attributes, in blocks of many sizes, written from records and from other views. The
/// seed is the test's name; to replay one, run with `-Dseed=<n>`.
class KnownRecordsTest {
  private static final Path FILE = Path.of("known.seg");
  private static final PartitionKey KEY = new PartitionKey(0, 60, "cpu", 0);

  static List<Long> seeds() {
    return Seeds.of(30);
  }

  /// A view that is not a record.
  private record Plain(RecordView record) implements EventView {
    @Override
    public long idTime() {
      return record.idTime();
    }

    @Override
    public long idTail() {
      return record.idTail();
    }

    @Override
    public long version() {
      return record.version();
    }

    @Override
    public String type() {
      return record.type();
    }

    @Override
    public boolean find(AttributeName name, AttributeValue out) {
      return record.find(name, out);
    }

    @Override
    public void forEach(AttributeValue scratch, AttributeVisitor visitor) {
      record.forEach(scratch, visitor);
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void segmentsAreTheSame(long seed) {
    var random = new SplittableRandom(seed);
    try (EventBatch batch = events(random)) {
      for (SegmentProfile form :
          List.of(
              SegmentProfile.SEALED,
              new SegmentProfile(1, 1 + random.nextInt(700), 1 << 20, 10),
              new SegmentProfile(9, 300, 1 << 14, 0))) {
        byte[] known = write(batch, form, record -> record);
        byte[] plain = write(batch, form, Plain::new);
        assertArrayEquals(plain, known, () -> form + ", seed " + seed);
      }
    }
  }

  private static byte[] write(
      EventBatch batch, SegmentProfile form, Function<RecordView, EventView> seen) {
    var disk = new MemoryDisk();
    try (var writer = new SegmentWriter(disk, FILE, new UUID(1, 2), 1, form)) {
      writer.begin(KEY);
      var record = new RecordView();
      EventView event = seen.apply(record);
      long offset = 0;
      for (int i = 0; i < batch.count(); i++) {
        record.show(batch.memory(), offset);
        writer.add(event);
        offset += EventLayout.alignedLength(record.length());
      }
      writer.finish();
    }
    return disk.bytes(FILE);
  }

  private static EventBatch events(SplittableRandom random) {
    int hosts = 1 + random.nextInt(400);
    int tags = 1 + random.nextInt(5);
    int turns = random.nextInt(3);
    int longOnes = random.nextInt(2) * 50;
    var batch = new EventBatch(1 << 16, 1L << 28);
    int count = 1 + random.nextInt(6_000);
    for (int i = 0; i < count; i++) {
      boolean outOfTurn = turns == 2 && random.nextInt(10) == 0;
      int host = turns == 0 || outOfTurn ? random.nextInt(hosts) : i % hosts;
      int generation = i < count / 2 || host % 3 > 0 ? 0 : 1; // some change in the middle
      begin(batch, i);
      putLong(batch, "a_count", i * 7L);
      putText(batch, "host", "host_" + host);
      if (host % 7 > 0) {
        putBoolean(batch, "idle", random.nextBoolean());
      }
      putText(batch, "rack", Integer.toString(host % 11));
      for (int tag = 0; tag < tags; tag++) {
        putText(batch, "tag" + tag, "v".repeat(host % (3 + 5 * tag)) + (generation * tag));
      }
      if (longOnes > 0 && host % longOnes == 1) {
        putText(batch, "text", "a long text, and none of a series ".repeat(1 + host % 4) + i);
      }
      if (random.nextInt(50) == 0) {
        putText(batch, "usage", "none");
      } else {
        putDouble(batch, "usage", random.nextInt(1_000) / 10.0);
      }
      putLong(batch, "usage_idle", random.nextInt(100));
      assertNull(batch.end());
    }
    return batch;
  }

  private static void begin(EventBatch batch, int event) {
    byte[] type = "cpu".getBytes(StandardCharsets.US_ASCII);
    batch.begin(type, 0, type.length, 1_700_000_000_000_000_000L + event * 1_000_000L);
  }

  private static void putText(EventBatch batch, String name, String text) {
    byte[] utf8 = name.getBytes(StandardCharsets.US_ASCII);
    batch.putString(utf8, 0, utf8.length, text.getBytes(StandardCharsets.US_ASCII));
  }

  private static void putLong(EventBatch batch, String name, long value) {
    byte[] utf8 = name.getBytes(StandardCharsets.US_ASCII);
    batch.putLong(utf8, 0, utf8.length, value);
  }

  private static void putDouble(EventBatch batch, String name, double value) {
    byte[] utf8 = name.getBytes(StandardCharsets.US_ASCII);
    batch.putDouble(utf8, 0, utf8.length, value);
  }

  private static void putBoolean(EventBatch batch, String name, boolean value) {
    byte[] utf8 = name.getBytes(StandardCharsets.US_ASCII);
    batch.putBoolean(utf8, 0, utf8.length, value);
  }

  /// A record is known from its second occurrence on, whatever came between. A record without a
  /// number or with a long text never is.
  @Test
  void pointsOfSeriesAreKnown() {
    try (var batch = new EventBatch(1 << 16, 1L << 28)) {
      for (int i = 0; i < 300; i++) {
        begin(batch, i);
        putText(batch, "host", "host_" + (i < 200 ? i % 100 : (i * 37) % 100));
        putLong(batch, "usage", i);
        assertNull(batch.end());
      }
      List<Integer> found = known(batch);
      for (int i = 0; i < 300; i++) {
        assertEquals(i >= 100, found.contains(i), "record " + i);
      }
    }
    try (var batch = new EventBatch(1 << 16, 1L << 28)) {
      for (int i = 0; i < 100; i++) {
        begin(batch, i);
        putText(batch, "host", "host");
        putText(batch, "text", i % 2 == 0 ? "x".repeat(100) : "y");
        if (i % 2 == 0) {
          putLong(batch, "usage", i);
        }
        assertNull(batch.end());
      }
      assertTrue(known(batch).isEmpty());
    }
  }

  /// If no record hits, lookups soon pause. Records of series that start later are still found.
  @Test
  void itLooksWhereItPays() {
    var known = new KnownRecords();
    try (var batch = new EventBatch(1 << 16, 1L << 28)) {
      for (int i = 0; i < 60_000; i++) {
        begin(batch, i);
        putText(batch, "host", i < 20_000 ? "x" + i : "host_" + i % 100);
        putLong(batch, "usage", i);
        assertNull(batch.end());
      }
      List<Integer> found = known(batch, known);
      assertTrue(found.getFirst() > 20_000, () -> "first " + found.getFirst());
      assertTrue(found.contains(59_999) && found.contains(45_000));
    }
  }

  private static List<Integer> known(EventBatch batch) {
    return known(batch, new KnownRecords());
  }

  private static List<Integer> known(EventBatch batch, KnownRecords known) {
    List<Integer> found = new ArrayList<>();
    var record = new RecordView();
    var column = new ColumnBuilder(AttributeName.BODY, AttributeKind.STRING);
    column.next = column; // for every place: their contents do not matter here
    long offset = 0;
    for (int i = 0; i < batch.count(); i++) {
      record.show(batch.memory(), offset);
      KnownRecords.Known like = known.find(record);
      if (like != null) {
        assertNotNull(like.column(0));
        found.add(i);
      } else {
        known.learn(record, column);
      }
      offset += EventLayout.alignedLength(record.length());
    }
    return found;
  }
}
