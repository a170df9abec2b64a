package io.widerow.ingest.decode;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/// SHA-256, which every JDK has.
public final class Sha256 {
  private Sha256() {}

  /// A new digest of nothing yet.
  public static MessageDigest start() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }
}
