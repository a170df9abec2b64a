package io.widerow.ingest.decode;

/// The byte order mark of UTF-8 (`EF BB BF`), which some programs write at the start of a file. It
/// is no part of a line.
public final class ByteOrderMark {
  private ByteOrderMark() {}

  /// The offset after the mark at `offset`, or `offset` when there is none.
  public static int skip(byte[] bytes, int offset, int limit) {
    return offset + 3 <= limit
            && bytes[offset] == (byte) 0xef
            && bytes[offset + 1] == (byte) 0xbb
            && bytes[offset + 2] == (byte) 0xbf
        ? offset + 3
        : offset;
  }
}
