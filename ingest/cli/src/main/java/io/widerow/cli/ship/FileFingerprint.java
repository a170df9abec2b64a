package io.widerow.cli.ship;

import io.widerow.ingest.decode.Sha256;
import java.security.MessageDigest;
import java.util.HexFormat;

/// The first bytes of a file, by which it is known again where its inode is used for another one,
/// or another inode has its copy.
///
/// @param bytes how many, up to [#BYTES_MAX]
/// @param digest 32 hex digits
record FileFingerprint(int bytes, String digest) {
  static final int BYTES_MAX = 1_024;
  static final FileFingerprint EMPTY = of(new byte[0], 0);

  private static final int DIGEST_CHARS = 32;

  FileFingerprint {
    if (bytes < 0 || bytes > BYTES_MAX || !digest.matches("[0-9a-f]{32}")) {
      throw new IllegalArgumentException("no fingerprint: " + bytes + " " + digest);
    }
  }

  /// @param count of the first bytes, [#BYTES_MAX] at most
  static FileFingerprint of(byte[] first, int count) {
    MessageDigest digest = Sha256.start();
    digest.update(first, 0, count);
    String hex = HexFormat.of().formatHex(digest.digest());
    return new FileFingerprint(count, hex.substring(0, DIGEST_CHARS));
  }
}
