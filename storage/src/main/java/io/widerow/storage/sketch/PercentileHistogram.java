package io.widerow.storage.sketch;

import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.codec.ByteSource;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Arrays;

/// Counts of numbers in the cells of one fixed grid, for percentiles: the grid of HdrHistogram with
/// three digits, anchored at powers of two. Each power of two has 1,024 equal cells, so the ends of
/// a cell differ by at most 0.1 %. The grid is the same for all numbers, negative ones too, so the
/// order in which they are added, and how grids are merged, cannot be seen in the result.
///
/// ```
///   double   sign 1 | exponent 11 | fraction 10 ... 42 more bits
///   cell     sign   | exponent    | fraction 10                    its first bits
/// ```
///
/// - A percentile is the greatest number of its cell, rounded up to four significant digits: more
///   would pretend to know it better than the cell does. It is never outside the numbers that were
///   added, and whole when only whole numbers were. The cell around zero is 0.
/// - Infinities have cells of their own. NaN is refused.
/// - Threads: one.
/// - Memory: 12 bytes for a cell that has numbers, in a hash table that is half full at most.
public final class PercentileHistogram {
  private static final int REST_BITS = 42;
  private static final long REST_MASK = (1L << REST_BITS) - 1;
  private static final int SLOTS_LEAST = 16;
  private static final int MIX = 0x9e37_79b9; // 2^32 / golden ratio (Fibonacci hashing)
  private static final MathContext PERCENTILE_DIGITS = new MathContext(4, RoundingMode.CEILING);
  private static final long PART_OF_PERCENT = 10_000;
  private static final long ALL = 100 * PART_OF_PERCENT;

  private int[] cells = new int[SLOTS_LEAST];
  private long[] counts = new long[SLOTS_LEAST]; // 0 for a free slot
  private int used;
  private long total;
  private boolean fractions; // any number that is not whole
  private double least = Double.POSITIVE_INFINITY;
  private double most = Double.NEGATIVE_INFINITY;

  /// Adds a number.
  public void add(double value) {
    add(value, 1);
  }

  /// Adds a number several times.
  public void add(double value, long times) {
    if (Double.isNaN(value)) {
      throw new IllegalArgumentException("NaN has no place among numbers");
    }
    double number = value + 0.0; // no negative zero
    fractions |= number != Math.rint(number);
    least = Math.min(least, number);
    most = Math.max(most, number);
    add((int) (Double.doubleToRawLongBits(number) >> REST_BITS), times);
  }

  /// Adds all that another grid has.
  public void add(PercentileHistogram other) {
    for (int i = 0; i < other.counts.length; i++) {
      if (other.counts[i] > 0) {
        add(other.cells[i], other.counts[i]);
      }
    }
    fractions |= other.fractions;
    least = Math.min(least, other.least);
    most = Math.max(most, other.most);
  }

  private void add(int cell, long count) {
    int mask = cells.length - 1;
    int slot = home(cell, mask);
    while (counts[slot] != 0 && cells[slot] != cell) {
      slot = (slot + 1) & mask;
    }
    total += count;
    counts[slot] += count;
    if (counts[slot] == count) { // it was free
      cells[slot] = cell;
      used++;
      if (2 * used > cells.length) {
        grow();
      }
    }
  }

  private static int home(int cell, int mask) {
    int mixed = cell * MIX;
    return (mixed ^ (mixed >>> 15)) & mask;
  }

  private void grow() {
    int[] oldCells = cells;
    long[] oldCounts = counts;
    cells = new int[2 * oldCells.length];
    counts = new long[cells.length];
    int mask = cells.length - 1;
    for (int i = 0; i < oldCells.length; i++) {
      if (oldCounts[i] > 0) {
        int slot = home(oldCells[i], mask);
        while (counts[slot] != 0) {
          slot = (slot + 1) & mask;
        }
        cells[slot] = oldCells[i];
        counts[slot] = oldCounts[i];
      }
    }
  }

  /// Writes it:
  ///
  /// ```
  ///   byte fractions | varint cells | [8 bytes least | 8 bytes greatest] |
  ///   for each cell in the order of numbers: varint distance of places | varint numbers
  /// ```
  void write(ByteSink out) {
    out.putByte(fractions ? 1 : 0);
    out.putVarint(used);
    if (used == 0) {
      return;
    }
    out.putLong(Double.doubleToRawLongBits(least));
    out.putLong(Double.doubleToRawLongBits(most));
    long before = Integer.MIN_VALUE;
    for (long end : ends()) {
      int slot = (int) end;
      long place = end >> Integer.SIZE;
      out.putVarint(place - before);
      out.putVarint(counts[slot]);
      before = place;
    }
  }

  static PercentileHistogram read(ByteSource in) {
    PercentileHistogram read = new PercentileHistogram();
    read.fractions = in.readByte() != 0;
    int count = in.readCount(0, in.left() / 2, "cells of a grid");
    if (count == 0) {
      return read;
    }
    read.least = Double.longBitsToDouble(in.readLong());
    read.most = Double.longBitsToDouble(in.readLong());
    long place = Integer.MIN_VALUE;
    for (int i = 0; i < count; i++) {
      long more = in.readVarint();
      long numbers = in.readVarint();
      place += more;
      if (more < (i == 0 ? 0 : 1) || place > Integer.MAX_VALUE || place < Integer.MIN_VALUE) {
        throw in.corrupt("cell %d of a grid is %d after the one before".formatted(i, more));
      }
      if (numbers < 1 || read.total + numbers < 0) {
        throw in.corrupt("%d numbers in a cell of a grid".formatted(numbers));
      }
      read.add(place((int) place), numbers);
    }
    if (!(read.least <= read.most)) {
      throw in.corrupt("numbers from %s to %s".formatted(read.least, read.most));
    }
    return read;
  }

  /// The number of added numbers.
  public long total() {
    return total;
  }

  /// Bytes of its arrays.
  public long bytes() {
    return (long) (Integer.BYTES + Long.BYTES) * cells.length;
  }

  /// A number that at least so many percent of the numbers do not exceed. It stands for the cell
  /// that contains the exact percentile: the cell's greatest number, rounded up and limited as the
  /// description of this class has it.
  ///
  /// @param percent 0 to 100, with four digits after the point
  /// @throws IllegalStateException when no number was added
  public double percentile(double percent) {
    if (total == 0) {
      throw new IllegalStateException("a percentile of no numbers");
    }
    long parts = Math.round(percent * PART_OF_PERCENT);
    long rank =
        Math.max(1, total / ALL * parts + Math.ceilDiv(total % ALL * parts, ALL)); // of the number
    long passed = 0;
    for (long end : ends()) {
      int slot = (int) end;
      passed += counts[slot];
      if (passed >= rank) {
        double greatest = greatest(cells[slot]);
        return Math.clamp(rounded(fractions ? greatest : Math.floor(greatest)), least, most) + 0.0;
      }
    }
    throw new IllegalStateException("%d numbers in cells of %d".formatted(passed, total));
  }

  private static double rounded(double number) {
    return Double.isInfinite(number)
        ? number
        : BigDecimal.valueOf(number).round(PERCENTILE_DIGITS).doubleValue();
  }

  /// The places of cells with their slots, in the order of numbers.
  private long[] ends() {
    long[] ends = new long[used];
    int filled = 0;
    for (int i = 0; i < counts.length; i++) {
      if (counts[i] > 0) {
        ends[filled++] = ((long) place(cells[i]) << Integer.SIZE) | i;
      }
    }
    Arrays.sort(ends);
    return ends;
  }

  /// Places of cells are in the order of their numbers; those of negative cells run backwards. The
  /// place of a place is its cell.
  private static int place(int cell) {
    return cell < 0 ? cell ^ Integer.MAX_VALUE : cell;
  }

  /// The greatest number of a cell.
  private static double greatest(int cell) {
    if (cell == 0) {
      return 0;
    }
    long first = (long) cell << REST_BITS;
    boolean alone = (cell & 0x1f_ffff) == 0x7ff << 10; // an infinity
    return Double.longBitsToDouble(cell < 0 || alone ? first : first | REST_MASK);
  }
}
