package io.widerow.storage.segment;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.storage.Filter;
import io.widerow.storage.codec.Needle;
import io.widerow.storage.cursor.FilterSearch;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/// Text search over a block's encoded columns, without rebuilding each text.
///
/// - Threads: one.
public final class BlockSearch extends FilterSearch {
  private final BlockReader reader;
  private final BlockLevels levels;

  /// @param reader the block to search is open in it
  public BlockSearch(BlockReader reader) {
    this.reader = reader;
    this.levels = new BlockLevels(reader);
  }

  /// Approximate memory held, without the reader's.
  public long heldBytes() {
    return levels.heldBytes();
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

  @Override
  public BitSet ofLevel(Filter test) {
    levels.read();
    return levels.rows(test);
  }

  @Override
  public @Nullable BitSet withoutText(AttributeName name) {
    return BlockPruner.hasTextEverywhere(reader.directory(), name) ? new BitSet() : null;
  }
}
