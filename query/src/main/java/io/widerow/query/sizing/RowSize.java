package io.widerow.query.sizing;

import io.widerow.query.QueryException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The size of one wide row of a described table, by the formulas of Cassandra's modellers:
///
/// ```
/// cells = rows * (columns - keyColumns - staticColumns) + staticColumns
/// bytes = sum(key) + sum(static) + rows * (sum(regular) + sum(clustering)) + 8 * cells
/// ```
///
/// @param rows rows of the partition
/// @param cells values of the partition
/// @param bytes bytes of the partition; null when no sizes were given
public record RowSize(long rows, long cells, @Nullable Long bytes) {
  /// Cassandra holds no more cells in a partition.
  public static final long CELLS_MAX = 2_000_000_000;

  private static final int METADATA_BYTES = 8; // of a cell

  /// The outcome for it.
  public enum Verdict {
    OK("ok"),
    /// It holds more than one partition should.
    TOO_WIDE("too-wide"),
    /// It holds more than one partition can.
    IMPOSSIBLE("impossible");

    public final String text;

    Verdict(String text) {
      this.text = text;
    }
  }

  /// A described table.
  ///
  /// @param rows rows of one partition
  /// @param columns all columns
  /// @param keyColumns columns of the primary key, including clustering columns, which order the
  ///   rows
  /// @param staticColumns columns that a partition has once
  public record Table(long rows, int columns, int keyColumns, int staticColumns) {
    public Table {
      require(rows >= 1, "rows", "must be at least 1, got " + rows);
      require(columns >= 1, "columns", "must be at least 1, got " + columns);
      require(keyColumns >= 1, "key-columns", "must be at least 1, got " + keyColumns);
      require(staticColumns >= 0, "static-columns", "must not be negative, got " + staticColumns);
      require(
          keyColumns <= columns - staticColumns,
          "columns",
          "%d are fewer than %d of the key and %d static ones"
              .formatted(columns, keyColumns, staticColumns));
    }

    private int regularColumns() {
      return columns - keyColumns - staticColumns;
    }
  }

  /// Mean bytes of the values of each column; each list has one number for each of its columns.
  ///
  /// @param key columns that name the partition
  /// @param statics columns that a partition has once
  /// @param regular all other columns
  /// @param clustering columns of the primary key that order the rows
  public record Sizes(
      List<Integer> key, List<Integer> statics, List<Integer> regular, List<Integer> clustering) {
    public Sizes {
      key = List.copyOf(key);
      statics = List.copyOf(statics);
      regular = List.copyOf(regular);
      clustering = List.copyOf(clustering);
    }

    /// True when nothing is said.
    public boolean isEmpty() {
      return key.isEmpty() && statics.isEmpty() && regular.isEmpty() && clustering.isEmpty();
    }
  }

  /// @param sizes empty for no bytes
  /// @throws QueryException.Refused when the numbers contradict each other
  public static RowSize of(Table table, Sizes sizes) {
    try {
      long cells =
          Math.addExact(
              Math.multiplyExact(table.rows, table.regularColumns()), table.staticColumns);
      return new RowSize(table.rows, cells, sizes.isEmpty() ? null : bytes(table, sizes, cells));
    } catch (ArithmeticException overflow) {
      throw new QueryException.Refused("rows", "a row of %d has no size".formatted(table.rows));
    }
  }

  private static long bytes(Table table, Sizes sizes, long cells) {
    int keys = sizes.key.size() + sizes.clustering.size();
    require(
        keys == table.keyColumns,
        "key-bytes",
        "with clustering-bytes %d sizes, of %d key columns".formatted(keys, table.keyColumns));
    require(!sizes.key.isEmpty(), "key-bytes", "a partition is named by one column at least");
    requireEach("static-bytes", sizes.statics, table.staticColumns, "static");
    requireEach("regular-bytes", sizes.regular, table.regularColumns(), "regular");
    long once = sum("key-bytes", sizes.key) + sum("static-bytes", sizes.statics);
    long perRow = sum("regular-bytes", sizes.regular) + sum("clustering-bytes", sizes.clustering);
    return Math.addExact(
        Math.addExact(once, Math.multiplyExact(table.rows, perRow)),
        Math.multiplyExact(METADATA_BYTES, cells));
  }

  private static void requireEach(String name, List<Integer> sizes, int columns, String which) {
    require(
        sizes.size() == columns,
        name,
        "%d sizes, of %d %s columns".formatted(sizes.size(), columns, which));
  }

  private static long sum(String name, List<Integer> sizes) {
    long sum = 0;
    for (int size : sizes) {
      require(size >= 0, name, "must not be negative, got " + size);
      sum += size;
    }
    return sum;
  }

  private static void require(boolean holds, String parameter, String why) {
    if (!holds) {
      throw new QueryException.Refused(parameter, why);
    }
  }

  public Verdict verdict() {
    if (cells > CELLS_MAX) {
      return Verdict.IMPOSSIBLE;
    }
    return weight() > 1 ? Verdict.TOO_WIDE : Verdict.OK;
  }

  /// Partitions of weight 1 at most that it has to be divided into.
  public long partitions() {
    double share = Math.max(weight(), (double) cells / CELLS_MAX);
    return Math.max(1, (long) Math.ceil(share));
  }

  private double weight() {
    return Weight.of(bytes == null ? 0 : (double) bytes, (double) rows);
  }
}
