package io.widerow.storage.segment;

import io.widerow.faults.MemoryDisk;
import io.widerow.faults.TestEvent;
import io.widerow.rollup.RollupDefinition;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Scan;
import io.widerow.storage.codec.ByteSource;
import io.widerow.storage.scan.SegmentCursor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/// Writer and reader of golden segments, which are kept forever, of [GoldenSeries],
/// [GoldenArrivals], [GoldenLines], [GoldenCells] or [GoldenRollups].
public final class GoldenSegment {
  private static final Path FILE = Path.of("golden.seg");

  private GoldenSegment() {}

  /// All events of a file.
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

  /// Writes golden segments. Only for a new version of the format: existing ones are never
  /// replaced.
  ///
  /// @param args `series`, `arrivals`, `lines`, `cells`, `bare` or `rollups`, a directory, and a
  ///   prefix of the names
  public static void main(String[] args) throws IOException {
    List<TestEvent> events =
        switch (args[0]) {
          case "series" -> GoldenSeries.events();
          case "arrivals" -> GoldenArrivals.events();
          case "lines" -> GoldenLines.events();
          case "cells" -> GoldenCells.events();
          case "bare" -> GoldenCells.assigned();
          case "rollups" -> GoldenRollups.events();
          default -> throw new IllegalArgumentException(args[0]);
        };
    for (SegmentProfile form : List.of(SegmentProfile.SEALED, SegmentProfile.FINAL)) {
      List<RollupDefinition> rollups =
          args[0].equals("rollups") ? GoldenRollups.rollups() : List.of();
      String name = args[2] + (form.equals(SegmentProfile.FINAL) ? "-final" : "-sealed");
      Files.write(
          Path.of(args[1]).resolve(name), SegmentRollupsTest.written(events, rollups, form));
    }
  }
}
