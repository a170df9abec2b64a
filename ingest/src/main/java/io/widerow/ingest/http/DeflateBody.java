package io.widerow.ingest.http;

import java.io.IOException;
import java.io.InputStream;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/// Unpacks a body of `Content-Encoding: deflate`, as it arrives: zlib (RFC 1950), as HTTP says, or
/// the raw format without its header (RFC 1951), as some clients send it. Fails when the body is
/// cut, or when anything follows.
///
/// - Threads: one.
/// - Memory: holds native memory of the inflater from the first byte until [#close].
final class DeflateBody extends InputStream {
  private static final int PIECE_BYTES = 8 << 10;
  private static final int METHOD_MASK = 0xf;
  private static final int METHOD_DEFLATE = 8;
  private static final int CHECK = 31;

  private final InputStream in;
  private final byte[] piece = new byte[PIECE_BYTES];
  private int limit; // of the piece
  private long before; // bytes of the body before the piece
  private @Nullable Inflater inflater; // once the first two bytes are there

  /// @param in the body, which is not closed
  DeflateBody(InputStream in) {
    this.in = in;
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
    Inflater from = inflater == null ? begin() : inflater;
    try {
      while (true) {
        int count = from.inflate(out, offset, length);
        if (count > 0) {
          return count;
        }
        if (from.finished()) {
          if (from.getRemaining() > 0 || fill(0)) {
            throw new IOException("something follows before byte " + (before + limit));
          }
          return -1;
        }
        if (from.needsDictionary() || !fill(0)) {
          throw new IOException("cut at byte " + (before + limit));
        }
        from.setInput(piece, 0, limit);
      }
    } catch (DataFormatException bad) {
      throw new IOException(bad);
    }
  }

  private Inflater begin() throws IOException {
    int count = fill(0) ? limit : 0;
    while (count == 1 && fill(count)) {
      count = limit;
    }
    boolean zlib = limit >= 2 && isZlib(piece[0] & 0xff, piece[1] & 0xff);
    Inflater begun = new Inflater(!zlib);
    begun.setInput(piece, 0, limit);
    inflater = begun;
    return begun;
  }

  /// Reads the next piece after the first bytes of this one; false at the end of the body.
  private boolean fill(int kept) throws IOException {
    int count = in.read(piece, kept, PIECE_BYTES - kept);
    if (kept == 0) {
      before += limit;
      limit = 0;
    }
    limit += Math.max(0, count);
    return count > 0;
  }

  @Override
  public void close() {
    if (inflater != null) {
      inflater.end();
    }
  }
}
