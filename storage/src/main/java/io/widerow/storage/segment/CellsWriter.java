package io.widerow.storage.segment;

import io.widerow.event.EventLayout;
import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.event.TimeUuid;
import io.widerow.storage.codec.ByteSink;
import java.util.Arrays;

/// Counts the events of each partition of a segment by minute while it is written, see [Cells]. The
/// events come in order of ids, so one minute is counted at a time.
///
/// - Threads: one.
/// - Memory: the encoded cells of the segment, about six bytes a minute of a partition.
public final class CellsWriter {
  private final ByteSink pieces = new ByteSink(); // of all partitions, without checksums
  private int[] ends = new int[16]; // in `pieces`, by partition
  private int partitions;

  private final ByteSink piece = new ByteSink(); // of the partition, without its head
  private final ByteSink bare = new ByteSink(); // the same without own ids
  private final ByteSink firstsOf = new ByteSink(); // of the partition, after its cells
  private boolean anyOwn;
  private int cells;
  private int firstBefore; // one more than the number of the cell before in `firstsOf`
  private long minuteBefore;
  private long minute;
  private long tickLimit; // end of the minute; 0 before the first event of a partition
  private long events;
  private long bytes;
  private long ownIds;
  private long firsts;

  /// Starts a partition.
  public void begin(PartitionKey key) {
    minuteBefore = Cells.minuteOf(TimeUuid.timeOfNanos(key.fromNanos()));
    tickLimit = 0;
  }

  /// Counts an event.
  ///
  /// @param rawBytes its bytes before encoding
  public void add(EventView event, long rawBytes) {
    if (event.idTime() >= tickLimit) {
      endCell();
      minute = Cells.minuteOf(event.idTime());
      tickLimit = (minute + 1) * Cells.MINUTE_TICKS;
    }
    events++;
    bytes += rawBytes;
    ownIds += event.version() == EventLayout.VERSION_ASSIGNED ? 0 : 1;
    long minuteTick = minute * Cells.MINUTE_TICKS;
    firsts += Cells.isFirst(event.idTime(), event.idTail(), event.version(), minuteTick) ? 1 : 0;
  }

  private void endCell() {
    if (events == 0) {
      return;
    }
    int start = bare.length();
    bare.putVarint(minute - minuteBefore);
    bare.putVarint(events);
    bare.putVarint(bytes);
    piece.put(bare.bytes(), start, bare.length() - start);
    piece.putVarint(ownIds);
    anyOwn |= ownIds > 0;
    minuteBefore = minute;
    cells++;
    if (firsts > 0) {
      firstsOf.putVarint(cells - firstBefore);
      firstsOf.putVarint(firsts);
      firstBefore = cells;
    }
    events = 0;
    bytes = 0;
    ownIds = 0;
    firsts = 0;
  }

  /// Adds a minute that was counted before.
  public void add(Cells counted, int cell) {
    minute = counted.minute(cell);
    events = counted.events(cell);
    bytes = counted.bytes(cell);
    ownIds = counted.ownIds(cell);
    firsts = counted.firsts(cell);
    anyOwn |= ownIds > 0;
    endCell();
  }

  /// Ends a partition that has events.
  public void end() {
    endCell();
    pieces.putVarint(cells);
    pieces.put(anyOwn ? piece : bare);
    pieces.put(firstsOf);
    if (partitions == ends.length) {
      ends = Arrays.copyOf(ends, 2 * partitions);
    }
    ends[partitions++] = pieces.length();
    piece.clear();
    bare.clear();
    firstsOf.clear();
    anyOwn = false;
    cells = 0;
    firstBefore = 0;
  }

  /// Writes the cells of all partitions, each followed by its checksum.
  ///
  /// @param fileOffset file offset of the start of `out`
  public void write(ByteSink out, SegmentChecksum checksum, long fileOffset) {
    int start = 0;
    for (int i = 0; i < partitions; i++) {
      int at = out.length();
      out.put(pieces.bytes(), start, ends[i] - start);
      out.putInt(checksum.of(out.bytes(), at, ends[i] - start, fileOffset + at));
      start = ends[i];
    }
  }

  /// Writes the sizes into the index.
  public void writeSizes(ByteSink index) {
    int start = 0;
    for (int i = 0; i < partitions; i++) {
      index.putVarint(ends[i] - start);
      start = ends[i];
    }
  }
}
