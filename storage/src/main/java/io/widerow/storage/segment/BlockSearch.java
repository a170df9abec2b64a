package io.widerow.storage.segment;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.storage.codec.Needle;
import io.widerow.storage.cursor.FilterSearch;
import java.util.BitSet;

/// Searches the texts of a block in the parts that they are stored as.
///
/// - Threads: one.
public final class BlockSearch extends FilterSearch {
  private final BlockReader reader;

  /// @param reader has the block open that is searched
  public BlockSearch(BlockReader reader) {
    this.reader = reader;
  }

  @Override
  public BitSet holding(AttributeName name, Needle needle) {
    BlockDirectory directory = reader.directory();
    BitSet rows = new BitSet();
    for (int column = directory.find(name); column >= 0; column = directory.findNext(column)) {
      if (directory.kinds[column] == AttributeKind.STRING) {
        reader.column(column).search(needle, rows);
      }
    }
    return rows;
  }
}
