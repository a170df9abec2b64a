package io.widerow.storage.segment;

import io.widerow.event.AttributeName;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Which columns of the current block a reader sees, each looked up once a block. Readers ask for
/// the same few names, event after event and in one order, so the place behind the one asked for
/// last is where the next one is:
///
/// ```
///   asked for   host  region  usage | host  region  usage | ...
///   names       [host] [region] [usage]
///   readers     [  2 ] [   5  ] [ null]     usage is not in this block
///                          ^ next, after host
/// ```
///
/// - Threads: one.
/// - Memory: the readers are the block's; what was found is good until [#clear].
public final class ColumnProjection {
  /// Names that are remembered. Others are looked up each time.
  private static final int MOST = 64;

  private final Scan scan;
  private AttributeName[] names = new AttributeName[8];
  private int[] columns = new int[8];
  private @Nullable ColumnReader[] readers = new ColumnReader[8];
  private int count;
  private int next;
  private int lastColumn = -1; // that was found
  private int[] shown = new int[0];
  private int shownCount = -1; // not known yet

  /// @param scan says which columns may be seen
  public ColumnProjection(Scan scan) {
    this.scan = scan;
  }

  /// Forgets the block before.
  public void clear() {
    count = 0;
    next = 0;
    shownCount = -1;
  }

  /// The first column of a name, read when it is asked for first; null when there is none or the
  /// scan does not show it.
  ///
  /// @param block the current one
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

  /// The place in the directory of what [#find] found last; negative when it found none.
  public int lastColumn() {
    return lastColumn;
  }

  /// How many columns are shown, see [#shown].
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

  /// One of the columns that are shown, in ascending order of names. After [#countShown].
  public int shown(int place) {
    return shown[place];
  }
}
