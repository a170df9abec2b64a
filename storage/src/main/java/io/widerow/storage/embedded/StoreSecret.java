package io.widerow.storage.embedded;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;

/// Secret of a store's owner, unknown to clients: a SHA-256 of the store's id, which has 122 random
/// bits. The id is in the store's files and in no answer to a client. So the secret needs no file
/// of its own that could be lost, and every copy of the store has it.
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
