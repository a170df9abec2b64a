package io.widerow.storage.codec;

import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import io.widerow.storage.StorageException;

/// Decompresses what a [BlockCompressor] wrote.
///
/// - Threads: one.
/// - Memory: owns a native context until [#close].
public final class BlockDecompressor implements AutoCloseable {
  private final ZstdDecompressCtx context = new ZstdDecompressCtx();

  /// Reads `stored` bytes from `in` and decompresses them to exactly `raw` bytes of `out`.
  public void decompress(ByteSource in, int stored, byte[] out, int outOffset, int raw) {
    StorageException.Corrupt unreadable = null;
    int start = in.skip(stored, "compressed bytes");
    int bytes = 0;
    try {
      bytes = context.decompressByteArray(out, outOffset, raw, in.bytes(), start, stored);
    } catch (ZstdException refused) {
      unreadable = in.corrupt("zstd: " + refused.getMessage());
    }
    if (unreadable != null) {
      throw unreadable;
    }
    if (bytes != raw) {
      throw in.corrupt("%d bytes compressed, %d expected".formatted(bytes, raw));
    }
  }

  @Override
  public void close() {
    context.close();
  }
}
