package io.widerow.storage.segment;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventBatch;
import io.widerow.event.EventId;
import io.widerow.event.PartitionKey;
import io.widerow.event.TimeUuid;
import io.widerow.faults.MemoryDisk;
import io.widerow.faults.TestEvent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;

/// The real logs as events: one event a record, with its own time, its text as `body`, and counters
/// in order of arrival.
public final class SegmentSizes {
  private static final Path LOGS = Path.of("../loadgen/logs");
  private static final DateTimeFormatter ACCESS =
      DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss Z", Locale.ROOT);
  private static final DateTimeFormatter BROKER =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss,SSS", Locale.ROOT);

  private SegmentSizes() {}

  public static List<TestEvent> access() {
    List<TestEvent> events = new ArrayList<>();
    for (String line : lines("apache_access.log")) {
      String date = line.substring(line.indexOf('[') + 1, line.indexOf(']'));
      add(events, "access", OffsetDateTime.parse(date, ACCESS).toEpochSecond() * 1000, line);
    }
    return sorted(events);
  }

  public static List<TestEvent> broker() {
    List<String> records = new ArrayList<>();
    for (String line : lines("kafka_broker.log")) {
      if (line.startsWith("[") || records.isEmpty()) {
        records.add(line);
      } else {
        records.set(records.size() - 1, records.getLast() + "\n" + line);
      }
    }
    List<TestEvent> events = new ArrayList<>();
    for (String line : records) {
      LocalDateTime time = LocalDateTime.parse(line.substring(1, line.indexOf(']')), BROKER);
      add(events, "broker", time.toInstant(ZoneOffset.UTC).toEpochMilli(), line);
    }
    return sorted(events);
  }

  /// Metrics of hosts that take turns: ten tags determined by the host, and ten integers that walk
  /// by steps of about one.
  public static List<TestEvent> metrics(int count, int hosts, long seed) {
    var random = new SplittableRandom(seed);
    double[][] walks = new double[hosts][10];
    int[][] tags = new int[hosts][9];
    for (int host = 0; host < hosts; host++) {
      Arrays.setAll(walks[host], _ -> 100 * random.nextDouble());
      Arrays.setAll(tags[host], tag -> random.nextInt(2 + 2 * tag));
    }
    List<TestEvent> events = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int host = i % hosts;
      TreeMap<AttributeName, Object> attributes = new TreeMap<>();
      TestEvent.putText(attributes, "hostname", "host_" + host);
      for (int tag = 0; tag < 9; tag++) {
        TestEvent.putText(attributes, "tag_" + tag, "value-" + tags[host][tag]);
      }
      for (int field = 0; field < 10; field++) {
        double walk = Math.clamp(walks[host][field] + random.nextGaussian(), 0, 100);
        walks[host][field] = walk;
        TestEvent.putBits(
            attributes, "usage_" + field, AttributeKind.LONG, (long) Math.floor(walk));
      }
      long nanos = 1_700_000_000_000_000_000L + i * 3_000_000L;
      EventId id = new EventId(TimeUuid.timeOfNanos(nanos), TimeUuid.tailOf(nanos, 1, 1_000 + i));
      events.add(new TestEvent(id, 0, "cpu", attributes));
    }
    return events;
  }

  private static List<String> lines(String file) {
    try {
      String text = Files.readString(LOGS.resolve(file), StandardCharsets.ISO_8859_1);
      return List.of(text.split("\n"));
    } catch (IOException unreadable) {
      throw new IllegalStateException(unreadable);
    }
  }

  private static void add(List<TestEvent> events, String type, long millis, String body) {
    long nanos = millis * 1_000_000;
    EventId id =
        new EventId(TimeUuid.timeOfNanos(nanos), TimeUuid.tailOf(nanos, 1, 1_000 + events.size()));
    TreeMap<AttributeName, Object> attributes = new TreeMap<>();
    byte[] bytes = body.getBytes(StandardCharsets.ISO_8859_1);
    attributes.put(AttributeName.BODY, TestEvent.Words.of(AttributeKind.STRING, bytes));
    events.add(new TestEvent(id, 0, type, attributes));
  }

  private static List<TestEvent> sorted(List<TestEvent> events) {
    events.sort(Comparator.comparing(TestEvent::id));
    return events;
  }

  /// Adds an event to a batch, with an id that the batch assigns.
  static void put(EventBatch batch, TestEvent event, long nanos) {
    byte[] type = event.type().getBytes(StandardCharsets.US_ASCII);
    batch.begin(type, 0, type.length, nanos);
    event.forEach(
        new AttributeValue(),
        (name, value) -> {
          byte[] utf8 = name.toString().getBytes(StandardCharsets.UTF_8);
          if (value.kind().isText()) {
            batch.putString(utf8, 0, utf8.length, value.toBytes());
          } else {
            batch.putLong(utf8, 0, utf8.length, value.bits());
          }
        });
    if (batch.end() != null) {
      throw new IllegalArgumentException("no event that a batch takes: " + event);
    }
  }

  /// Bytes of a segment with these events, of one partition.
  static long bytes(List<TestEvent> events, SegmentProfile form) {
    var disk = new MemoryDisk();
    return write(disk, Path.of("sizes.seg"), events, form).bytes();
  }

  public static SegmentSummary write(
      MemoryDisk disk, Path file, List<TestEvent> events, SegmentProfile form) {
    return write(disk, file, 1, events, form);
  }

  static SegmentSummary write(
      MemoryDisk disk, Path file, long id, List<TestEvent> events, SegmentProfile form) {
    try (var writer = new SegmentWriter(disk, file, new UUID(1, 2), id, form)) {
      writer.begin(key(events));
      events.forEach(writer::add);
      return writer.finish();
    }
  }

  public static PartitionKey key(List<TestEvent> events) {
    return new PartitionKey(0, 60, events.getFirst().type(), 0);
  }
}
