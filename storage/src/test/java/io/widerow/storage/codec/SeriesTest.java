package io.widerow.storage.codec;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventId;
import io.widerow.event.TimeUuid;
import io.widerow.faults.MemoryDisk;
import io.widerow.faults.Seeds;
import io.widerow.faults.TestEvent;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.disk.Throttle;
import io.widerow.storage.scan.SegmentCursor;
import io.widerow.storage.segment.BlockDirectory;
import io.widerow.storage.segment.ColumnBuilder;
import io.widerow.storage.segment.ColumnEncoder;
import io.widerow.storage.segment.ColumnReader;
import io.widerow.storage.segment.GoldenSegment;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentFormat;
import io.widerow.storage.segment.SegmentProfile;
import io.widerow.storage.segment.SegmentSizes;
import io.widerow.storage.text.TokenSet;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: numbers and texts derived from their series round-trip whatever columns distinguish the
/// series, are small where they should be, and an invalid directory is refused. Method: random
/// blocks of series with names of all forms, some absent, in any order, read whole and by single
/// columns; handmade directories. The seed is the test's name; to replay one, run with
/// `-Dseed=<n>`.
class SeriesTest {
  private static final Path FILE = Path.of("series.seg");
  private static final AttributeName HOST = AttributeName.of("host");

  static List<Long> seeds() {
    return Seeds.of(12);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void blocksComeBack(long seed) {
    var random = new SplittableRandom(seed);
    List<TestEvent> events = events(random);
    for (SegmentProfile form :
        List.of(
            SegmentProfile.SEALED, SegmentProfile.FINAL, new SegmentProfile(9, 300, 1 << 20, 0))) {
      var disk = new MemoryDisk();
      SegmentSizes.write(disk, FILE, events, form);
      assertEquals(events, read(disk, events, Scan.all()), () -> form + ", seed " + seed);
      AttributeName one = AttributeName.of(random.nextBoolean() ? "walk" : "team");
      List<TestEvent> column = read(disk, events, Scan.all().withColumns(Set.of(one)));
      AttributeValue expected = new AttributeValue();
      AttributeValue found = new AttributeValue();
      for (int i = 0; i < events.size(); i++) {
        assertTrue(events.get(i).find(one, expected) && column.get(i).find(one, found));
        assertEquals(expected.toString(), found.toString(), () -> "seed " + seed);
      }
    }
  }

  private static List<TestEvent> read(MemoryDisk disk, List<TestEvent> events, Scan scan) {
    List<TestEvent> found = new ArrayList<>();
    try (Segment segment = Segment.open(disk, FILE, new UUID(1, 2), 1);
        EventCursor cursor = SegmentCursor.open(segment, SegmentSizes.key(events), scan)) {
      while (cursor.next() == EventCursor.Step.EVENT) {
        found.add(TestEvent.copyOf(cursor.event()));
      }
    }
    return found;
  }

  private static List<TestEvent> events(SplittableRandom random) {
    int hosts = random.nextInt(1, 120);
    int cores = random.nextInt(1, 4);
    String form = List.of("h%d", "ip-10-0-%d-17.internal", "%d00000", "%d").get(random.nextInt(4));
    int absent = random.nextInt(3) * 10; // per cent of the values of some columns
    boolean inTurn = random.nextBoolean();
    double[] walks = new double[hosts * cores];
    long[] counters = new long[hosts * cores];
    List<TestEvent> events = new ArrayList<>();
    int count = random.nextInt(2, 3_000);
    for (int i = 0; i < count; i++) {
      int host = inTurn ? i % hosts : random.nextInt(hosts);
      int core = random.nextInt(cores);
      int series = host * cores + core;
      walks[series] += random.nextGaussian();
      counters[series] += 1_000L * series;
      TreeMap<AttributeName, Object> attributes = new TreeMap<>();
      if (random.nextInt(100) >= absent / 2) {
        TestEvent.putText(attributes, "host", form.formatted(host));
      }
      if (random.nextInt(100) >= absent) {
        TestEvent.putText(attributes, "core", "core-" + core);
        TestEvent.putBits(attributes, "sparse", AttributeKind.LONG, counters[series]);
      }
      TestEvent.putText(attributes, "team", "the team of rack %d".formatted(host % 7));
      TestEvent.putText(attributes, "version", Integer.toString(host % 3));
      TestEvent.putBits(attributes, "walk", AttributeKind.LONG, (long) walks[series]);
      TestEvent.putBits(attributes, "count", AttributeKind.LONG, counters[series]);
      TestEvent.putBits(attributes, "idle", AttributeKind.BOOLEAN, host & 1);
      double rate = Math.round(walks[series] * 100) / 100.0;
      TestEvent.putBits(attributes, "rate", AttributeKind.DOUBLE, Double.doubleToRawLongBits(rate));
      TestEvent.putBits(
          attributes, "load", AttributeKind.DOUBLE, Double.doubleToRawLongBits(walks[series]));
      if (random.nextInt(40) == 0) {
        long extreme = random.nextBoolean() ? Long.MIN_VALUE : Long.MAX_VALUE;
        TestEvent.putBits(attributes, "walk", AttributeKind.LONG, extreme);
      }
      long nanos = 1_700_000_000_000_000_000L + i * 1_000_000L;
      EventId id = new EventId(TimeUuid.timeOfNanos(nanos), TimeUuid.tailOf(nanos, 1, 1_000 + i));
      events.add(new TestEvent(id, 0, "cpu", attributes));
    }
    return events;
  }

  /// Of counters that rise at constant rates, only the starts need space.
  @Test
  void steadyCountersTakeNextToNothing() {
    int events = 8_000;
    Series series = new Series();
    series.begin(events);
    assertTrue(split(series, IntStream.range(0, events).map(i -> i % 50), 50, 50));
    series.follow(new int[0], events);
    long[] values = new long[events];
    Arrays.setAll(values, i -> 1_000_000L * (i % 50) + (i / 50) * (7L + i % 50));
    ByteSink out = new ByteSink();
    long[] found = new long[events];
    try (var compressor = new BlockCompressor(1, Throttle.NONE);
        var decompressor = new BlockDecompressor()) {
      assertTrue(new LongEncoder(compressor).encode(values, events, series, out));
      byte[] written = Arrays.copyOf(out.bytes(), out.length() + ByteSource.SLACK);
      ByteSource in = new ByteSource(FILE).over(written, 0, out.length(), 0);
      new LongDecoder(decompressor).decode(in, events, found, series);
    }
    assertArrayEquals(values, found);
    assertTrue(out.length() < 700, () -> out.length() + " bytes");
  }

  /// Splitting by `a` and `b` first would leave too many cells for `z`, so the leaders must be read
  /// in the order in which they were found, `z` first.
  @Test
  void leadersAreReadInTheirOrder() {
    List<TestEvent> events = new ArrayList<>();
    for (int i = 0; i < 16_384; i++) {
      int host = i % 4_000;
      int other = i == 9_000 || i == 13_000 ? 1 : 0;
      TreeMap<AttributeName, Object> attributes = new TreeMap<>();
      TestEvent.putText(attributes, "a", "a" + (host + other) % 60);
      TestEvent.putText(attributes, "b", "b" + (host / 60 + (i == 13_000 ? 1 : 0)) % 60);
      TestEvent.putText(attributes, "z", "host" + host);
      TestEvent.putBits(attributes, "walk", AttributeKind.LONG, host * 1_000_003L + i * 31 % 7);
      long nanos = 1_700_000_000_000_000_000L + i * 1_000_000L;
      EventId id = new EventId(TimeUuid.timeOfNanos(nanos), TimeUuid.tailOf(nanos, 1, 1_000 + i));
      events.add(new TestEvent(id, 0, "cpu", attributes));
    }
    var disk = new MemoryDisk();
    SegmentSizes.write(disk, FILE, events, SegmentProfile.FINAL);
    assertEquals(events, read(disk, events, Scan.all()));
    BlockDirectory read = GoldenSegment.directory(disk.bytes(FILE));
    assertEquals(List.of(3, 0, 1), IntStream.of(read.leaders).limit(3).boxed().toList());
    assertTrue(read.follows[2]);
  }

  private static boolean split(Series series, IntStream codes, int size, int countMax) {
    int[] given = codes.toArray();
    System.arraycopy(given, 0, series.codes(), 0, given.length);
    return series.split(size, countMax);
  }

  @Test
  void aSplitThatMakesTooManyOrNoMoreIsNotMade() {
    Series series = new Series();
    series.begin(6);
    assertFalse(split(series, IntStream.of(0, 1, 2, 3, 4, 5), 6, 5));
    assertFalse(split(series, IntStream.of(3, 3, 3, 3, 3, 3), 6, 5));
    assertEquals(1, series.count());
    assertTrue(split(series, IntStream.of(0, 1, 2, 0, 1, 2), 3, 5));
    assertFalse(split(series, IntStream.of(7, 1, 7, 7, 1, 7), 8, 5));
    assertEquals(3, series.count());
    series.follow(new int[0], 6);
    assertArrayEquals(new int[] {0, 0, 1, 0, 1, 2}, Arrays.copyOf(series.before, 6));
    series.follow(new int[] {1, 2, 4, 5}, 4);
    assertArrayEquals(new int[] {0, 0, 0, 1}, Arrays.copyOf(series.before, 4));
  }

  @Test
  void linesTellNoSeriesApart() {
    var column = new ColumnBuilder(HOST, AttributeKind.STRING);
    AttributeValue value = new AttributeValue();
    for (int i = 0; i < 200; i++) {
      byte[] line = "host number %d of many, by %d".formatted(i, i * 31).getBytes(US_ASCII);
      value.setText(AttributeKind.STRING, MemorySegment.ofArray(line), 0, line.length);
      column.add(i, value);
    }
    ByteSink out = new ByteSink();
    try (var compressor = new BlockCompressor(9, Throttle.NONE);
        var decompressor = new BlockDecompressor()) {
      var encoder = new ColumnEncoder(compressor, new TokenSet());
      int flags = encoder.encode(column, 200, new Series(), null, out);
      byte[] written = Arrays.copyOf(out.bytes(), out.length() + ByteSource.SLACK);
      var reader = new ColumnReader(FILE, new LongDecoder(decompressor), decompressor);
      ByteSource in = new ByteSource(FILE).over(written, 0, out.length(), 0);
      reader.decode(in, AttributeKind.STRING, 200, 200, null, null, flags != 0);
      Series series = new Series();
      series.begin(200);
      assertFalse(reader.split(series, 200));
    }
  }

  /// Flags of a text `host` and of a number `n`, then who leads.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "0 2", // n follows, none leads
        "0 2 0", // none is said to lead
        "0 2 1 1", // n leads
        "2 2 1 0", // host leads and follows
        "0 2 1 2", // no such column
        "0 2 9 0 0 0 0 0 0 0 0 0", // too many
        "0 16", // an unknown flag
        "0 2 1 0 0", // trailing bytes
        "0 0 1 0" // nothing follows the one that leads
      })
  void aDirectoryThatCannotBeIsRefused(String bytes) {
    assertThrows(StorageException.Corrupt.class, () -> readDirectory(bytes));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0 0", "0 2 1 0"})
  void aDirectoryThatCanBeIsRead(String bytes) {
    BlockDirectory directory = readDirectory(bytes);
    assertEquals(bytes.startsWith("0 2"), directory.follows[1]);
    assertEquals(bytes.length() > 3 ? 1 : 0, directory.leaderCount);
  }

  private static BlockDirectory readDirectory(String text) {
    int[] bytes = Arrays.stream(text.split(" ")).mapToInt(Integer::parseInt).toArray();
    ByteSink out = new ByteSink();
    out.putVarint(3); // events
    out.putVarint(5); // bytes of ids
    out.putVarint(2); // columns
    for (int column = 0; column < 2; column++) {
      byte[] name = (column == 0 ? "host" : "n").getBytes(US_ASCII);
      out.putByte(name.length);
      out.put(name, 0, name.length);
      out.putByte((column == 0 ? AttributeKind.STRING : AttributeKind.LONG).code);
      out.putVarint(3);
      out.putByte(bytes[column]);
      out.putVarint(7); // bytes of the column
    }
    for (int i = 2; i < bytes.length; i++) {
      out.putVarint(bytes[i]);
    }
    byte[] written = Arrays.copyOf(out.bytes(), out.length() + ByteSource.SLACK);
    ByteSource in = new ByteSource(FILE).over(written, 0, out.length(), 0);
    BlockDirectory directory = new BlockDirectory();
    long rest = 5 + 7 + 7 + 3L * SegmentFormat.CRC_BYTES;
    directory.read(in, 3, out.length(), out.length() + rest);
    return directory;
  }
}
