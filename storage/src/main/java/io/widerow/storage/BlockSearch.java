package io.widerow.storage;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.Text;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/// Finds the rows of a block that a [Filter] may keep, from the parts of its texts, so that the
/// filter itself need not look at the others. Never misses one.
///
/// - Threads: one.
final class BlockSearch {
  private final BlockReader reader;

  BlockSearch(BlockReader reader) {
    this.reader = reader;
  }

  /// The rows of the block that `reader` has open; null when they may be any.
  @Nullable BitSet rows(Filter filter) {
    return switch (filter) {
      case Filter.Contains(AttributeName name, Text needle) -> containing(name, needle, false);
      case Filter.Has(AttributeName name, Text words) -> containing(name, words, true);
      case Filter.Compare(
              AttributeName name,
              Filter.Comparison comparison,
              Filter.Literal.Word(Text text)) ->
          comparison == Filter.Comparison.EQUAL ? containing(name, text, true) : null;
      case Filter.And(var parts) -> {
        BitSet both = null;
        for (Filter part : parts) {
          BitSet one = rows(part);
          if (both == null) {
            both = one;
          } else if (one != null) {
            both.and(one);
          }
          if (both != null && both.isEmpty()) {
            break; // no other column is read
          }
        }
        yield both;
      }
      case Filter.Or(var parts) -> {
        BitSet either = new BitSet();
        for (Filter part : parts) {
          BitSet one = rows(part);
          if (one == null) {
            yield null;
          }
          either.or(one);
        }
        yield either;
      }
      default -> null;
    };
  }

  /// @param words true when no longer word of the string may reach over the text's ends
  private @Nullable BitSet containing(AttributeName name, Text text, boolean words) {
    if (text.length() == 0) {
      return null;
    }
    BlockDirectory directory = reader.directory();
    BitSet rows = new BitSet();
    Needle needle = new Needle(text, words);
    for (int column = directory.find(name); column >= 0; column = directory.findNext(column)) {
      if (directory.kinds[column] == AttributeKind.STRING) {
        reader.column(column).search(needle, rows);
      }
    }
    return rows;
  }
}
