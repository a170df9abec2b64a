package io.widerow.ingest.intake;

import java.io.IOException;
import java.io.InputStream;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/// Unpacks a whole gzip body of one or more members (RFC 1952). Unlike
/// [java.util.zip.GZIPInputStream], which ends at the first bytes that are no member, it fails when
/// anything follows the last whole member: otherwise what was sent there would be lost.
///
/// ```
///   body:   member member ... member
///   member: 1f 8b 08 flags mtime(4) xfl os [extra] [name 0] [comment 0] [crc16] deflate crc32 size
/// ```
///
/// - Threads: one.
/// - Memory: holds native memory of the inflater until [#close].
public final class GzipMembers extends InputStream {
  private static final int HEADER_BYTES = 10;
  private static final int TRAILER_BYTES = 8;
  private static final int DEFLATE = 8;
  private static final int FLAG_HEADER_CRC = 2;
  private static final int FLAG_EXTRA = 4;
  private static final int FLAG_NAME = 8;
  private static final int FLAG_COMMENT = 16;
  private static final int FLAGS_RESERVED = 0xe0;

  private final byte[] bytes;
  private final int limit;
  private final boolean empty; // there must be a member
  private final Inflater inflater = new Inflater(true);
  private final CRC32 crc = new CRC32();
  private int at; // the next header, or the start of the deflated bytes
  private boolean inMember;

  /// @param bytes the body, in `[0, limit)`
  public GzipMembers(byte[] bytes, int limit) {
    this(bytes, 0, limit);
  }

  /// @param bytes the members, in `[offset, limit)`
  public GzipMembers(byte[] bytes, int offset, int limit) {
    this.bytes = bytes;
    this.at = offset;
    this.limit = limit;
    this.empty = offset == limit;
  }

  @Override
  public int read() {
    throw new UnsupportedOperationException("a byte at a time is not needed");
  }

  @Override
  public int read(byte[] out, int offset, int length) throws IOException {
    try {
      while (inMember || at < limit || empty) {
        if (!inMember) {
          begin();
        }
        int count = inflater.inflate(out, offset, length);
        if (count > 0) {
          crc.update(out, offset, count);
          return count;
        }
        if (inflater.finished()) {
          end();
        } else if (inflater.needsInput() || inflater.needsDictionary()) {
          throw new IOException("cut at byte " + limit);
        }
      }
      return -1;
    } catch (DataFormatException bad) {
      throw new IOException(bad);
    }
  }

  private void begin() throws IOException {
    int start = at;
    skip(HEADER_BYTES);
    int flags = unsigned(start + 3);
    if (u16(start) != 0x8b1f || unsigned(start + 2) != DEFLATE || (flags & FLAGS_RESERVED) != 0) {
      throw new IOException("no member of gzip at byte " + start);
    }
    if ((flags & FLAG_EXTRA) != 0) {
      skip(Short.BYTES);
      skip(u16(at - Short.BYTES));
    }
    if ((flags & FLAG_NAME) != 0) {
      skipText();
    }
    if ((flags & FLAG_COMMENT) != 0) {
      skipText();
    }
    if ((flags & FLAG_HEADER_CRC) != 0) {
      crc.reset();
      crc.update(bytes, start, at - start);
      skip(Short.BYTES);
      require(u16(at - Short.BYTES) == (crc.getValue() & 0xffff), start);
    }
    crc.reset();
    inflater.reset();
    inflater.setInput(bytes, at, limit - at);
    inMember = true;
  }

  private void end() throws IOException {
    int start = at;
    skip(Math.toIntExact(inflater.getBytesRead()));
    skip(TRAILER_BYTES);
    require(u32(at - TRAILER_BYTES) == crc.getValue(), start);
    require(u32(at - Integer.BYTES) == (inflater.getBytesWritten() & 0xffff_ffffL), start);
    inMember = false;
  }

  private static void require(boolean equal, int start) throws IOException {
    if (!equal) {
      throw new IOException("the member at byte %d does not have its checksum".formatted(start));
    }
  }

  private void skip(int count) throws IOException {
    if (count > limit - at) {
      throw new IOException("cut at byte " + limit);
    }
    at += count;
  }

  private void skipText() throws IOException {
    do {
      skip(1);
    } while (bytes[at - 1] != 0);
  }

  private int unsigned(int index) {
    return Byte.toUnsignedInt(bytes[index]);
  }

  private int u16(int index) {
    return unsigned(index) | unsigned(index + 1) << 8;
  }

  private long u32(int index) {
    return u16(index) | (long) u16(index + 2) << 16;
  }

  @Override
  public void close() {
    inflater.end();
  }
}
