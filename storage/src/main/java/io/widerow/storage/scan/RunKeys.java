package io.widerow.storage.scan;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.storage.EventSlice;
import io.widerow.storage.segment.BlockDirectory;
import io.widerow.storage.segment.BlockReader;
import io.widerow.storage.segment.ColumnReader;
import io.widerow.storage.sketch.ValueTable;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Recognizes runs that agree with those of earlier blocks, such as the samples of one series. A
/// value of a column has one number in all blocks; the numbers of the values of an event make its
/// key.
///
/// ```
///   columns of a block    host   job         shape 0
///   values of a run       a      web
///   their numbers         0 | 0      1       after the shape; 0 where an event has no value
/// ```
///
/// Blocks whose events have little in common get keys of their own, and so do all blocks once there
/// are [#BYTES_MAX] of keys.
///
/// - Threads: one.
/// - Memory: the distinct values and keys so far.
final class RunKeys {
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long BYTES_MAX = 32 << 20;
  private static final int KEY_BYTES = 32; // of its object
  private static final int RUN_LEAST = 2; // events of a run, on average

  private final AttributeName value;
  private final AttributeValue scratch = new AttributeValue();
  private final Map<Column, ValueTable> values = new HashMap<>();
  private final Map<List<Column>, Integer> shapes = new HashMap<>();
  private final ValueTable numbers = new ValueTable(true);
  private final List<RunTable.Key> keys = new ArrayList<>(); // by number
  private byte[] parts = {}; // of all runs of a block
  private long copiedBytes;

  private record Column(AttributeName name, AttributeKind kind) {}

  /// @param value the attribute whose numbers do not matter
  RunKeys(AttributeName value) {
    this.value = value;
  }

  long heldBytes() {
    long bytes = numbers.bytes() + (long) KEY_BYTES * keys.size() + parts.length + copiedBytes;
    for (ValueTable each : values.values()) {
      bytes += each.bytes();
    }
    return bytes;
  }

  /// The keys of the runs of a block.
  ///
  /// @param rows the first event of each run, ascending
  /// @param events of all runs
  /// @param copies gets the events that new keys need
  /// @param view shows rows
  RunTable.Key[] of(
      BlockReader reader,
      int[] rows,
      int runs,
      int events,
      EventSlice copies,
      RunTable.RowView view) {
    RunTable.Key[] found = new RunTable.Key[runs];
    boolean known = (long) RUN_LEAST * runs <= events && heldBytes() < BYTES_MAX;
    int width = known ? findParts(reader, rows, runs) : 0;
    MemorySegment memory = MemorySegment.ofArray(parts);
    for (int run = 0; run < runs; run++) {
      if (known) {
        scratch.setText(AttributeKind.BYTES, memory, (long) run * width, width);
        int number = numbers.add(scratch);
        if (number < keys.size()) {
          found[run] = keys.get(number);
          continue;
        }
      }
      view.show(rows[run]);
      copies.add(view);
      found[run] = new RunTable.Key(copies, copies.count() - 1, known);
      if (known) {
        keys.add(found[run]);
      }
    }
    copiedBytes += known ? copies.heldBytes() : 0;
    return found;
  }

  /// Writes the parts of the keys and returns their length.
  private int findParts(BlockReader reader, int[] rows, int runs) {
    BlockDirectory directory = reader.directory();
    List<Column> shape = new ArrayList<>(directory.columns);
    for (int column = 0; column < directory.columns; column++) {
      shape.add(new Column(directory.names[column], reader.kind(column)));
    }
    int width = (directory.columns + 1) * Integer.BYTES;
    if (parts.length < runs * width) {
      parts = new byte[runs * width];
    }
    int number = shapes.computeIfAbsent(shape, _ -> shapes.size());
    for (int run = 0; run < runs; run++) {
      INT.set(parts, run * width, number);
    }
    for (int column = 0; column < directory.columns; column++) {
      int at = (column + 1) * Integer.BYTES;
      ValueTable among = among(shape.get(column));
      ColumnReader read = reader.column(column);
      long @Nullable [] codes = read.codeCount() > 0 ? read.codes() : null;
      int[] byCode = codes == null ? new int[0] : new int[read.codeCount()];
      int[] present = read.rows();
      int next = 0;
      for (int run = 0; run < runs; run++) {
        int place = rows[run];
        if (present != null) {
          next = Arrays.binarySearch(present, next, read.present(), place);
          place = next;
          next = next < 0 ? -next - 1 : next;
        }
        int part = 0;
        if (place >= 0) {
          part = among == null ? 1 : numberOf(read, place, codes, byCode, among);
        }
        INT.set(parts, run * width + at, part);
      }
    }
    return width;
  }

  /// Where the values of a column are numbered; null for the numbers that do not matter.
  private @Nullable ValueTable among(Column column) {
    boolean isNumber = column.kind == AttributeKind.LONG || column.kind == AttributeKind.DOUBLE;
    return isNumber && column.name.equals(value)
        ? null
        : values.computeIfAbsent(column, _ -> new ValueTable(true));
  }

  /// The number of a value, counted from 1.
  private int numberOf(
      ColumnReader column, int place, long @Nullable [] codes, int[] byCode, ValueTable among) {
    int code = codes == null ? 0 : (int) codes[place];
    if (codes != null && byCode[code] > 0) {
      return byCode[code];
    }
    column.show(place, scratch);
    if (scratch.kind() == AttributeKind.DOUBLE) {
      scratch.setBits(AttributeKind.LONG, scratch.bits()); // zeros of both signs differ
    }
    int number = among.add(scratch) + 1;
    if (codes != null) {
      byCode[code] = number;
    }
    return number;
  }
}
