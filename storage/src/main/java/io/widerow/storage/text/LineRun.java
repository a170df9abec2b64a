package io.widerow.storage.text;

import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.codec.ByteWords;
import java.util.Arrays;

/// Prints consecutive lines of one template column by column: first it computes the length of each
/// line, then it writes each column to all lines.
///
/// ```
///             GET  /index.html  200          cursors
///   line 0    GET  /index.html  ......... <- 0
///   line 1    GET  /about       .........      <- 1      the second column is written; the third
///   line 2    POST /login       .........      <- 2      begins at the cursors
/// ```
///
/// Printing line by line loads each piece from another place. So many places do not stay in the
/// first-level cache where readers take turns, as in a merge. Here a column's texts are loaded in
/// sequence, several at once, because no load depends on the one before it.
///
/// - Threads: one.
final class LineRun {
  /// The most lines of a run.
  static final int LINES_MAX = 256;

  /// The least lines for which a run pays.
  static final int LINES_MIN = 16;

  /// Bytes between two lines: writing a piece may overwrite seven bytes after it.
  static final int GAP = Long.BYTES;

  private long[] lengths = new long[0];
  private int[] cursors = new int[0];
  private int lines;

  long heldBytes() {
    return (long) Long.BYTES * lengths.length + (long) Integer.BYTES * cursors.length;
  }

  /// Starts a run of lines with this many constant bytes each.
  void begin(int newLines, long constantBytes) {
    lines = newLines;
    if (lengths.length == 0) {
      lengths = new long[LINES_MAX];
      cursors = new int[LINES_MAX];
    }
    Arrays.fill(lengths, 0, lines, constantBytes);
  }

  /// Adds the lengths of the texts from `first`.
  void measure(TextSlices texts, int first) {
    switch (texts.form) {
      case PieceFormat.DICTIONARY -> {
        for (int i = 0; i < lines; i++) {
          lengths[i] += texts.lengths[(int) texts.codes[first + i]];
        }
      }
      case PieceFormat.CONSTANT, PieceFormat.RAW -> {
        for (int i = 0; i < lines; i++) {
          lengths[i] += texts.lengths[first + i];
        }
      }
      default -> {
        for (int i = 0; i < lines; i++) {
          lengths[i] += texts.numberBytes(first + i);
        }
      }
    }
  }

  /// Bytes of all lines, gaps included.
  long bytes() {
    long bytes = 0;
    for (int i = 0; i < lines; i++) {
      bytes += lengths[i] + GAP;
    }
    return bytes;
  }

  /// Lays the lines out from `at`, records them as texts of `out` from `line`, and returns the
  /// offset after them. The lines must fit into one array.
  int place(int at, TextSlices out, int line) {
    int next = at;
    for (int i = 0; i < lines; i++) {
      cursors[i] = next;
      out.offsets[line + i] = next;
      out.lengths[line + i] = (int) lengths[i];
      next += (int) lengths[i] + GAP;
    }
    return next;
  }

  /// Writes the same bytes to every line.
  void put(byte[] source, int from, int length, byte[] target) {
    if (length == 0) {
      return;
    }
    if (length <= Long.BYTES) {
      long word = (long) ByteSink.LONG.get(source, from);
      for (int i = 0; i < lines; i++) {
        ByteSink.LONG.set(target, cursors[i], word);
        cursors[i] += length;
      }
      return;
    }
    for (int i = 0; i < lines; i++) {
      ByteWords.copy(source, from, target, cursors[i], length);
      cursors[i] += length;
    }
  }

  /// Writes the texts from `first`, one to each line.
  void put(TextSlices texts, int first, byte[] target) {
    switch (texts.form) {
      case PieceFormat.DICTIONARY -> putCodes(texts, first, target);
      case PieceFormat.CONSTANT, PieceFormat.RAW -> putSlices(texts, first, target);
      default -> {
        for (int i = 0; i < lines; i++) {
          cursors[i] = texts.printNumber(first + i, target, cursors[i]);
        }
      }
    }
  }

  private void putCodes(TextSlices texts, int first, byte[] target) {
    byte[] bytes = texts.bytes;
    long[] codes = texts.codes;
    int[] offsets = texts.offsets;
    int[] sizes = texts.lengths;
    int[] at = cursors;
    for (int i = 0, limit = lines; i < limit; i++) {
      int slice = (int) codes[first + i];
      int length = sizes[slice];
      ByteWords.copy(bytes, offsets[slice], target, at[i], length);
      at[i] += length;
    }
  }

  private void putSlices(TextSlices texts, int first, byte[] target) {
    byte[] bytes = texts.bytes;
    int[] offsets = texts.offsets;
    int[] sizes = texts.lengths;
    int[] at = cursors;
    for (int i = 0, limit = lines; i < limit; i++) {
      int length = sizes[first + i];
      ByteWords.copy(bytes, offsets[first + i], target, at[i], length);
      at[i] += length;
    }
  }
}
