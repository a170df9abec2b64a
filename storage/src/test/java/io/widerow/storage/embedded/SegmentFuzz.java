package io.widerow.storage.embedded;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventId;
import io.widerow.event.PartitionKey;
import io.widerow.event.Text;
import io.widerow.event.TimeUuid;
import io.widerow.faults.MemoryDisk;
import io.widerow.faults.TestEvent;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.codec.BlockCompressor;
import io.widerow.storage.codec.BlockDecompressor;
import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.codec.ByteSource;
import io.widerow.storage.codec.ColumnFlags;
import io.widerow.storage.codec.LongDecoder;
import io.widerow.storage.codec.LongEncoder;
import io.widerow.storage.codec.Series;
import io.widerow.storage.disk.Throttle;
import io.widerow.storage.manifest.SegmentEntry;
import io.widerow.storage.repair.SegmentCheck;
import io.widerow.storage.repair.SegmentSalvage;
import io.widerow.storage.scan.SegmentCursor;
import io.widerow.storage.segment.ColumnBuilder;
import io.widerow.storage.segment.ColumnEncoder;
import io.widerow.storage.segment.ColumnReader;
import io.widerow.storage.segment.PartitionTable;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentProfile;
import io.widerow.storage.segment.SegmentSummary;
import io.widerow.storage.segment.SegmentWriter;
import io.widerow.storage.text.EventTimes;
import io.widerow.storage.text.TokenSet;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

/// Fuzz targets of segments: whole files, columns, and the encodings of texts and numbers.
final class SegmentFuzz {
  private static final Path FILE = Path.of("fuzz.seg");
  private static final long SEGMENT_ID = 7;
  private static final AttributeName BODY = AttributeName.BODY;
  private static final List<Filter> FILTERS =
      List.of(
          new Filter.Everything(),
          new Filter.Contains(BODY, Text.of(" 17 ")),
          new Filter.Compare(
              AttributeName.of("n"), Filter.Comparison.GREATER, new Filter.Literal.Whole(3)),
          new Filter.Not(new Filter.Exists(AttributeName.of("x"))));

  /// Bit of a column's first byte: its numbers are compressed.
  private static final int PACKED = 0x40;

  /// Bit of a column's first byte: it needs the events' times.
  private static final int TIMED = 0x20;

  private SegmentFuzz() {}

  static List<byte[]> segments() {
    List<byte[]> files = new ArrayList<>();
    for (int events : new int[] {1, 9, 70}) {
      for (SegmentProfile form :
          List.of(new SegmentProfile(1, 30, 1 << 20, 8), new SegmentProfile(9, 200, 1 << 20, 0))) {
        var disk = new MemoryDisk();
        try (var writer = new SegmentWriter(disk, FILE, JournalFuzz.STORE, SEGMENT_ID, form)) {
          for (int shard = 0; shard < 2; shard++) {
            writer.begin(new PartitionKey(60, 60, "t", shard));
            events(events).forEach(writer::add);
          }
          writer.finish();
        }
        files.add(disk.bytes(FILE));
      }
    }
    return files;
  }

  private static List<TestEvent> events(int count) {
    List<TestEvent> events = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long nanos = 3_600_000_000_000L + i * 1_000_003L;
      TreeMap<AttributeName, Object> attributes = new TreeMap<>();
      String line =
          "10:05:%02d from host-%d: item %d is 00%d \n".formatted(i % 60, i % 3, i, i % 9);
      attributes.put(BODY, words(AttributeKind.STRING, line));
      attributes.put(AttributeName.of("level"), words(AttributeKind.STRING, "level" + i % 2));
      attributes.put(AttributeName.of("host"), words(AttributeKind.STRING, "host-" + i % 3));
      long follows = i % 3 * 1_000L + i % 4;
      attributes.put(AttributeName.of("load"), new TestEvent.Bits(AttributeKind.LONG, follows));
      attributes.put(AttributeName.of("n"), new TestEvent.Bits(AttributeKind.LONG, i * 37L % 101));
      attributes.put(
          AttributeName.of("rate"),
          new TestEvent.Bits(AttributeKind.DOUBLE, Double.doubleToRawLongBits(i / 8.0)));
      if (i % 3 == 0) {
        attributes.put(AttributeName.of("ok"), new TestEvent.Bits(AttributeKind.BOOLEAN, i % 2));
        attributes.put(AttributeName.of("raw"), words(AttributeKind.BYTES, "\0\u0001" + i));
      }
      EventId id =
          new EventId(TimeUuid.timeOfNanos(nanos), TimeUuid.tailOf(nanos, 5, 1_000_000L + i));
      events.add(new TestEvent(id, i % 20 == 7 ? i : 0, "t", attributes));
    }
    return events;
  }

  private static TestEvent.Words words(AttributeKind kind, String text) {
    return TestEvent.Words.of(kind, text.getBytes(StandardCharsets.UTF_8));
  }

  static void readSegment(byte[] input) {
    var disk = new MemoryDisk();
    disk.set(FILE, SegmentForger.sign(input, JournalFuzz.STORE, SEGMENT_ID));
    try (Segment segment = Segment.open(disk, FILE, JournalFuzz.STORE, SEGMENT_ID)) {
      verify(segment);
      SegmentCheck.of(segment);
      int filter = input[0] & 3; // a byte of the magic, which is signed in any case
      for (SegmentSummary.Partition partition : segment.partitions()) {
        Scan scan = Scan.all().withDescending((input[0] & 4) == 0).withFilter(FILTERS.get(filter));
        read(segment, partition.key(), scan);
      }
    } catch (StorageException told) {
      StoreFuzz.requireTold(told);
    }
  }

  private static void verify(Segment segment) {
    try {
      segment.verify();
    } catch (StorageException told) {
      StoreFuzz.requireTold(told);
    }
  }

  private static void read(Segment segment, PartitionKey key, Scan scan) {
    try (EventCursor cursor = SegmentCursor.open(segment, key, scan)) {
      while (cursor.next() == EventCursor.Step.EVENT) {
        if (cursor.event().id().toUuid().version() != 1) {
          throw new AssertionError("id " + cursor.event().id());
        }
        cursor.event().forEach(new AttributeValue(), (_, value) -> StoreFuzz.show(value));
      }
    } catch (StorageException told) {
      StoreFuzz.requireTold(told);
    }
  }

  static void salvage(byte[] input) {
    byte[] signed = SegmentForger.sign(input, JournalFuzz.STORE, SEGMENT_ID);
    var disk = new MemoryDisk();
    disk.set(FILE, signed);
    var id = new EventId(TimeUuid.timeOfNanos(0), TimeUuid.tailLeast());
    List<SegmentSummary.Partition> partitions = new ArrayList<>();
    for (int shard = 0; shard < 2; shard++) {
      var key = new PartitionKey(60, 60, "t", shard);
      partitions.add(new SegmentSummary.Partition(key, 9, id, id, false));
    }
    var table = PartitionTable.of(partitions);
    var entry = new SegmentEntry(SEGMENT_ID, 60, 60, false, signed.length, 18, table);
    SegmentSalvage salvage = SegmentSalvage.of(disk.open(FILE), JournalFuzz.STORE, entry);
    try (Segment segment =
        Segment.of(disk.open(FILE), JournalFuzz.STORE, SEGMENT_ID, salvage.indexes())) {
      for (SegmentSummary.Partition partition : segment.partitions()) {
        read(segment, partition.key(), Scan.all());
      }
    }
  }

  /// Kind, values and events, then the bytes of a column.
  static List<byte[]> columns() {
    List<byte[]> columns = new ArrayList<>();
    for (AttributeName name :
        List.of("body", "level", "load", "n", "rate", "ok", "raw").stream()
            .map(AttributeName::of)
            .toList()) {
      for (int count : new int[] {3, 200}) {
        columns.add(column(name, events(count)));
      }
    }
    return columns;
  }

  /// Three that take turns.
  private static Series series(int events) {
    Series series = new Series();
    series.begin(events);
    Arrays.setAll(series.codes(), i -> i % 3);
    series.split(3, events);
    return series;
  }

  /// From 10:05:00 on, one a second and back after a minute.
  private static EventTimes times(int events) {
    long[] idTimes = new long[events];
    Arrays.setAll(idTimes, i -> (36_300L + i % 60) * 10_000_000);
    return new EventTimes().of(idTimes);
  }

  private static byte[] column(AttributeName name, List<TestEvent> events) {
    AttributeValue value = new AttributeValue();
    if (!events.getFirst().find(name, value)) {
      throw new IllegalStateException("no " + name);
    }
    ColumnBuilder column = new ColumnBuilder(name, value.kind());
    for (int i = 0; i < events.size(); i++) {
      if (events.get(i).find(name, value)) {
        column.add(i, value);
      }
    }
    ByteSink out = new ByteSink();
    int flags;
    try (var compressor = new BlockCompressor(7, Throttle.NONE)) {
      var encoder = new ColumnEncoder(compressor, new TokenSet());
      EventTimes times = times(events.size());
      flags = encoder.encode(column, events.size(), series(events.size()), times, out);
    }
    int packed = (flags & ColumnFlags.COMPRESSED) != 0 ? PACKED : 0;
    packed |= (flags & ColumnFlags.TIMED) != 0 ? TIMED : 0;
    return ByteBuffer.allocate(5 + out.length())
        .put((byte) (column.kind.code - 1 | packed))
        .putShort((short) column.count)
        .putShort((short) events.size())
        .put(out.bytes(), 0, out.length())
        .array();
  }

  static void readColumn(byte[] input) {
    if (input.length < 5) {
      return;
    }
    ByteBuffer head = ByteBuffer.wrap(input);
    AttributeKind kind = AttributeKind.of(1 + (head.get() & TIMED - 1) % 5);
    int present = 1 + (head.getShort() & 0xffff);
    int events = Math.max(present, 1 + (head.getShort() & 0xffff));
    byte[] bytes = Arrays.copyOf(input, input.length + ByteSource.SLACK);
    AttributeValue value = new AttributeValue();
    try (var decompressor = new BlockDecompressor()) {
      var reader = new ColumnReader(FILE, new LongDecoder(decompressor), decompressor);
      ByteSource in = new ByteSource(FILE).over(bytes, 5, input.length, 0);
      EventTimes times = (input[0] & TIMED) != 0 ? times(events) : null;
      reader.decode(in, kind, present, events, series(events), times, (input[0] & PACKED) != 0);
      for (int row = 0; row < events; row += 1 + events / 512) {
        if (reader.value(row, value)) {
          StoreFuzz.show(value);
        }
      }
    } catch (StorageException told) {
      StoreFuzz.requireTold(told);
    }
  }

  static List<byte[]> texts() {
    List<byte[]> all = new ArrayList<>();
    for (String name : List.of("body", "level", "raw")) {
      StringBuilder text = new StringBuilder("\u0003");
      for (TestEvent event : events(90)) {
        AttributeValue value = new AttributeValue();
        if (event.find(AttributeName.of(name), value)) {
          text.append(value).append('\u0003');
        }
      }
      all.add(text.toString().getBytes(StandardCharsets.UTF_8));
    }
    return all;
  }

  /// The first byte divides the rest into texts, which must come back as they went in.
  static void writeAndReadTexts(byte[] input) {
    if (input.length == 0) {
      return;
    }
    ColumnBuilder column = new ColumnBuilder(BODY, AttributeKind.STRING);
    List<byte[]> texts = new ArrayList<>();
    AttributeValue value = new AttributeValue();
    for (int from = 1, at = 1; at <= input.length && texts.size() < 60_000; at++) {
      if (at == input.length || input[at] == input[0]) {
        byte[] text = Arrays.copyOfRange(input, from, at);
        value.setText(AttributeKind.STRING, MemorySegment.ofArray(text), 0, text.length);
        column.add(texts.size(), value);
        texts.add(text);
        from = at + 1;
      }
    }
    ByteSink out = new ByteSink();
    try (var compressor = new BlockCompressor((input[0] & 1) == 0 ? 1 : 9, Throttle.NONE);
        var decompressor = new BlockDecompressor()) {
      Series series = series(texts.size());
      var encoder = new ColumnEncoder(compressor, new TokenSet());
      EventTimes times = times(texts.size());
      int flags = encoder.encode(column, texts.size(), series, times, out);
      boolean packed = (flags & ColumnFlags.COMPRESSED) != 0;
      var reader = new ColumnReader(FILE, new LongDecoder(decompressor), decompressor);
      byte[] written = Arrays.copyOf(out.bytes(), out.length() + ByteSource.SLACK);
      ByteSource in = new ByteSource(FILE).over(written, 0, out.length(), 0);
      reader.decode(in, AttributeKind.STRING, texts.size(), texts.size(), series, times, packed);
      for (int i = 0; i < texts.size(); i++) {
        if (!reader.value(i, value) || !Arrays.equals(texts.get(i), value.toBytes())) {
          throw new AssertionError("text %d of %d is %s".formatted(i, texts.size(), value));
        }
      }
    }
  }

  static List<byte[]> numbers() {
    ByteBuffer same = ByteBuffer.allocate(8 * 40);
    ByteBuffer rising = ByteBuffer.allocate(8 * 300);
    for (int i = 0; i < 300; i++) {
      rising.putLong(1_700_000_000_000L + 1_000L * i * i);
    }
    return List.of(same.array(), rising.array(), new byte[] {1, 2, 3});
  }

  /// Longs must come back as they went in.
  static void writeAndReadNumbers(byte[] input) {
    int count = input.length / Long.BYTES;
    long[] values = new long[count];
    ByteBuffer.wrap(input).asLongBuffer().get(values);
    ByteSink out = new ByteSink();
    long[] found = new long[count];
    try (var compressor = new BlockCompressor(count % 2 == 0 ? 1 : 9, Throttle.NONE);
        var decompressor = new BlockDecompressor()) {
      Series series = series(count);
      series.follow(new int[0], count);
      new LongEncoder(compressor).encode(values, count, series, out);
      byte[] written = Arrays.copyOf(out.bytes(), out.length() + ByteSource.SLACK);
      ByteSource in = new ByteSource(FILE).over(written, 0, out.length(), 0);
      new LongDecoder(decompressor).decode(in, count, found, series);
      in.requireEnd("the numbers");
    }
    if (!Arrays.equals(values, found)) {
      throw new AssertionError(Arrays.toString(values) + " came back as " + Arrays.toString(found));
    }
  }
}
