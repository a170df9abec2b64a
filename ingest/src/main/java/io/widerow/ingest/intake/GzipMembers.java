package io.widerow.ingest.intake;

import java.io.IOException;
import java.io.InputStream;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/// Unpacks a gzip body of one or more members (RFC 1952), as it arrives. Unlike
/// [java.util.zip.GZIPInputStream], which ends at the first bytes that are no member, it fails when
/// anything follows the last whole member: otherwise the bytes after it would be lost.
///
/// ```
///   body:   member member ... member
///   member: 1f 8b 08 flags mtime(4) xfl os [extra] [name 0] [comment 0] [crc16] deflate crc32 size
/// ```
///
/// - Threads: one.
/// - Memory: holds native memory of the inflater until [#close].
public final class GzipMembers extends InputStream {
  private static final int PIECE_BYTES = 8 << 10;
  private static final int DEFLATE = 8;
  private static final int FLAG_HEADER_CRC = 2;
  private static final int FLAG_EXTRA = 4;
  private static final int FLAG_NAME = 8;
  private static final int FLAG_COMMENT = 16;
  private static final int FLAGS_RESERVED = 0xe0;

  private final InputStream in;
  private final Inflater inflater = new Inflater(true);
  private final CRC32 crc = new CRC32(); // of a header, then of the bytes of its member
  private final byte[] piece = new byte[PIECE_BYTES];
  private int at; // in the piece
  private int limit;
  private long before; // bytes of the body before the piece
  private long start; // of the member
  private boolean inMember;
  private boolean any; // member, so far

  /// @param in the body, which is not closed
  public GzipMembers(InputStream in) {
    this.in = in;
  }

  @Override
  public int read() {
    throw new UnsupportedOperationException("a byte at a time is not needed");
  }

  @Override
  public int read(byte[] out, int offset, int length) throws IOException {
    try {
      while (true) {
        if (!inMember && !begin()) {
          return -1;
        }
        int count = inflater.inflate(out, offset, length);
        if (count > 0) {
          crc.update(out, offset, count);
          return count;
        }
        if (inflater.finished()) {
          end();
        } else if (inflater.needsDictionary() || !fill()) {
          throw cut();
        } else {
          inflater.setInput(piece, at, limit - at);
        }
      }
    } catch (DataFormatException bad) {
      throw new IOException(bad);
    }
  }

  /// Reads the header of the next member; false when the body has ended before it.
  private boolean begin() throws IOException {
    if (at == limit && !fill()) {
      if (any) {
        return false;
      }
      throw cut(); // not even one member
    }
    any = true;
    start = before + at;
    crc.reset();
    boolean magic = next() == 0x1f && next() == 0x8b && next() == DEFLATE;
    int flags = magic ? next() : FLAGS_RESERVED;
    if ((flags & FLAGS_RESERVED) != 0) {
      throw new IOException("no member of gzip at byte " + start);
    }
    skip(6);
    if ((flags & FLAG_EXTRA) != 0) {
      skip(u16());
    }
    if ((flags & FLAG_NAME) != 0) {
      skipText();
    }
    if ((flags & FLAG_COMMENT) != 0) {
      skipText();
    }
    if ((flags & FLAG_HEADER_CRC) != 0) {
      int sum = (int) crc.getValue() & 0xffff;
      require(u16() == sum);
    }
    crc.reset();
    inflater.reset();
    inflater.setInput(piece, at, limit - at);
    inMember = true;
    return true;
  }

  private void end() throws IOException {
    at = limit - inflater.getRemaining();
    long sum = crc.getValue();
    require(u32() == sum);
    require(u32() == (inflater.getBytesWritten() & 0xffff_ffffL));
    inMember = false;
  }

  private void require(boolean equal) throws IOException {
    if (!equal) {
      throw new IOException("the member at byte %d does not have its checksum".formatted(start));
    }
  }

  private IOException cut() {
    return new IOException("cut at byte " + (before + limit));
  }

  private boolean fill() throws IOException {
    before += limit;
    at = 0;
    limit = Math.max(0, in.read(piece, 0, PIECE_BYTES));
    return limit > 0;
  }

  private int next() throws IOException {
    if (at == limit && !fill()) {
      throw cut();
    }
    crc.update(piece[at]);
    return Byte.toUnsignedInt(piece[at++]);
  }

  private void skip(int count) throws IOException {
    for (int left = count; left > 0; left--) {
      int _ = next();
    }
  }

  private void skipText() throws IOException {
    int next;
    do {
      next = next();
    } while (next != 0);
  }

  private int u16() throws IOException {
    return next() | next() << 8;
  }

  private long u32() throws IOException {
    return u16() | (long) u16() << 16;
  }

  @Override
  public void close() {
    inflater.end();
  }
}
