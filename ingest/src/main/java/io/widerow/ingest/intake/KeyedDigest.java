package io.widerow.ingest.intake;

import java.security.GeneralSecurityException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/// 128-bit digests of bodies under a secret: Poly1305, which a processor with AVX-512 (IFMA)
/// computes seven times as fast as SHA-256. Two bodies of up to `n` bytes have the same digest for
/// at most `(n + 32) / 2^107` of all secrets (Bernstein, "The Poly1305-AES message-authentication
/// code", 2005, theorem 3.3, plus one block for the length). Without the secret nobody can find
/// such a pair.
///
/// This holds only while digests stay private: two digests under one secret reveal it. They go into
/// a [BatchKey], which is a SHA-256, and nowhere else. A cipher that encrypts needs a new nonce for
/// each message. Here equal bodies must have equal digests, so the nonce is constant. A `Cipher`
/// refuses to use a nonce twice, so each digest has a new one.
///
/// - Threads: any.
public final class KeyedDigest implements BodyDigest {
  /// Small steps, because the JIT compiles the intrinsic after many calls, not after many bytes.
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
      return cipher.doFinal(); // nothing is encrypted: the result is the tag alone
    } catch (GeneralSecurityException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }
}
