package io.widerow.ingest;

import java.security.GeneralSecurityException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/// Digests of bodies in 128 bits, under a secret: Poly1305, which a processor with AVX-512 (IFMA)
/// computes seven times as fast as SHA-256. Two bodies of up to `n` bytes have the same digest for
/// at most `(n + 32) / 2^107` of all secrets (Bernstein, "The Poly1305-AES message-authentication
/// code", 2005, theorem 3.3, one more block for the length), so nobody who does not know the secret
/// can make such a pair.
///
/// That holds for digests which nobody sees: two that are told under one secret give it away. So
/// they go into a [BatchKey], which is a SHA-256, and nowhere else. Where a cipher is used as a
/// cipher each message has a nonce of its own; here equal bodies must have equal digests, so the
/// nonce is always the same, and a new cipher is made for each: one refuses to use a nonce twice.
///
/// - Threads: any.
final class KeyedDigest implements BodyDigest {
  /// The JIT takes the processor's instructions after so many calls, not after so many bytes.
  private static final int STEP_BYTES = 4 << 10;

  private static final String ALGORITHM = "ChaCha20-Poly1305";
  private static final IvParameterSpec NONCE = new IvParameterSpec(new byte[12]);

  private final SecretKey key;

  /// @param secret 32 bytes
  KeyedDigest(byte[] secret) {
    key = new SecretKeySpec(secret, ALGORITHM);
  }

  @Override
  public byte[] of(byte[] body, int offset, int length) {
    try {
      Cipher cipher = Cipher.getInstance(ALGORITHM);
      cipher.init(Cipher.ENCRYPT_MODE, key, NONCE);
      for (int at = 0; at < length; at += STEP_BYTES) {
        cipher.updateAAD(body, offset + at, Math.min(STEP_BYTES, length - at));
      }
      return cipher.doFinal(); // nothing is encrypted: the tag is all
    } catch (GeneralSecurityException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }
}
