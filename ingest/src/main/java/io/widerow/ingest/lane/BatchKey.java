package io.widerow.ingest.lane;

import io.widerow.ingest.decode.Sha256;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/// Identifies a batch and its repeats: 128 bits of a SHA-256 digest. The digest must withstand
/// attacks: with a weaker hash, an attacker whose text is logged could craft a batch that passes
/// for the repeat of another batch.
public record BatchKey(long high, long low) {
  private static final byte NAMED = 1;
  private static final byte BODY = 2;
  private static final byte PART = 3;

  /// The key that the sender gave.
  public static BatchKey ofName(String principal, String endpoint, String idempotencyKey) {
    return of(NAMED, principal, endpoint, idempotencyKey.getBytes(StandardCharsets.UTF_8));
  }

  /// The key of a batch whose events carry their own times.
  ///
  /// @param body the digest of its body
  public static BatchKey ofBody(String principal, String endpoint, byte[] body) {
    return of(BODY, principal, endpoint, body);
  }

  /// The key of a part that is stored separately. Finding the key of one part proves nothing about
  /// the other parts.
  BatchKey part(int number) {
    MessageDigest digest = start(PART);
    ByteBuffer bits = ByteBuffer.allocate(2 * Long.BYTES + Integer.BYTES);
    digest.update(bits.putLong(high).putLong(low).putInt(number).flip());
    return finish(digest);
  }

  /// The 16 bytes of the key.
  byte[] bytes() {
    return ByteBuffer.allocate(2 * Long.BYTES).putLong(high).putLong(low).array();
  }

  private static BatchKey of(byte kind, String principal, String endpoint, byte[] rest) {
    MessageDigest digest = start(kind, principal, endpoint);
    digest.update(rest);
    return finish(digest);
  }

  private static MessageDigest start(byte kind, String principal, String endpoint) {
    MessageDigest digest = start(kind);
    updateCounted(digest, principal);
    updateCounted(digest, endpoint);
    return digest;
  }

  private static MessageDigest start(byte kind) {
    MessageDigest digest = Sha256.start();
    digest.update(kind);
    return digest;
  }

  private static void updateCounted(MessageDigest digest, String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, utf8.length));
    digest.update(utf8);
  }

  private static BatchKey finish(MessageDigest digest) {
    ByteBuffer bits = ByteBuffer.wrap(digest.digest());
    return new BatchKey(bits.getLong(), bits.getLong());
  }
}
