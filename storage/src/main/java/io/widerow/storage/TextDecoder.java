package io.widerow.storage;

/// Reads what a [TextEncoder] wrote.
///
/// - Threads: one.
final class TextDecoder {
  private final LongDecoder longs;
  private final PieceDecoder pieces;

  TextDecoder(LongDecoder longs) {
    this.longs = longs;
    this.pieces = new PieceDecoder(longs);
  }

  void decode(ByteSource in, ByteSource text, int count, TextSlices out) {
    int code = in.readByte();
    pieces.decode(
        code,
        in,
        (source, symbols, symbolCount, size) -> longs.decode(source, symbolCount, symbols),
        text,
        count,
        out);
  }
}
