package io.widerow.cql.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.widerow.cql.CqlException;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;

/// LZ4 blocks, whose lengths come from outside of them.
///
/// - Threads: any.
final class Lz4 {
  static final String NAME = "lz4";

  private static final LZ4Factory FACTORY = LZ4Factory.safeInstance();

  private final LZ4Compressor compressor = FACTORY.fastCompressor();
  private final LZ4SafeDecompressor decompressor = FACTORY.safeDecompressor();

  /// The block of what can be read of a buffer, which stays as it is.
  ByteBuf compress(ByteBuf plain) {
    byte[] bytes = ByteBufUtil.getBytes(plain);
    byte[] out = new byte[compressor.maxCompressedLength(bytes.length)];
    int length = compressor.compress(bytes, 0, bytes.length, out, 0, out.length);
    return Unpooled.wrappedBuffer(out, 0, length);
  }

  /// @param length of the uncompressed contents of the block
  /// @throws CqlException when the contents have another length
  ByteBuf decompress(ByteBuf block, int length) {
    byte[] bytes = ByteBufUtil.getBytes(block);
    byte[] out = new byte[length];
    int found;
    try {
      found = decompressor.decompress(bytes, 0, bytes.length, out, 0);
    } catch (LZ4Exception broken) {
      throw CqlException.protocol(
          "the bytes are no block of LZ4: %s".formatted(broken.getMessage()));
    }
    if (found != length) {
      throw CqlException.protocol("a block of LZ4 has %d bytes, not %d".formatted(found, length));
    }
    return Unpooled.wrappedBuffer(out);
  }
}
