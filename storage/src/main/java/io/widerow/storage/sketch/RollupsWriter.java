package io.widerow.storage.sketch;

import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.event.TimeUuid;
import io.widerow.event.TypeGlob;
import io.widerow.rollup.RollupDefinition;
import io.widerow.rollup.RollupShape;
import io.widerow.storage.codec.ByteSink;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Writes the cells of defined rollups of a segment while it is written, see [RollupIndex]. Two
/// definitions of one shape share their cells.
///
/// - Threads: one.
/// - Memory: the encoded cells of the segment, about [#BYTES_MAX]; partitions that come later have
///   empty pieces and are counted from events.
public final class RollupsWriter {
  /// Bytes of a segment's cells from which further partitions have none.
  private static final int BYTES_MAX = 32 << 20;

  /// A piece that another file has.
  public static final class Copied {
    private final RollupShape shape;
    private final byte[] bytes;

    /// @param bytes without the checksum; none when there are no cells
    public Copied(RollupShape shape, byte[] bytes) {
      this.shape = shape;
      this.bytes = bytes;
    }
  }

  /// Computes the checksum of a piece.
  public interface Checksum {
    /// @param fileOffset of the piece
    int of(byte[] bytes, int offset, int length, long fileOffset);
  }

  private final List<RollupDefinition> definitions;
  private final List<GroupCellsWriter> writers = new ArrayList<>(); // by number of shape
  private final List<Integer> active = new ArrayList<>(); // shapes of the partition
  private boolean full;
  private final ByteSink pieces = new ByteSink(); // of all partitions, without checksums
  private final ByteSink sizes = new ByteSink(); // the index entry of each partition
  private final List<Integer> ends = new ArrayList<>(); // in `pieces`

  public RollupsWriter(List<RollupDefinition> definitions) {
    this.definitions = definitions;
    Set<RollupShape> shapes = new HashSet<>();
    for (RollupDefinition definition : definitions) {
      if (shapes.add(definition.shape())) {
        writers.add(new GroupCellsWriter(definition.shape()));
      }
    }
  }

  /// Starts a partition.
  public void begin(PartitionKey key) {
    active.clear();
    full = pieces.length() >= BYTES_MAX;
    for (int shape = 0; shape < writers.size(); shape++) {
      RollupShape wanted = writers.get(shape).shape();
      if (definitions.stream()
          .anyMatch(
              each -> each.shape().equals(wanted) && TypeGlob.matches(each.glob(), key.type()))) {
        active.add(shape);
        writers.get(shape).begin(TimeUuid.timeOfNanos(key.fromNanos()));
      }
    }
  }

  /// Counts an event.
  public void add(EventView event) {
    for (int i = 0; i < active.size() && !full; i++) {
      writers.get(active.get(i)).add(event);
    }
  }

  /// Ends a partition that has events.
  public void end() {
    sizes.putVarint(active.size());
    for (int shape : active) {
      int before = pieces.length();
      sizes.putVarint(shape);
      if (!full) {
        writers.get(shape).end(pieces);
        ends.add(pieces.length());
      }
      sizes.putVarint(pieces.length() - before);
    }
  }

  /// Adds a partition whose pieces are there already.
  public void copy(List<Copied> of) {
    sizes.putVarint(of.size());
    for (Copied piece : of) {
      sizes.putVarint(numberOf(piece.shape));
      sizes.putVarint(piece.bytes.length);
      if (piece.bytes.length > 0) {
        pieces.put(piece.bytes, 0, piece.bytes.length);
        ends.add(pieces.length());
      }
    }
  }

  private int numberOf(RollupShape shape) {
    for (int number = 0; number < writers.size(); number++) {
      if (writers.get(number).shape().equals(shape)) {
        return number;
      }
    }
    writers.add(new GroupCellsWriter(shape));
    return writers.size() - 1;
  }

  /// Bytes of the pieces so far.
  public long bytes() {
    return pieces.length();
  }

  /// Writes the cells of all partitions, each followed by its checksum.
  ///
  /// @param fileOffset file offset of the start of `out`
  public void write(ByteSink out, Checksum checksum, long fileOffset) {
    int start = 0;
    for (int end : ends) {
      int at = out.length();
      out.put(pieces.bytes(), start, end - start);
      out.putInt(checksum.of(out.bytes(), at, end - start, fileOffset + at));
      start = end;
    }
  }

  /// Writes shapes and sizes into the index.
  public void writeSizes(ByteSink index) {
    index.putVarint(writers.size());
    writers.forEach(writer -> RollupIndex.write(writer.shape(), index));
    if (!writers.isEmpty()) {
      index.put(sizes);
    }
  }
}
