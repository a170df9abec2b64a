package io.widerow.storage;

import java.util.Arrays;

/// Prints neighbouring lines of one template column by column: first how long each line becomes,
/// then what each column has for all of them.
///
/// ```
///             GET  /index.html  200          cursors
///   line 0    GET  /index.html  ......... <- 0
///   line 1    GET  /about       .........      <- 1      the second column was put; the third
///   line 2    POST /login       .........      <- 2      begins where the cursors stand
/// ```
///
/// Line by line, a line's every piece is loaded from another place, and so many places do not stay
/// in the processor's nearest cache where readers take turns, as in a merge; here a column's texts
/// are loaded one behind the other, several at once, since none waits for the one before it.
///
/// - Threads: one.
final class LineRun {
  /// Lines that one run has at most.
  static final int LINES_MAX = 256;

  /// Lines from which on it is worth a run.
  static final int LINES_MIN = 16;

  /// Bytes between two lines: what is put may overwrite seven behind it.
  static final int GAP = Long.BYTES;

  private long[] lengths = new long[0];
  private int[] cursors = new int[0];
  private int lines;

  long heldBytes() {
    return (long) Long.BYTES * lengths.length + (long) Integer.BYTES * cursors.length;
  }

  /// Begins with so many lines, each of which has so many bytes that never vary.
  void begin(int newLines, long constantBytes) {
    lines = newLines;
    if (lengths.length == 0) {
      lengths = new long[LINES_MAX];
      cursors = new int[LINES_MAX];
    }
    Arrays.fill(lengths, 0, lines, constantBytes);
  }

  /// Adds what the texts from `first` on are long.
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

  /// How many bytes all lines take, with the gaps.
  long bytes() {
    long bytes = 0;
    for (int i = 0; i < lines; i++) {
      bytes += lengths[i] + GAP;
    }
    return bytes;
  }

  /// Lays the lines out one behind the other, from `at` on, as the texts of `out` from `line` on,
  /// and returns the offset behind them. They fit into an array.
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

  /// Puts the same bytes into every line.
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

  /// Puts the texts from `first` on, one into each line.
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
