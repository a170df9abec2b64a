package io.widerow.storage.segment;

import io.widerow.event.EventLayout;
import io.widerow.storage.StorageException;
import io.widerow.storage.codec.IdDecoder;
import io.widerow.storage.disk.ReadDeadline;
import io.widerow.storage.sketch.GroupCells;
import io.widerow.storage.sketch.RollupIndex;
import org.jspecify.annotations.Nullable;

/// Compares the cells of a segment with its events, which are counted again.
///
/// - Threads: one.
public final class CellsCheck {
  private final Segment segment;
  private final SegmentCells.Reader reader;
  private @Nullable Cells cells; // of the partition; null without
  private int partition;
  private int cell;
  private long tickFrom; // of the minute of `cell`
  private long tickLimit;
  private long events; // of this minute so far
  private long ownIds;
  private long firsts;
  private boolean wrong;

  public CellsCheck(Segment segment) {
    this.segment = segment;
    this.reader = new SegmentCells.Reader(segment, ReadDeadline.NONE, true);
  }

  /// Starts a partition.
  ///
  /// @param number its number in the segment
  /// @throws StorageException.Corrupt when its cells cannot be read
  public void begin(int number) {
    partition = number;
    cell = 0;
    wrong = false;
    cells = null;
    if (segment.cells().isThere()) {
      Cells told = reader.read(number, number + 1);
      start(told);
      cells = told;
    }
  }

  /// Counts the events of the partition's next block.
  public void add(IdDecoder ids, int count) {
    Cells told = cells;
    if (told == null || wrong) {
      return;
    }
    for (int i = 0; i < count; i++) {
      long time = ids.times[i];
      if ((time < tickFrom || time >= tickLimit) && !isNext(told, Cells.minuteOf(time))) {
        wrong = true;
        return;
      }
      events++;
      ownIds += ids.versions[i] == EventLayout.VERSION_ASSIGNED ? 0 : 1;
      firsts += Cells.isFirst(time, ids.tails[i], ids.versions[i], tickFrom) ? 1 : 0;
    }
  }

  private boolean isNext(Cells told, long minute) {
    if (!isWhole(told) || cell + 1 == told.size() || told.minute(cell + 1) != minute) {
      return false;
    }
    cell++;
    start(told);
    return true;
  }

  private void start(Cells told) {
    tickFrom = told.minute(cell) * Cells.MINUTE_TICKS;
    tickLimit = tickFrom + Cells.MINUTE_TICKS;
    events = 0;
    ownIds = 0;
    firsts = 0;
  }

  private boolean isWhole(Cells told) {
    return events == told.events(cell)
        && ownIds == told.ownIds(cell)
        && firsts == told.firsts(cell);
  }

  /// Ends a partition whose blocks were all read.
  ///
  /// @throws StorageException.Corrupt when its cells count other events
  public void end() {
    Cells told = cells;
    if (told != null && (wrong || cell + 1 != told.size() || !isWhole(told))) {
      throw new StorageException.Corrupt(
          segment.path(),
          segment.cells().offset(partition),
          "cells that do not count the events of " + segment.partitions().get(partition).key());
    }
  }

  /// Reads the cells of a segment's rollups and compares how many events their steps have with the
  /// counts by minute, which were compared with the events.
  ///
  /// @throws StorageException.Corrupt names the first piece that is wrong
  public static void rollups(Segment segment) {
    RollupIndex rollups = segment.rollups();
    var groupReader = new SegmentCells.GroupReader(segment, ReadDeadline.NONE);
    var minuteReader = new SegmentCells.Reader(segment, ReadDeadline.NONE, true);
    for (int partition = 0; partition < segment.partitions().size(); partition++) {
      for (int piece = 0; piece < rollups.pieces(partition); piece++) {
        if (rollups.isKept(partition, piece)) {
          Cells minutes = minuteReader.read(partition, partition + 1);
          GroupCells groups = groupReader.read(partition, piece);
          groups.verify();
          if (!counts(minutes, groups, rollups.shape(partition, piece).minutes())) {
            throw new StorageException.Corrupt(
                segment.path(),
                rollups.offset(partition, piece),
                "cells of a rollup that do not count the events of "
                    + segment.partitions().get(partition).key());
          }
        }
      }
    }
  }

  /// Reads all of a file of aggregates, and compares those of rollups with the counts by minute.
  ///
  /// @throws StorageException.Corrupt names the first piece that is wrong
  public static void figures(Segment segment) {
    var reader = new SegmentCells.Reader(segment, ReadDeadline.NONE, true);
    for (int partition = 0; partition < segment.partitions().size(); partition++) {
      Cells _ = reader.read(partition, partition + 1);
    }
    rollups(segment);
  }

  private static boolean counts(Cells minutes, GroupCells groups, int width) {
    int cell = 0;
    for (int at = 0; at < groups.size(); at++) {
      long events = 0;
      long ownIds = 0;
      while (cell < minutes.size() && minutes.minute(cell) / width == groups.step(at)) {
        events += minutes.events(cell);
        ownIds += minutes.ownIds(cell);
        cell++;
      }
      if (events != groups.events(at) || ownIds != groups.ownIds(at)) {
        return false;
      }
    }
    return cell == minutes.size();
  }
}
