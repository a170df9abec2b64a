package io.widerow.storage.scan;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.Level;
import io.widerow.event.LevelAttribute;
import io.widerow.storage.Scan;
import io.widerow.storage.segment.BlockDirectory;
import io.widerow.storage.segment.BlockReader;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Finds the levels of single rows. It looks only at the columns of the block that may have one,
/// and that the scan shows.
///
/// - Threads: one.
final class RowLevels {
  private final Scan scan;
  private final List<Column> columns = new ArrayList<>();
  private boolean known;

  /// A column, in the order in which they decide.
  ///
  /// @param attribute null for the text of a line
  private record Column(int number, @Nullable LevelAttribute attribute) {}

  RowLevels(Scan scan) {
    this.scan = scan;
  }

  /// Drops the previous block.
  void clear() {
    known = false;
  }

  /// The level of a row of the open block; null when it has none.
  ///
  /// @param scratch overwritten
  @Nullable Level of(BlockReader reader, int row, AttributeValue scratch) {
    if (!known) {
      find(reader.directory(), reader);
      known = true;
    }
    for (int i = 0; i < columns.size(); i++) {
      Column column = columns.get(i);
      if (reader.column(column.number).value(row, scratch)) {
        LevelAttribute attribute = column.attribute;
        Level level = attribute == null ? Level.ofText(scratch) : attribute.level(scratch);
        if (level != null || attribute == null || attribute.isFinal(scratch)) {
          return level;
        }
      }
    }
    return null;
  }

  private void find(BlockDirectory directory, BlockReader reader) {
    columns.clear();
    for (LevelAttribute attribute : LevelAttribute.all()) {
      int column = first(directory, attribute.name());
      for (; column >= 0; column = directory.findNext(column)) {
        if (attribute.mayTell(reader.kind(column))) {
          columns.add(new Column(column, attribute));
        }
      }
    }
    for (AttributeName name : LevelAttribute.TEXTS) {
      int column = first(directory, name);
      for (; column >= 0; column = directory.findNext(column)) {
        if (reader.kind(column) == AttributeKind.STRING) {
          columns.add(new Column(column, null));
        }
      }
    }
  }

  private int first(BlockDirectory directory, AttributeName name) {
    return scan.shows(name) ? directory.find(name) : -1;
  }
}
