package io.widerow.storage;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import java.util.Arrays;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/// One column of the block being built: the values of one attribute name and kind, and the rows
/// that have them. Kept from block to block, so that a steady stream allocates nothing.
///
/// - Threads: one.
final class ColumnBuilder {
  static final Comparator<ColumnBuilder> ORDER =
      Comparator.comparing((ColumnBuilder column) -> column.name)
          .thenComparing(column -> column.kind);

  final AttributeName name;
  final AttributeKind kind;
  int[] rows = new int[64];
  long[] values = new long[0];
  final TextSlices texts = new TextSlices();
  int count;
  private int textBytes;

  /// The column that came behind this one in the last event: most events have the same columns.
  @Nullable ColumnBuilder next;

  ColumnBuilder(AttributeName name, AttributeKind kind) {
    this.name = name;
    this.kind = kind;
  }

  void clear() {
    count = 0;
    textBytes = 0;
    texts.clear();
  }

  void add(int row, AttributeValue value) {
    if (count == rows.length) {
      rows = Arrays.copyOf(rows, 2 * count);
    }
    rows[count] = row;
    if (kind.isText()) {
      int length = value.length();
      if (texts.bytes.length - textBytes < length + ByteSource.SLACK) {
        texts.bytes = Arrays.copyOf(texts.bytes, 2 * (textBytes + length) + ByteSource.SLACK);
      }
      value.copyTo(texts.bytes, textBytes);
      texts.add(textBytes, length);
      textBytes += length;
    } else {
      if (count >= values.length) {
        values = Arrays.copyOf(values, Math.max(64, 2 * count));
      }
      values[count] = value.bits();
    }
    count++;
  }
}
