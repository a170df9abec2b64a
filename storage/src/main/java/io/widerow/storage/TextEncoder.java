package io.widerow.storage;

/// Writes a column of texts: as pieces, see [PieceEncoder], or as templates and what varies in
/// them, see [TemplateEncoder].
///
/// - Threads: one.
final class TextEncoder {
  private static final int LINES_MIN = 32;
  private static final int LINE_BYTES_MIN = 12;

  private final LongEncoder longs;
  private final PieceEncoder pieces;
  private final TemplateEncoder templates;
  private final PieceEncoder.SymbolWriter plain;

  TextEncoder(LongEncoder longs, BlockCompressor compressor, TokenSet tokens) {
    this.longs = longs;
    this.pieces = new PieceEncoder(longs, tokens, compressor.thorough());
    this.templates = new TemplateEncoder(longs, pieces, tokens, compressor);
    this.plain = (symbols, count, _, out) -> this.longs.encode(symbols, count, out);
  }

  /// @param lines true when templates may be tried
  void encode(TextSlices texts, boolean lines, ByteSink numbers, ByteSink text) {
    if (lines
        && texts.count >= LINES_MIN
        && texts.totalBytes() >= (long) LINE_BYTES_MIN * texts.count
        && !pieces.mostlyRepeats(texts)
        && templates.encode(texts, numbers, text)) {
      return;
    }
    pieces.encode(texts, plain, numbers, text);
  }
}
