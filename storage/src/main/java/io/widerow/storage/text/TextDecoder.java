package io.widerow.storage.text;

import io.widerow.storage.codec.ByteSource;
import io.widerow.storage.codec.LongDecoder;
import io.widerow.storage.codec.Needle;
import io.widerow.storage.codec.Series;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/// The decoder of texts that a [TextEncoder] wrote.
///
/// - Threads: one.
public final class TextDecoder {
  private final LongDecoder longs;
  private final PieceDecoder pieces;
  private final TemplateDecoder templates;
  private final PieceDecoder.SymbolReader plain;
  private final LineCodes distinct = new LineCodes();
  private @Nullable Series series;
  private boolean lines;
  private boolean tried; // to make a dictionary of these lines
  private int form;

  /// @param text reads the texts of a column
  public TextDecoder(LongDecoder longs, ByteSource text) {
    this.longs = longs;
    this.pieces = new PieceDecoder(longs);
    this.templates = new TemplateDecoder(longs, pieces, text);
    this.plain =
        (source, symbols, count, _, _) -> this.longs.decode(source, count, symbols, series);
  }

  /// Fills `out`. Texts made of templates are filled only by [#show].
  ///
  /// @param newSeries of these texts; null when there are none
  /// @param times of their events; null when no text is derived from them
  public void decode(
      ByteSource in,
      ByteSource text,
      int count,
      @Nullable Series newSeries,
      @Nullable EventTimes times,
      TextSlices out) {
    series = newSeries;
    int code = in.readByte();
    form = code;
    lines = code == PieceFormat.TEMPLATE;
    tried = false;
    if (lines) {
      templates.decode(in, text, count, times, out);
      return;
    }
    pieces.decode(code, in, plain, text, count, out);
    if (out.form > PieceFormat.RAW) {
      if (out.printDistinct(distinct)) {
        form = PieceFormat.DICTIONARY;
      } else {
        out.print();
      }
    }
  }

  /// Adds the texts that contain `needle`, and perhaps a few that do not.
  ///
  /// @param out filled by [#decode]
  public void search(Needle needle, TextSlices out, BitSet found) {
    if (lines) {
      templates.search(needle, found);
    } else {
      out.search(needle, found);
    }
  }

  /// A number for each text; equal numbers mean equal texts. Null when there are none.
  ///
  /// @param out filled by [#decode]
  public long @Nullable [] codes(TextSlices out) {
    return lines ? null : pieces.codes(form, out);
  }

  /// Turns texts made of templates into a dictionary where they repeat; other texts stay as they
  /// are.
  ///
  /// @param out filled by [#decode]
  /// @return true when all texts of `out` were replaced
  public boolean toDictionary(TextSlices out) {
    if (!lines || tried || !templates.toDictionary(out)) {
      tried = true;
      return false;
    }
    lines = false;
    form = PieceFormat.DICTIONARY;
    return true;
  }

  /// How many codes [#codes] may have, each the number of a slice of `out`; 0 when that is unknown.
  ///
  /// @param out filled by [#decode]
  public int codeCount(TextSlices out) {
    return switch (form) {
      case PieceFormat.CONSTANT -> 1;
      case PieceFormat.DICTIONARY -> out.form == PieceFormat.DICTIONARY ? out.size : 0;
      default -> 0;
    };
  }

  /// True when the texts are made of templates.
  public boolean isLines() {
    return lines;
  }

  public long heldBytes() {
    return templates.heldBytes();
  }

  /// Makes sure that a text is in `out`. True when other texts were replaced for it.
  public boolean show(int index, TextSlices out) {
    return lines && templates.show(index, out);
  }
}
