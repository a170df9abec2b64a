package io.widerow.storage;

/// Reads what a [TextEncoder] wrote.
///
/// - Threads: one.
final class TextDecoder {
  private final LongDecoder longs;
  private final PieceDecoder pieces;
  private final TemplateDecoder templates;

  TextDecoder(LongDecoder longs) {
    this.longs = longs;
    this.pieces = new PieceDecoder(longs);
    this.templates = new TemplateDecoder(longs, pieces);
  }

  void decode(ByteSource in, ByteSource text, int count, TextSlices out) {
    int code = in.readByte();
    if (code == PieceFormat.TEMPLATE) {
      templates.decode(in, text, count, out);
      return;
    }
    pieces.decode(
        code,
        in,
        (source, symbols, symbolCount, size) -> longs.decode(source, symbolCount, symbols),
        text,
        count,
        out);
  }
}
