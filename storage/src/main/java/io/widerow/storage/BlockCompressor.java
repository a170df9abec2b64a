package io.widerow.storage;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;

/// Compresses pieces of a block with zstd, each by itself.
///
/// - Threads: one.
/// - Memory: owns a native context until [#close].
final class BlockCompressor implements AutoCloseable {
  /// From this level on an encoder tries every encoding and keeps the smallest result.
  private static final int THOROUGH_LEVEL = 6;

  private final ZstdCompressCtx context = new ZstdCompressCtx();
  private final boolean thorough;

  BlockCompressor(int level) {
    this.thorough = level >= THOROUGH_LEVEL;
    context.setLevel(level);
    context.setContentSize(false);
  }

  boolean thorough() {
    return thorough;
  }

  /// Puts the compressed bytes into `out` and returns how many they are.
  int compress(byte[] source, int offset, int length, ByteSink out) {
    int bound = Math.toIntExact(Zstd.compressBound(length));
    byte[] target = out.reserve(bound);
    int bytes = context.compressByteArray(target, out.length(), bound, source, offset, length);
    out.advance(bytes);
    return bytes;
  }

  @Override
  public void close() {
    context.close();
  }
}
