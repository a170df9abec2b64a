package io.widerow.storage.segment;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.RecordTemplate;
import io.widerow.storage.codec.ByteSource;
import io.widerow.storage.codec.ByteWords;
import io.widerow.storage.text.TextSlices;
import java.util.Arrays;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/// Builder of one column of a block: the values of one attribute name and kind, and their rows. It
/// is reused for the next block, so a steady stream allocates nothing.
///
/// - Threads: one.
public final class ColumnBuilder {
  static final Comparator<ColumnBuilder> ORDER =
      Comparator.comparing((ColumnBuilder column) -> column.name)
          .thenComparing(column -> column.kind);

  final AttributeName name;
  public final AttributeKind kind;
  int[] rows = new int[64];
  long[] values = new long[0];
  final TextSlices texts = new TextSlices();
  public int count;
  boolean leads; // distinguishes series, see SeriesFinder
  int place; // among the columns of the last written block
  int flags; // in the directory of that block
  int tokens; // in that block
  private int countWhole; // number of entries including those cut off
  private int textBytes;

  /// The column after this one in the last event. Most events have the same columns.
  @Nullable ColumnBuilder next;

  /// The column that was after this one before: an event may lack an attribute.
  @Nullable ColumnBuilder nextToo;

  public ColumnBuilder(AttributeName name, AttributeKind kind) {
    this.name = name;
    this.kind = kind;
  }

  void clear() {
    count = 0;
    textBytes = 0;
    texts.clear();
  }

  /// Forgets the blocks before.
  void renew() {
    clear();
    texts.renew();
    tokens = 0;
    leads = false;
    next = null;
    nextToo = null;
  }

  /// Cuts off the entries of rows from `rowLimit` on, until [#keepRest].
  void cut(int rowLimit) {
    countWhole = count;
    int found = Arrays.binarySearch(rows, 0, count, rowLimit);
    count = found < 0 ? -found - 1 : found;
    texts.count = count;
  }

  /// Keeps only the entries that were cut off and renumbers their rows so that `rowLimit` becomes
  /// 0. Returns their approximate bytes.
  long keepRest(int rowLimit) {
    int from = count;
    count = countWhole - from;
    for (int i = 0; i < count; i++) {
      rows[i] = rows[from + i] - rowLimit;
    }
    if (!kind.isText()) {
      System.arraycopy(values, from, values, 0, count);
      return (long) Long.BYTES * count;
    }
    if (texts.repeats) {
      keepCopies(from);
      return textBytes + (long) Integer.BYTES * count;
    }
    int start = count == 0 ? textBytes : texts.offsets[from];
    textBytes -= start;
    System.arraycopy(texts.bytes, start, texts.bytes, 0, textBytes);
    texts.clear();
    for (int i = 0; i < count; i++) {
      texts.add(texts.offsets[from + i] - start, texts.lengths[from + i]);
    }
    return textBytes + (long) Integer.BYTES * count;
  }

  /// Copies the kept texts to consecutive bytes of their own, since several may share the bytes of
  /// a dropped text.
  private void keepCopies(int from) {
    int bytes = 0;
    for (int i = from; i < from + count; i++) {
      bytes += texts.lengths[i];
    }
    byte[] copies = new byte[bytes + ByteSource.SLACK];
    textBytes = 0;
    for (int i = from; i < from + count; i++) {
      System.arraycopy(texts.bytes, texts.offsets[i], copies, textBytes, texts.lengths[i]);
      textBytes += texts.lengths[i];
    }
    if (texts.bytes.length < copies.length) {
      texts.bytes = copies;
    } else {
      System.arraycopy(copies, 0, texts.bytes, 0, textBytes);
    }
    texts.clear();
    for (int i = 0, at = 0; i < count; i++) {
      int length = texts.lengths[from + i];
      texts.add(at, length);
      at += length;
    }
  }

  public void add(int row, AttributeValue value) {
    if (kind.isText()) {
      int length = value.length();
      roomForText(length);
      value.copyTo(texts.bytes, textBytes);
      addText(row, length);
    } else {
      addNumber(row, value.bits());
    }
  }

  /// Adds a text; [ByteSource#SLACK] bytes follow it.
  void addText(int row, byte[] source, int from, int length) {
    roomForText(length);
    ByteWords.copy(source, from, texts.bytes, textBytes, length);
    addText(row, length);
  }

  /// Adds the text of a record's attribute `place`.
  void addText(int row, RecordTemplate record, int place) {
    int length = record.textBytes(place);
    roomForText(length);
    record.copyText(place, texts.bytes, textBytes);
    addText(row, length);
  }

  /// Adds the text of an earlier entry again.
  void addAgain(int row, int entry) {
    addRow(row);
    texts.addAgain(entry);
  }

  void addNumber(int row, long bits) {
    if (count >= values.length) {
      values = Arrays.copyOf(values, Math.max(64, 2 * count));
    }
    values[count] = bits;
    addRow(row);
  }

  private void roomForText(int length) {
    if (texts.bytes.length - textBytes < length + ByteSource.SLACK) {
      texts.bytes = Arrays.copyOf(texts.bytes, 2 * (textBytes + length) + ByteSource.SLACK);
    }
  }

  private void addText(int row, int length) {
    texts.add(textBytes, length);
    textBytes += length;
    addRow(row);
  }

  private void addRow(int row) {
    if (count == rows.length) {
      rows = Arrays.copyOf(rows, 2 * count);
    }
    rows[count++] = row;
  }
}
