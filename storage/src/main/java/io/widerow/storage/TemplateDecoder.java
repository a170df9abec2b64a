package io.widerow.storage;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Reads what a [TemplateEncoder] wrote, and puts the lines together again.
///
/// - Threads: one.
final class TemplateDecoder {
  private final LongDecoder longs;
  private final PieceDecoder pieces;
  private final FollowDecoder follow;
  private final List<TextSlices> slices = new ArrayList<>();
  private long[] codes = new long[0];
  private int[] firsts = new int[1]; // by template: its first piece; one more piece than variables
  private int[] pieceOffsets = new int[16]; // constant part before the variable
  private int[] pieceBytes = new int[16];
  private int[] pieceColumns = new int[16]; // NONE behind the last
  private int[] uses = new int[0];
  private int[] positions = new int[0]; // by column: its next text
  private int[] lastLines = new int[0]; // by column: the line that it was last used for
  private int pieceCount;

  private static final int NONE = -1;

  TemplateDecoder(LongDecoder longs, PieceDecoder pieces) {
    this.longs = longs;
    this.pieces = pieces;
    this.follow = new FollowDecoder(longs);
  }

  void decode(ByteSource in, ByteSource text, int count, TextSlices out) {
    int templates = in.readCount(1, Math.min(count, Templates.TEMPLATES_MAX + 1), "templates");
    int columns = in.readCount(0, in.left(), "columns");
    readTemplates(in, text, templates, columns);
    codes = LongDecoder.room(codes, count);
    longs.decode(in, count, codes, 0, templates - 1L, "template");
    countUses(in, templates, columns, count);
    while (slices.size() < columns) {
      slices.add(new TextSlices());
    }
    follow.clear();
    for (int column = 0; column < columns; column++) {
      if (uses[column] == 0) {
        throw in.corrupt("column %d of no line".formatted(column));
      }
      follow.begin();
      pieces.decode(in.readByte(), in, follow, text, uses[column], slices.get(column));
    }
    print(in, text.bytes(), columns, count, out);
  }

  private void readTemplates(ByteSource in, ByteSource text, int templates, int columns) {
    pieceCount = 0;
    if (firsts.length <= templates) {
      firsts = new int[2 * templates + 1];
    }
    for (int i = 0; i < templates; i++) {
      firsts[i] = pieceCount;
      int variables = in.readCount(0, TemplateEncoder.TEMPLATE_VARIABLES_MAX, "variables");
      for (int k = 0; k <= variables; k++) {
        if (pieceCount == pieceBytes.length) {
          pieceOffsets = Arrays.copyOf(pieceOffsets, 2 * pieceCount);
          pieceBytes = Arrays.copyOf(pieceBytes, 2 * pieceCount);
          pieceColumns = Arrays.copyOf(pieceColumns, 2 * pieceCount);
        }
        int bytes = in.readCount(0, text.left(), "constant part");
        pieceBytes[pieceCount] = bytes;
        pieceOffsets[pieceCount] = text.skip(bytes, "constant part");
        pieceColumns[pieceCount++] = k < variables ? in.readCount(0, columns - 1, "column") : NONE;
      }
    }
    firsts[templates] = pieceCount;
  }

  /// Counts the lines that have each column. A column that a line shows twice counts once.
  private void countUses(ByteSource in, int templates, int columns, int count) {
    if (uses.length < columns) {
      uses = new int[2 * columns];
      positions = new int[2 * columns];
      lastLines = new int[2 * columns];
    }
    Arrays.fill(uses, 0, columns, 0);
    int[] linesOf = new int[templates];
    for (int i = 0; i < count; i++) {
      linesOf[(int) codes[i]]++;
    }
    Arrays.fill(lastLines, 0, columns, NONE);
    long total = 0;
    for (int template = 0; template < templates; template++) {
      for (int piece = firsts[template]; piece < firsts[template + 1]; piece++) {
        int column = pieceColumns[piece];
        if (column != NONE && lastLines[column] != template) {
          lastLines[column] = template;
          uses[column] += linesOf[template];
          total += linesOf[template];
        }
      }
    }
    if (total > TemplateEncoder.VARIABLES_MAX + (long) count) {
      throw in.corrupt("%d variables in %d lines".formatted(total, count));
    }
  }

  private void print(ByteSource in, byte[] constants, int columns, int count, TextSlices out) {
    out.room(count);
    out.count = count;
    long total = 0;
    Arrays.fill(positions, 0, columns, NONE);
    Arrays.fill(lastLines, 0, columns, NONE);
    for (int line = 0; line < count; line++) {
      long bytes = 0;
      for (int piece = firsts[(int) codes[line]]; pieceColumns[piece] != NONE; piece++) {
        int column = pieceColumns[piece];
        if (lastLines[column] != line) {
          lastLines[column] = line;
          positions[column]++;
        }
        bytes += pieceBytes[piece] + slices.get(column).lengths[positions[column]];
      }
      bytes += pieceBytes[firsts[(int) codes[line] + 1] - 1];
      total += bytes;
      if (total > SegmentFormat.BLOCK_BYTES_MAX) {
        throw in.corrupt("lines of more than %d bytes".formatted(total));
      }
      out.lengths[line] = (int) bytes;
    }
    out.printRoom((int) total);
    Arrays.fill(positions, 0, columns, NONE);
    Arrays.fill(lastLines, 0, columns, NONE);
    int at = 0;
    for (int line = 0; line < count; line++) {
      out.offsets[line] = at;
      at = printLine(constants, line, out.bytes, at);
    }
    assert at == total : at + " of " + total;
  }

  private int printLine(byte[] constants, int line, byte[] target, int start) {
    int at = start;
    int piece = firsts[(int) codes[line]];
    while (true) {
      System.arraycopy(constants, pieceOffsets[piece], target, at, pieceBytes[piece]);
      at += pieceBytes[piece];
      int column = pieceColumns[piece++];
      if (column == NONE) {
        return at;
      }
      if (lastLines[column] != line) {
        lastLines[column] = line;
        positions[column]++;
      }
      TextSlices texts = slices.get(column);
      int position = positions[column];
      System.arraycopy(texts.bytes, texts.offsets[position], target, at, texts.lengths[position]);
      at += texts.lengths[position];
    }
  }
}
