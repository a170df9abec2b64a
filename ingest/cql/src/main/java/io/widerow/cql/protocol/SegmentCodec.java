package io.widerow.cql.protocol;

import io.netty.buffer.ByteBuf;
import io.widerow.cql.CqlException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/// Segments of version 5, with checksums of their headers and payloads.
///
/// ```
///   plain   17 bits length | 1 bit whole frames | 6 bits 0                          3 bytes
///   lz4     17 bits length | 17 bits length of the content, 0: not packed | 1 bit   5 bytes
/// ```
///
/// - Threads: one, the event loop of the connection.
final class SegmentCodec {
  static final int PAYLOAD_BYTES_MAX = (1 << 17) - 1;

  private static final int LENGTH_BITS = 17;
  private static final int PLAIN_HEADER_BYTES = 3;
  private static final int LZ4_HEADER_BYTES = 5;
  private static final int CRC24_BYTES = 3;
  private static final int CRC32_BYTES = 4;
  private static final int CRC24_START = 0x875060;
  private static final int CRC24_POLYNOMIAL = 0x1974F0B;
  private static final byte[] CRC32_START = {(byte) 0xfa, 0x2d, 0x55, (byte) 0xca};

  private final @Nullable Lz4 lz4;
  private final int headerBytes;

  /// @param lz4 null for payloads that are not compressed
  SegmentCodec(@Nullable Lz4 lz4) {
    this.lz4 = lz4;
    this.headerBytes = lz4 == null ? PLAIN_HEADER_BYTES : LZ4_HEADER_BYTES;
  }

  /// Reads a segment, when it is there as a whole.
  ///
  /// @return its payload, which the caller releases; null when bytes are missing
  /// @throws CqlException when a checksum is wrong: nothing that follows can be read
  @Nullable ByteBuf read(ByteBuf in) {
    int start = in.readerIndex();
    if (in.readableBytes() < headerBytes + CRC24_BYTES) {
      return null;
    }
    long header = littleEndian(in, start, headerBytes);
    int given = (int) littleEndian(in, start + headerBytes, CRC24_BYTES);
    int crc = crc24(header, headerBytes);
    if (given != crc) {
      throw CqlException.protocol(
          "Read corrupt header. Its CRC24 is %06x, of its bytes it is %06x".formatted(given, crc));
    }
    int length = (int) header & PAYLOAD_BYTES_MAX;
    int payload = start + headerBytes + CRC24_BYTES;
    if (in.writerIndex() - payload < length + CRC32_BYTES) {
      return null;
    }
    requireSound(in, payload, length);
    in.readerIndex(payload + length + CRC32_BYTES);
    Lz4 compressed = lz4;
    int plain = compressed == null ? 0 : (int) (header >>> LENGTH_BITS) & PAYLOAD_BYTES_MAX;
    return plain == 0 || compressed == null
        ? in.retainedSlice(payload, length)
        : compressed.decompress(in.slice(payload, length), plain);
  }

  private static void requireSound(ByteBuf in, int payload, int length) {
    int given = (int) littleEndian(in, payload + length, CRC32_BYTES);
    int crc = crc32(in, payload, length);
    if (given != crc) {
      throw CqlException.protocol(
          "Read corrupt payload. Its CRC32 is %08x, of its bytes it is %08x".formatted(given, crc));
    }
  }

  /// Writes one segment.
  ///
  /// @param payload at most [#PAYLOAD_BYTES_MAX] bytes
  /// @param whole whether these are whole frames
  void write(ByteBuf payload, boolean whole, ByteBuf out) {
    int length = payload.readableBytes();
    Lz4 compressing = lz4;
    ByteBuf packed = compressing == null ? null : compressing.compress(payload);
    ByteBuf sent = payload;
    int plain = 0; // not compressed
    if (packed != null && packed.readableBytes() < length) {
      sent = packed;
      plain = length;
    }
    long header = sent.readableBytes();
    if (lz4 != null) {
      header |= (long) plain << LENGTH_BITS;
    }
    header |= whole ? 1L << (lz4 == null ? LENGTH_BITS : 2 * LENGTH_BITS) : 0;
    putLittleEndian(header, headerBytes, out);
    putLittleEndian(crc24(header, headerBytes), CRC24_BYTES, out);
    int crc = crc32(sent, sent.readerIndex(), sent.readableBytes());
    out.writeBytes(sent, sent.readerIndex(), sent.readableBytes());
    putLittleEndian(crc, CRC32_BYTES, out);
    if (packed != null) {
      packed.release();
    }
  }

  /// The most bytes of a segment with a payload of this length.
  static int bytesMax(int payload) {
    return LZ4_HEADER_BYTES + CRC24_BYTES + payload + CRC32_BYTES;
  }

  private static long littleEndian(ByteBuf in, int at, int bytes) {
    long value = 0;
    for (int i = bytes - 1; i >= 0; i--) {
      value = (value << Byte.SIZE) | in.getUnsignedByte(at + i);
    }
    return value;
  }

  private static void putLittleEndian(long value, int bytes, ByteBuf out) {
    for (int i = 0; i < bytes; i++) {
      out.writeByte((int) (value >>> (i * Byte.SIZE)));
    }
  }

  private static int crc24(long header, int bytes) {
    int crc = CRC24_START;
    for (int i = 0; i < bytes; i++) {
      crc ^= (int) (header >>> (i * Byte.SIZE) & 0xff) << 16;
      for (int bit = 0; bit < Byte.SIZE; bit++) {
        crc <<= 1;
        crc ^= (crc & 1 << 24) != 0 ? CRC24_POLYNOMIAL : 0;
      }
    }
    return crc;
  }

  private static int crc32(ByteBuf in, int at, int length) {
    CRC32 crc = new CRC32();
    crc.update(CRC32_START);
    for (ByteBuffer part : in.nioBuffers(at, length)) {
      crc.update(part);
    }
    return (int) crc.getValue();
  }
}
