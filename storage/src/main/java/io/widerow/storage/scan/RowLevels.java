package io.widerow.storage.scan;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.Level;
import io.widerow.event.LevelAttribute;
import io.widerow.storage.Scan;
import io.widerow.storage.segment.BlockDirectory;
import io.widerow.storage.segment.BlockReader;
import io.widerow.storage.segment.ColumnReader;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Finds the levels of single rows. It looks only at the columns of the block that may have one,
/// and that the scan shows; at a text that the block stores once, once.
///
/// - Threads: one.
final class RowLevels {
  private static final Level[] LEVELS = Level.values();

  private final Scan scan;
  private final List<Column> columns = new ArrayList<>();
  private boolean known;

  /// A column, in the order in which they decide.
  private static final class Column {
    final int number;
    final @Nullable LevelAttribute attribute; // null for the text of a line
    final byte[] told; // by the code of a text: 0 unknown, 1 for no level, else its rank and 2

    Column(int number, @Nullable LevelAttribute attribute, int codes) {
      this.number = number;
      this.attribute = attribute;
      this.told = new byte[codes];
    }
  }

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
      LevelAttribute attribute = column.attribute;
      ColumnReader values = reader.column(column.number);
      if (attribute != null && values.value(row, scratch)) {
        Level level = attribute.level(scratch);
        if (level != null || attribute.isFinal(scratch)) {
          return level;
        }
      } else if (attribute == null && values.value(row, scratch)) {
        return ofText(values.code(row), column.told, scratch);
      }
    }
    return null;
  }

  private static @Nullable Level ofText(int code, byte[] told, AttributeValue text) {
    int known = code >= 0 && code < told.length ? told[code] : 0;
    if (known > 0) {
      return known == 1 ? null : LEVELS[known - 2];
    }
    Level level = Level.ofText(text);
    if (code >= 0 && code < told.length) {
      told[code] = (byte) (level == null ? 1 : level.rank() + 2);
    }
    return level;
  }

  private void find(BlockDirectory directory, BlockReader reader) {
    columns.clear();
    for (LevelAttribute attribute : LevelAttribute.all()) {
      int column = first(directory, attribute.name());
      for (; column >= 0; column = directory.findNext(column)) {
        if (attribute.mayTell(reader.kind(column))) {
          columns.add(new Column(column, attribute, 0));
        }
      }
    }
    for (AttributeName name : LevelAttribute.TEXTS) {
      int column = first(directory, name);
      for (; column >= 0; column = directory.findNext(column)) {
        if (reader.kind(column) == AttributeKind.STRING) {
          columns.add(new Column(column, null, reader.column(column).codeCount()));
        }
      }
    }
  }

  private int first(BlockDirectory directory, AttributeName name) {
    return scan.shows(name) ? directory.find(name) : -1;
  }
}
