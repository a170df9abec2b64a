package io.widerow.storage.sketch;

import io.widerow.event.AttributeName;
import io.widerow.rollup.RollupField;
import io.widerow.rollup.RollupFigure;
import io.widerow.rollup.RollupRequest;
import io.widerow.rollup.RollupShape;
import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.codec.ByteSource;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/// Where the cells of defined rollups lie in a segment: one piece for each rollup of each partition
/// that has it, one after the other before the other cells, each followed by its checksum. The
/// index tells their shapes and sizes:
///
/// ```
///   varint shapes | for each:
///     varint minutes | varint names | names that group | varint fields | fields
///   if there are shapes, for each partition:
///     varint pieces | for each: varint shape | varint bytes, 0 for too many
///   a name: byte bytes | UTF-8          a field: name | byte figures, bits of RollupFigure
/// ```
///
/// - Threads: any; immutable.
/// - Memory: 13 bytes a piece and 4 a partition.
public final class RollupIndex {
  private static final int SHAPES_MAX = 1_024;

  /// That of a segment without rollups.
  public static final RollupIndex NONE =
      new RollupIndex(List.of(), new int[1], new short[0], new long[1]);

  private final List<RollupShape> shapes;
  private final int[] firstPieces; // by partition; one more entry ends the last
  private final short[] shapeOf; // by piece
  private final long[] offsets; // file offsets by piece; one more entry ends the last

  private RollupIndex(
      List<RollupShape> shapes, int[] firstPieces, short[] shapeOf, long[] offsets) {
    this.shapes = shapes;
    this.firstPieces = firstPieces;
    this.shapeOf = shapeOf;
    this.offsets = offsets;
  }

  static void write(RollupShape shape, ByteSink out) {
    out.putVarint(shape.minutes());
    out.putVarint(shape.by().size());
    shape.by().forEach(name -> write(name, out));
    out.putVarint(shape.fields().size());
    for (RollupField field : shape.fields()) {
      write(field.name(), out);
      out.putByte(field.figures());
    }
  }

  private static void write(AttributeName name, ByteSink out) {
    out.putByte(name.length());
    out.advance(name.copyTo(out.reserve(name.length()), out.length()) - out.length());
  }

  /// Reads them from an index.
  ///
  /// @param limit file offset at which the pieces end
  public static RollupIndex read(ByteSource in, int partitions, long limit) {
    int shapeCount = in.readCount(0, SHAPES_MAX, "shapes of rollups");
    if (shapeCount == 0) {
      return NONE;
    }
    List<RollupShape> shapes = new ArrayList<>();
    for (int i = 0; i < shapeCount; i++) {
      shapes.add(readShape(in));
    }
    int[] firstPieces = new int[partitions + 1];
    short[] shapeOf = new short[partitions];
    long[] sizes = new long[partitions];
    int pieces = 0;
    long sum = 0;
    for (int partition = 0; partition < partitions; partition++) {
      int count = in.readCount(0, shapeCount, "rollups of a partition");
      for (int i = 0; i < count; i++) {
        if (pieces == shapeOf.length) {
          shapeOf = Arrays.copyOf(shapeOf, 2 * pieces);
          sizes = Arrays.copyOf(sizes, 2 * pieces);
        }
        shapeOf[pieces] = (short) in.readCount(0, shapeCount - 1, "shape");
        int bytes = in.readCount(0, GroupCells.BYTES_MAX, "bytes of cells");
        sizes[pieces] = bytes == 0 ? 0 : bytes + Integer.BYTES;
        sum += sizes[pieces++];
      }
      firstPieces[partition + 1] = pieces;
    }
    if (sum > limit) {
      throw in.corrupt("%d bytes of cells before %d".formatted(sum, limit));
    }
    long[] offsets = new long[pieces + 1];
    offsets[0] = limit - sum;
    for (int i = 0; i < pieces; i++) {
      offsets[i + 1] = offsets[i] + sizes[i];
    }
    return new RollupIndex(shapes, firstPieces, Arrays.copyOf(shapeOf, pieces), offsets);
  }

  private static RollupShape readShape(ByteSource in) {
    int minutes = in.readCount(1, RollupShape.MINUTES_AN_HOUR, "minutes of a step");
    List<AttributeName> by = new ArrayList<>();
    for (int left = in.readCount(0, RollupShape.BY_MAX, "groupings"); left > 0; left--) {
      by.add(readName(in));
    }
    List<RollupField> fields = new ArrayList<>();
    for (int left = in.readCount(0, RollupShape.FIELDS_MAX, "fields"); left > 0; left--) {
      AttributeName name = readName(in);
      fields.add(new RollupField(name, in.readCount(1, RollupFigure.ALL, "figures")));
    }
    try {
      return new RollupShape(minutes, by, fields);
    } catch (IllegalArgumentException refused) {
      throw in.corrupt("a rollup: " + refused.getMessage());
    }
  }

  private static AttributeName readName(ByteSource in) {
    int length = in.readByte();
    int at = in.skip(length, "attribute name");
    if (length == 0) {
      throw in.corrupt("an attribute without a name");
    }
    return AttributeName.of(MemorySegment.ofArray(in.bytes()), at, length);
  }

  /// True when the segment has cells of rollups, or could have had: it was written while rollups
  /// were defined.
  public boolean isThere() {
    return firstPieces.length > 1;
  }

  /// Bytes of all pieces, with checksums.
  public long bytes() {
    return offsets[offsets.length - 1] - offsets[0];
  }

  /// Number of pieces of a partition.
  public int pieces(int partition) {
    return isThere() ? firstPieces[partition + 1] - firstPieces[partition] : 0;
  }

  /// The shape of the cells of a piece.
  ///
  /// @param piece 0 to [#pieces], exclusive
  public RollupShape shape(int partition, int piece) {
    return shapes.get(shapeOf[firstPieces[partition] + piece]);
  }

  /// File offset of a piece.
  public long offset(int partition, int piece) {
    return offsets[firstPieces[partition] + piece];
  }

  /// Bytes of a piece, without the checksum; negative for a piece without cells.
  public int bytes(int partition, int piece) {
    int number = firstPieces[partition] + piece;
    return (int) (offsets[number + 1] - offsets[number]) - Integer.BYTES;
  }

  /// False for a piece without cells: the segment had too many.
  public boolean isKept(int partition, int piece) {
    return bytes(partition, piece) > 0;
  }

  /// True when a partition has a piece of this shape.
  public boolean has(int partition, RollupShape wanted) {
    for (int piece = 0; piece < pieces(partition); piece++) {
      if (shape(partition, piece).equals(wanted)) {
        return true;
      }
    }
    return false;
  }

  /// The index of a piece of a partition that can serve a query; negative when there is none.
  ///
  /// @param columns attributes that the query's filter examines
  /// @param minutes width of its steps
  public int answering(
      int partition, RollupRequest question, Set<AttributeName> columns, int minutes) {
    for (int piece = 0; piece < pieces(partition); piece++) {
      RollupShape shape = shape(partition, piece);
      if (shape.minutes() == minutes
          && shape.answers(question, columns)
          && isKept(partition, piece)) {
        return piece;
      }
    }
    return -1;
  }
}
