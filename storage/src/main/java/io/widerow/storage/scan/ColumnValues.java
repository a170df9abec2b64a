package io.widerow.storage.scan;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.storage.StoreView;
import io.widerow.storage.segment.BlockReader;
import io.widerow.storage.segment.ColumnReader;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/// Counts the values of a block's columns by their codes: of a dictionary each text is shown once,
/// with how many events have it.
///
/// ```
///   codes    0  1  0  2  1  1      region of six events
///   counts   2  3  1               by code
///   firsts   0  1  3               place of a value of this code
/// ```
///
/// - Threads: one.
/// - Memory: two ints a code, at most [#CODES_MAX] of them.
final class ColumnValues {
  /// Columns with a larger range of codes are shown value by value.
  private static final int CODES_MAX = 1 << 14;

  private final AttributeValue scratch = new AttributeValue();
  private int[] counts = new int[0]; // zero between columns
  private int[] firsts = new int[0];

  /// Shows the values of a column of the open block.
  ///
  /// @param rows the rows that count; null for all
  void read(BlockReader reader, int column, @Nullable BitSet rows, StoreView.ValueVisitor visitor) {
    AttributeName name = reader.directory().names[column];
    ColumnReader values = reader.column(column);
    long[] codes = values.codes();
    int present = values.present();
    int[] rowsOf = values.rows(); // null: the row itself
    int range = codes == null ? 0 : count(codes, present, rowsOf, rows);
    if (range == 0) {
      for (int at = 0; at < present; at++) {
        if (counts(at, rowsOf, rows)) {
          values.show(at, scratch);
          visitor.value(name, scratch, 1);
        }
      }
      return;
    }
    for (int code = 0; code < range; code++) {
      int events = counts[code];
      if (events > 0) {
        counts[code] = 0;
        values.show(firsts[code], scratch);
        visitor.value(name, scratch, events);
      }
    }
  }

  private static boolean counts(int at, int @Nullable [] rowsOf, @Nullable BitSet rows) {
    return rows == null || rows.get(rowsOf == null ? at : rowsOf[at]);
  }

  /// Returns the range of the codes; 0 when it is too large.
  private int count(long[] codes, int present, int @Nullable [] rowsOf, @Nullable BitSet rows) {
    long least = Long.MAX_VALUE;
    long most = Long.MIN_VALUE;
    for (int at = 0; at < present; at++) {
      least = Math.min(least, codes[at]);
      most = Math.max(most, codes[at]);
    }
    long span = most - least;
    if (span < 0 || span >= CODES_MAX) { // negative: overflow of 64 bits
      return 0;
    }
    if (counts.length <= span) {
      counts = new int[(int) span + 1];
      firsts = new int[counts.length];
    }
    for (int at = present - 1; at >= 0; at--) {
      if (counts(at, rowsOf, rows)) {
        int code = (int) (codes[at] - least);
        counts[code]++;
        firsts[code] = at;
      }
    }
    return (int) span + 1;
  }

  /// Forgets a column that failed in between.
  void clear() {
    Arrays.fill(counts, 0);
  }

  /// Approximate memory held, in bytes.
  long heldBytes() {
    return 2L * Integer.BYTES * counts.length;
  }
}
