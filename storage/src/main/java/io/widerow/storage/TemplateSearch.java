package io.widerow.storage;

import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/// Finds the lines of a block that may contain a text, and puts none of them together: the text is
/// looked for once in each constant part, and once in each different variable.
///
/// ```
///   template    GET /| item |?from=| page | HTTP/1.1
///   in a constant part, or over one of its edges     all lines of the template
///   in a variable                                    the lines that show it
/// ```
///
/// A line may be found that does not contain the text, never the other way round. Variables are not
/// side by side, or else all lines of their template are found.
///
/// - Threads: one.
/// - Memory: a bit for each line, and for each variable of a column in which the text was.
final class TemplateSearch {
  private final TemplateDecoder block;
  private final int templates;
  private final boolean[] all; // by template: each of its lines may have it
  private final int[] firsts; // by template: its first piece among `pieces`
  private int[] pieces = new int[16]; // that show a column in which the text was
  private int pieceCount;

  TemplateSearch(TemplateDecoder block, int templates) {
    this.block = block;
    this.templates = templates;
    this.all = new boolean[templates];
    this.firsts = new int[templates + 1];
  }

  /// Adds the lines that may contain `needle`. False when that cannot be told from their parts.
  boolean search(Needle needle, BitSet found) {
    if (needle.isLikeNumber()) {
      return false; // numbers are not printed here
    }
    @Nullable BitSet[] columns = new @Nullable BitSet[block.columns];
    boolean any = false;
    for (int column = 0; column < columns.length; column++) {
      BitSet shows = shows(needle, block.slices[column]);
      columns[column] = shows;
      any |= shows != null;
    }
    for (int template = 0; template < templates; template++) {
      any |= look(needle, template, columns);
    }
    firsts[templates] = pieceCount;
    if (any) {
      collect(columns, found);
    }
    return true;
  }

  /// Which texts of a column have it; null when none has.
  private static @Nullable BitSet shows(Needle needle, TextSlices texts) {
    BitSet shows = new BitSet();
    if (texts.form == PieceFormat.RAW) {
      texts.search(needle, shows);
    } else if (texts.form == PieceFormat.NUMBER_OR
        && needle.isIn(texts.bytes, texts.otherOffset, texts.detail)) {
      for (int i = 0; i < texts.count; i++) {
        shows.set(i, texts.numbers[i] == 0);
      }
    }
    return shows.isEmpty() ? null : shows;
  }

  /// Looks at the constant parts of a template, and notes its pieces that matter.
  private boolean look(Needle needle, int template, @Nullable BitSet[] columns) {
    firsts[template] = pieceCount;
    int first = block.firsts[template];
    int limit = block.firsts[template + 1];
    for (int piece = first; piece < limit; piece++) {
      all[template] |= isIn(needle, piece, piece > first, piece < limit - 1);
      if (piece < limit - 1 && columns[block.pieceColumns[piece]] != null) {
        if (pieceCount == pieces.length) {
          pieces = Arrays.copyOf(pieces, 2 * pieceCount);
        }
        pieces[pieceCount++] = piece;
      }
    }
    return all[template];
  }

  private boolean isIn(Needle needle, int piece, boolean before, boolean after) {
    int offset = block.pieceOffsets[piece];
    int bytes = block.pieceBytes[piece];
    if (bytes == 0) {
      return before && after && needle.length() > 1;
    }
    return needle.isIn(block.constants, offset, bytes)
        || needle.laps(block.constants, offset, bytes, before, after);
  }

  private void collect(@Nullable BitSet[] columns, BitSet found) {
    int[] positions = new int[columns.length];
    for (int line = 0; line < block.count; line++) {
      int template = (int) block.codes[line];
      boolean has = all[template];
      for (int i = firsts[template]; i < firsts[template + 1]; i++) {
        int column = block.pieceColumns[pieces[i]];
        int position = block.pieceFresh[pieces[i]] ? positions[column]++ : positions[column] - 1;
        BitSet shows = columns[column];
        has |= shows != null && shows.get(position);
      }
      if (has) {
        found.set(line);
      }
    }
  }
}
