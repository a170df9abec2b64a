package io.widerow.ingest;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/// SHA-256, which every JDK has.
final class Sha256 {
  private Sha256() {}

  /// A new digest of nothing yet.
  static MessageDigest start() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }
}
