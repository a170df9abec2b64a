package io.widerow.cli.ship;

import com.github.luben.zstd.ZstdInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;

/// The compression of a file, by its first bytes.
enum Packing {
  NONE,
  GZIP,
  ZSTD;

  static final int MAGIC_BYTES = 4;

  private static final int BUFFER_BYTES = 64 << 10;

  /// @param first the first bytes, `count` of them
  static Packing of(byte[] first, int count) {
    if (count >= 3 && first[0] == 0x1f && first[1] == (byte) 0x8b && first[2] == 8) {
      return GZIP;
    }
    boolean zstd =
        count >= 4
            && first[0] == 0x28
            && first[1] == (byte) 0xb5
            && first[2] == 0x2f
            && first[3] == (byte) 0xfd;
    return zstd ? ZSTD : NONE;
  }

  /// The uncompressed bytes. A file may have several members or frames.
  InputStream unpack(InputStream packed) throws IOException {
    return switch (this) {
      case NONE -> packed;
      case GZIP -> new GZIPInputStream(packed, BUFFER_BYTES);
      case ZSTD -> new ZstdInputStream(packed);
    };
  }
}
