package io.widerow.storage.codec;

import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import io.widerow.storage.StorageException;
import org.jspecify.annotations.Nullable;

/// Decompresses what a [BlockCompressor] wrote.
///
/// - Threads: one.
/// - Memory: owns a native context from the first use until [#close]: small blocks compress
///   nothing, and a query over thousands of types has as many readers open.
public final class BlockDecompressor implements AutoCloseable {
  /// Approximate size of zstd's native context.
  private static final long CONTEXT_BYTES = 128 << 10;

  private @Nullable ZstdDecompressCtx context;

  /// Reads `stored` bytes from `in` and decompresses them to exactly `raw` bytes of `out`.
  public void decompress(ByteSource in, int stored, byte[] out, int outOffset, int raw) {
    StorageException.Corrupt unreadable = null;
    int start = in.skip(stored, "compressed bytes");
    int bytes = 0;
    ZstdDecompressCtx used = context;
    if (used == null) {
      used = new ZstdDecompressCtx();
      context = used;
    }
    try {
      bytes = used.decompressByteArray(out, outOffset, raw, in.bytes(), start, stored);
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

  /// Approximate memory held.
  public long heldBytes() {
    return context == null ? 0 : CONTEXT_BYTES;
  }

  @Override
  public void close() {
    ZstdDecompressCtx used = context;
    if (used != null) {
      used.close();
      context = null;
    }
  }
}
