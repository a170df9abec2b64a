package io.widerow.ingest.http;

import java.io.IOException;
import java.io.InputStream;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/// Unpacks a body of `Content-Encoding: deflate`: zlib (RFC 1950), as HTTP says, or the raw format
/// without its header (RFC 1951), as some clients send it. Fails when the body is cut, or when
/// anything follows.
///
/// - Threads: one.
/// - Memory: holds native memory of the inflater until [#close].
final class DeflateBody extends InputStream {
  private static final int METHOD_MASK = 0xf;
  private static final int METHOD_DEFLATE = 8;
  private static final int CHECK = 31;

  private final int limit;
  private final Inflater inflater;

  /// @param bytes the body, in `[0, limit)`
  DeflateBody(byte[] bytes, int limit) {
    this.limit = limit;
    boolean zlib = limit >= 2 && isZlib(bytes[0] & 0xff, bytes[1] & 0xff);
    inflater = new Inflater(!zlib);
    inflater.setInput(bytes, 0, limit);
  }

  /// Whether two bytes can begin zlib's format.
  static boolean isZlib(int first, int second) {
    return (first & METHOD_MASK) == METHOD_DEFLATE && ((first << Byte.SIZE) | second) % CHECK == 0;
  }

  @Override
  public int read() {
    throw new UnsupportedOperationException("a byte at a time is not needed");
  }

  @Override
  public int read(byte[] out, int offset, int length) throws IOException {
    try {
      int count = inflater.inflate(out, offset, length);
      if (count > 0) {
        return count;
      }
      if (!inflater.finished()) {
        throw new IOException("cut at byte " + limit);
      }
      if (inflater.getRemaining() > 0) {
        throw new IOException("%d bytes follow".formatted(inflater.getRemaining()));
      }
      return -1;
    } catch (DataFormatException bad) {
      throw new IOException(bad);
    }
  }

  @Override
  public void close() {
    inflater.end();
  }
}
