package io.widerow.ingest.transform;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// The digest that replaces a value: the first 128 bits of HMAC-SHA-256 over its bytes, in 32
/// hexadecimal digits. Equal values have equal digests, in whatever attribute they are; without the
/// key values cannot be guessed by trial.
///
/// - Threads: one.
final class KeyedHash {
  static final int HEX = 32;

  private static final byte[] DIGITS = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
  private static final String ALGORITHM = "HmacSHA256";

  private final Mac mac;
  private final byte[] digest;
  private final byte[] hex = new byte[HEX];

  KeyedHash(byte[] key) {
    try {
      mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key, ALGORITHM));
      digest = new byte[mac.getMacLength()];
    } catch (GeneralSecurityException missing) {
      throw new IllegalStateException("every Java has " + ALGORITHM, missing);
    }
  }

  /// The digits, in an array that the next call overwrites.
  byte[] of(byte[] value) {
    try {
      mac.update(value);
      mac.doFinal(digest, 0);
    } catch (GeneralSecurityException unforeseen) {
      throw new IllegalStateException("the array is long enough", unforeseen);
    }
    for (int i = 0; i < HEX / 2; i++) {
      hex[2 * i] = DIGITS[digest[i] >> 4 & 15];
      hex[2 * i + 1] = DIGITS[digest[i] & 15];
    }
    return hex;
  }
}
