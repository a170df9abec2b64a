package io.widerow.storage.embedded;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;

/// What a store's owner knows and its clients do not: a SHA-256 of its id, which has 122 random
/// bits and is in its files; no answer to a client has it. It needs no file of its own, which could
/// be lost, and is in each copy.
final class StoreSecret {
  private static final byte[] PURPOSE = "Widerow secret".getBytes(StandardCharsets.US_ASCII);

  private StoreSecret() {}

  static byte[] of(UUID storeId) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(PURPOSE);
      digest.update(
          ByteBuffer.allocate(2 * Long.BYTES)
              .putLong(storeId.getMostSignificantBits())
              .putLong(storeId.getLeastSignificantBits())
              .flip());
      return digest.digest();
    } catch (NoSuchAlgorithmException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }
}
