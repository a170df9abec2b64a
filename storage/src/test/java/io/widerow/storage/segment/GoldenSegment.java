package io.widerow.storage.segment;

import io.widerow.faults.MemoryDisk;
import io.widerow.faults.TestEvent;
import io.widerow.rollup.RollupDefinition;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Scan;
import io.widerow.storage.codec.ByteSource;
import io.widerow.storage.disk.Throttle;
import io.widerow.storage.scan.SegmentCursor;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/// Writer and reader of golden segments, which are kept forever: of logs ([GoldenCells],
/// [GoldenArrivals], [GoldenLines]), of metrics ([GoldenSeries]), and with cells of rollups
/// ([GoldenRollups]).
public final class GoldenSegment {
  /// The names of golden segments, each of which is kept sealed and in its final form.
  public static final List<String> NAMES = List.of("logs", "metrics", "rollups");

  private static final Path FILE = Path.of("golden.seg");

  private GoldenSegment() {}

  /// The golden segment of a name and form.
  public static byte[] bytes(String name, String form) throws IOException {
    try (InputStream bytes =
        Objects.requireNonNull(
            GoldenSegment.class.getResourceAsStream(
                "/golden/segment-v1-%s-%s".formatted(name, form)))) {
      return bytes.readAllBytes();
    }
  }

  /// Reads and checks the whole of a file.
  public static void verify(byte[] file) {
    var disk = new MemoryDisk();
    disk.set(FILE, file);
    try (Segment segment = Segment.open(disk, FILE, new UUID(1, 2), 1)) {
      segment.verify();
    }
  }

  /// All events of a partition of a file.
  ///
  /// @param written the expected events, which give the partition
  public static List<TestEvent> read(byte[] file, List<TestEvent> written) {
    var disk = new MemoryDisk();
    disk.set(FILE, file);
    List<TestEvent> found = new ArrayList<>();
    try (Segment segment = Segment.open(disk, FILE, new UUID(1, 2), 1);
        EventCursor cursor = SegmentCursor.open(segment, SegmentSizes.key(written), Scan.all())) {
      while (cursor.next() == EventCursor.Step.EVENT) {
        found.add(TestEvent.copyOf(cursor.event()));
      }
    }
    return found;
  }

  /// Directory of a file's first block.
  public static BlockDirectory directory(byte[] file) {
    var disk = new MemoryDisk();
    disk.set(FILE, file);
    try (Segment segment = Segment.open(disk, FILE, new UUID(1, 2), 1)) {
      SegmentIndex index = segment.indexes().getFirst();
      int at = Math.toIntExact(index.offset(0));
      int limit = at + index.directoryBytes(0);
      BlockDirectory directory = new BlockDirectory();
      directory.read(
          new ByteSource(FILE).over(file, at, limit - SegmentFormat.CRC_BYTES, at),
          index.events(0),
          limit,
          at + index.blockBytes(0));
      return directory;
    }
  }

  /// The partitions of a golden segment, in the order of their keys.
  ///
  /// @param name one of [#NAMES]
  public static List<List<TestEvent>> partitions(String name) {
    return switch (name) {
      case "logs" ->
          List.of(
              GoldenCells.events(),
              GoldenArrivals.events(),
              GoldenLines.events(),
              GoldenCells.assigned());
      case "metrics" -> List.of(GoldenSeries.events());
      case "rollups" -> List.of(GoldenRollups.events());
      default -> throw new IllegalArgumentException(name);
    };
  }

  /// The bytes of a segment file.
  static byte[] written(
      List<List<TestEvent>> partitions, List<RollupDefinition> rollups, SegmentProfile form) {
    var disk = new MemoryDisk();
    try (SegmentWriter writer =
        new SegmentWriter(disk, FILE, new UUID(1, 2), 1, form, Throttle.NONE, rollups)) {
      for (List<TestEvent> events : partitions) {
        writer.begin(SegmentSizes.key(events));
        events.forEach(writer::add);
      }
      writer.finish();
    }
    return disk.bytes(FILE);
  }

  /// Writes all golden segments.
  public static void write(Path directory) throws IOException {
    for (String name : NAMES) {
      List<RollupDefinition> rollups = name.equals("rollups") ? GoldenRollups.rollups() : List.of();
      Map<String, SegmentProfile> forms =
          Map.of("sealed", SegmentProfile.SEALED, "final", SegmentProfile.FINAL);
      for (Map.Entry<String, SegmentProfile> form : forms.entrySet()) {
        Path file = directory.resolve("segment-v1-%s-%s".formatted(name, form.getKey()));
        Files.write(file, written(partitions(name), rollups, form.getValue()));
      }
    }
  }
}
