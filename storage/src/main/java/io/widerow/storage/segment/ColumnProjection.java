package io.widerow.storage.segment;

import io.widerow.event.AttributeName;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Projection of a scan onto the current block: the columns that the reader sees, each looked up
/// once a block. Readers request the same few names in one order, event after event, so the next
/// name is mostly in the place after the last one:
///
/// ```
///   asked for   host  region  usage | host  region  usage | ...
///   names       [host] [region] [usage]
///   readers     [  2 ] [   5  ] [ null]     usage is not in this block
///                          ^ next, after host
/// ```
///
/// - Threads: one.
/// - Memory: the column readers are the block's. Lookups are valid until [#clear].
public final class ColumnProjection {
  /// Most names to remember. Others are looked up each time.
  private static final int MOST = 64;

  private final Scan scan;
  private AttributeName[] names = new AttributeName[8];
  private int[] columns = new int[8];
  private @Nullable ColumnReader[] readers = new ColumnReader[8];
  private int count;
  private int next;
  private int lastColumn = -1; // of the last lookup
  private int[] shown = new int[0];
  private int shownCount = -1; // not computed yet

  /// @param scan its projection selects the visible columns
  public ColumnProjection(Scan scan) {
    this.scan = scan;
  }

  /// Drops the previous block.
  public void clear() {
    count = 0;
    next = 0;
    shownCount = -1;
  }

  /// The first column of a name, read at the first request; null when the block has none or the
  /// scan hides it.
  ///
  /// @param block reader of the current block
  /// @throws StorageException.Corrupt when the column is damaged
  @SuppressWarnings("ReferenceEquality")
  // an equal name is looked for, and found as well
  public @Nullable ColumnReader find(AttributeName name, BlockReader block) {
    int at = next < count ? next : 0;
    return at < count && names[at] == name ? found(at) : findOutOfTurn(name, block);
  }

  private @Nullable ColumnReader found(int at) {
    next = at + 1;
    lastColumn = columns[at];
    return readers[at];
  }

  @SuppressWarnings("ReferenceEquality")
  private @Nullable ColumnReader findOutOfTurn(AttributeName name, BlockReader block) {
    for (int i = 0; i < count; i++) {
      if (names[i] == name) {
        return found(i);
      }
    }
    lastColumn = scan.shows(name) ? block.directory().find(name) : -1;
    ColumnReader reader = lastColumn < 0 ? null : block.column(lastColumn);
    if (count < MOST) {
      remember(name, lastColumn, reader);
    }
    return reader;
  }

  private void remember(AttributeName name, int column, @Nullable ColumnReader reader) {
    if (count == names.length) {
      names = Arrays.copyOf(names, 2 * count);
      columns = Arrays.copyOf(columns, 2 * count);
      readers = Arrays.copyOf(readers, 2 * count);
    }
    names[count] = name;
    columns[count] = column;
    readers[count] = reader;
    count++;
    next = count;
  }

  /// Directory place of the column that [#find] found last; negative when it found none.
  public int lastColumn() {
    return lastColumn;
  }

  /// Number of visible columns, see [#shown].
  public int countShown(BlockDirectory directory) {
    if (shownCount < 0) {
      if (shown.length < directory.columns) {
        shown = new int[2 * directory.columns];
      }
      shownCount = 0;
      for (int i = 0; i < directory.columns; i++) {
        if (scan.shows(directory.names[i])) {
          shown[shownCount++] = i;
        }
      }
    }
    return shownCount;
  }

  /// A visible column, in ascending order of names. Call [#countShown] first.
  public int shown(int place) {
    return shown[place];
  }
}
