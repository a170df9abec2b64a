package io.widerow.cli.ship;

import io.widerow.ingest.decode.Utf16Text;
import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/// A stream of UTF-16 as UTF-8.
///
/// - Threads: one.
final class Utf16Stream extends FilterInputStream {
  private static final int BUFFER_BYTES = 64 << 10;

  private final boolean big;
  private final byte[] raw = new byte[BUFFER_BYTES];
  private int rawLength;
  private final byte[] utf8 = new byte[Utf16Text.utf8Bytes(BUFFER_BYTES)];
  private int at;
  private int limit;

  private Utf16Stream(InputStream in, boolean big) {
    super(in);
    this.big = big;
  }

  /// The stream as UTF-8, if it begins with the mark of UTF-16; else as it is.
  static InputStream of(InputStream plain) throws IOException {
    BufferedInputStream in = new BufferedInputStream(plain, BUFFER_BYTES);
    in.mark(2);
    byte[] first = in.readNBytes(2);
    in.reset();
    return Utf16Text.isMarked(first, first.length)
        ? new Utf16Stream(in, Utf16Text.isBigEndian(first))
        : in;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    while (at == limit) {
      int read = in.read(raw, rawLength, raw.length - rawLength);
      if (read < 0 && rawLength == 0) {
        return -1;
      }
      rawLength += Math.max(0, read);
      at = 0;
      limit = Utf16Text.toUtf8(raw, rawLength, big, utf8);
      int used = Utf16Text.rawBytes(utf8, limit);
      if (read < 0 && used == 0) { // half a character at the end: as its bytes
        System.arraycopy(raw, 0, utf8, 0, rawLength);
        limit = rawLength;
        used = rawLength;
      }
      System.arraycopy(raw, used, raw, 0, rawLength - used);
      rawLength -= used;
    }
    int count = Math.min(length, limit - at);
    System.arraycopy(utf8, at, into, offset, count);
    at += count;
    return count;
  }
}
