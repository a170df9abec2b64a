package io.widerow.storage.text;

import io.widerow.storage.codec.BlockCompressor;
import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.codec.ColumnFlags;
import io.widerow.storage.codec.LongEncoder;
import io.widerow.storage.codec.Series;
import org.jspecify.annotations.Nullable;

/// The encoder of a column of texts: as pieces, see [PieceEncoder], or as templates and their
/// variables, see [TemplateEncoder].
///
/// - Threads: one.
public final class TextEncoder {
  private static final int LINES_MIN = 32;
  private static final int LINE_BYTES_MIN = 12;

  private final LongEncoder longs;
  private final PieceEncoder pieces;
  private final TemplateEncoder templates;
  private final PieceEncoder.SymbolWriter plain;
  private @Nullable Series series;
  private boolean usedSeries;
  private boolean leftBare;

  public TextEncoder(LongEncoder longs, BlockCompressor compressor, TokenSet tokens) {
    this.longs = longs;
    this.pieces = new PieceEncoder(longs, tokens, compressor.thorough());
    this.templates = new TemplateEncoder(longs, pieces, tokens, compressor);
    this.plain = this::putSymbols;
  }

  private void putSymbols(long[] symbols, int count, int form, int size, ByteSink out) {
    usedSeries |= longs.encode(symbols, count, series, out);
  }

  /// @param lines true when templates may be tried
  /// @param newSeries that follow these texts; null when there are none
  /// @param times of their events; null when none may follow from them
  /// @return flags for the directory: [ColumnFlags#FOLLOWS], [ColumnFlags#TIMED]
  public int encode(
      TextSlices texts,
      boolean lines,
      @Nullable Series newSeries,
      @Nullable EventTimes times,
      ByteSink numbers,
      ByteSink text) {
    series = newSeries;
    usedSeries = false;
    leftBare = false;
    boolean areLines =
        lines
            && texts.count >= LINES_MIN
            && texts.totalBytes() >= (long) LINE_BYTES_MIN * texts.count;
    if (areLines && pieces.mostlyRepeats(texts)) {
      pieces.encodeRepeats(texts, plain, numbers, text);
      return usedSeries ? ColumnFlags.FOLLOWS : 0;
    }
    if (areLines && templates.encode(texts, times, numbers, text)) {
      leftBare = templates.leftBare();
      return templates.usedTimes() ? ColumnFlags.TIMED : 0;
    }
    pieces.encode(texts, plain, numbers, text);
    return usedSeries ? ColumnFlags.FOLLOWS : 0;
  }

  /// Forgets the earlier blocks: later blocks do not depend on them.
  public void renew() {
    templates.renew();
  }

  /// True when the column written last has numbers that should be compressed together.
  public boolean leftBare() {
    return leftBare;
  }
}
