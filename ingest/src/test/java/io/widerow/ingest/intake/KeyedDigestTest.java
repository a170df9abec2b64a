package io.widerow.ingest.intake;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Random;
import java.util.Set;
import javax.crypto.Cipher;
import javax.crypto.spec.ChaCha20ParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: equal bodies have equal digests, at any offset and with any JDK, and different bodies have
/// different ones. Method: comparison with Poly1305 written down from RFC 8439 in big integers;
/// bodies that differ in one bit or one byte.
public class KeyedDigestTest {
  private static final BigInteger PRIME =
      BigInteger.ONE.shiftLeft(130).subtract(BigInteger.valueOf(5));
  private static final BigInteger CLAMP = new BigInteger("0ffffffc0ffffffc0ffffffc0fffffff", 16);

  private static byte[] secret(int seed) {
    byte[] secret = new byte[32];
    new Random(seed).nextBytes(secret);
    return secret;
  }

  private static BigInteger number(byte[] littleEndian, int from, int to) {
    byte[] bytes = new byte[to - from];
    for (int i = 0; i < bytes.length; i++) {
      bytes[bytes.length - 1 - i] = littleEndian[from + i];
    }
    return new BigInteger(1, bytes);
  }

  /// RFC 8439, 2.5, 2.6 and 2.8: the tag of additional data alone, under a nonce of zeros.
  private static byte[] reference(byte[] secret, byte[] body) throws GeneralSecurityException {
    Cipher stream = Cipher.getInstance("ChaCha20");
    stream.init(
        Cipher.ENCRYPT_MODE,
        new SecretKeySpec(secret, "ChaCha20"),
        new ChaCha20ParameterSpec(new byte[12], 0));
    byte[] once = stream.doFinal(new byte[32]);
    BigInteger multiplier = number(once, 0, 16).and(CLAMP);
    int padded = (body.length + 15) / 16 * 16;
    byte[] message = Arrays.copyOf(body, padded + 16);
    for (int i = 0; i < Long.BYTES; i++) {
      message[padded + i] = (byte) ((long) body.length >>> (Byte.SIZE * i));
    }
    BigInteger sum = BigInteger.ZERO;
    for (int at = 0; at < message.length; at += 16) {
      BigInteger block = number(message, at, at + 16).setBit(128);
      sum = sum.add(block).multiply(multiplier).mod(PRIME);
    }
    sum = sum.add(number(once, 16, 32));
    byte[] tag = new byte[16];
    for (int i = 0; i < tag.length; i++) {
      tag[i] = sum.shiftRight(Byte.SIZE * i).byteValue();
    }
    return tag;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 15, 16, 17, 4_095, 4_096, 4_097, 8_192, 100_003})
  void theDigestIsPoly1305OfTheStandard(int length) throws GeneralSecurityException {
    var random = new Random(length);
    byte[] around = new byte[length + 40];
    random.nextBytes(around);
    byte[] body = Arrays.copyOfRange(around, 13, 13 + length);
    byte[] expected = reference(secret(1), body);
    assertArrayEquals(expected, new KeyedDigest(secret(1)).of(body, 0, length));
    assertArrayEquals(expected, new KeyedDigest(secret(1)).of(around, 13, length));
  }

  /// Keys outlive restarts, so this digest must never change.
  @Test
  void aKnownBodyHasAKnownDigest() {
    byte[] secret = new byte[32];
    byte[] body = {1, 2, 3};
    assertEquals(
        "07a89426f77fab80403bcd619887c94a",
        HexFormat.of().formatHex(new KeyedDigest(secret).of(body, 0, body.length)));
  }

  @Test
  void differentBodiesHaveDifferentDigests() {
    var digests = new KeyedDigest(secret(2));
    byte[] body = new byte[5_000];
    new Random(3).nextBytes(body);
    Set<String> seen = new HashSet<>();
    int bodies = 0;
    for (int bit = 0; bit < body.length * Byte.SIZE; bit += 7) {
      body[bit / Byte.SIZE] ^= (byte) (1 << (bit % Byte.SIZE));
      seen.add(HexFormat.of().formatHex(digests.of(body, 0, body.length)));
      body[bit / Byte.SIZE] ^= (byte) (1 << (bit % Byte.SIZE));
      bodies++;
    }
    byte[] zeros = new byte[100];
    for (int length = 0; length <= zeros.length; length++) {
      seen.add(HexFormat.of().formatHex(digests.of(zeros, 0, length)));
      bodies++;
    }
    seen.add(HexFormat.of().formatHex(new KeyedDigest(secret(4)).of(zeros, 0, zeros.length)));
    assertEquals(bodies + 1, seen.size());
  }
}
