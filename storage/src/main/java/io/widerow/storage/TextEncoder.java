package io.widerow.storage;

/// Writes a column of texts: as pieces, see [PieceEncoder], or as templates and what varies in
/// them.
///
/// - Threads: one.
final class TextEncoder {
  private final PieceEncoder pieces;
  private final LongEncoder longs;

  TextEncoder(LongEncoder longs, BlockCompressor compressor) {
    this.longs = longs;
    this.pieces = new PieceEncoder(longs);
    assert !compressor.thorough() || compressor.thorough() : "used by templates";
  }

  void encode(TextSlices texts, boolean lines, ByteSink numbers, ByteSink text) {
    pieces.encode(
        texts, (symbols, count, size, out) -> longs.encode(symbols, count, out), numbers, text);
  }
}
