package io.widerow.ingest.intake;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: equal bodies have equal digests, at any offset, and different bodies have different ones;
/// stores that remember digests find them again. Method: comparison with the same sums in big
/// integers; bodies that differ in one bit, in two words that change places, or in zeros at their
/// end; a digest that never changes.
public class BodyDigestTest {
  private static final BigInteger TWO_64 = BigInteger.ONE.shiftLeft(64);
  private static final BigInteger TWO_128 = BigInteger.ONE.shiftLeft(128);

  private static byte[] random(int seed, int bytes) {
    byte[] random = new byte[bytes];
    new Random(seed).nextBytes(random);
    return random;
  }

  private static BigInteger word(byte[] littleEndian, int from) {
    byte[] bytes = new byte[Long.BYTES];
    for (int i = 0; i < Long.BYTES; i++) {
      bytes[Long.BYTES - 1 - i] = littleEndian[from + i];
    }
    return new BigInteger(1, bytes);
  }

  private static MessageDigest sha() throws GeneralSecurityException {
    return MessageDigest.getInstance("SHA-256");
  }

  private static byte[] reference(byte[] secret, byte[] body) throws GeneralSecurityException {
    ByteBuffer keys = ByteBuffer.allocate(33 * 32);
    for (int i = 0; i < 33; i++) {
      MessageDigest each = sha();
      each.update((byte) i);
      keys.put(each.digest(secret));
    }
    MessageDigest all = sha();
    for (int at = 0; at < body.length; at += 1_024) {
      byte[] piece = Arrays.copyOfRange(body, at, Math.min(body.length, at + 1_024));
      byte[] padded = Arrays.copyOf(piece, (piece.length + 15) / 16 * 16);
      for (int pass = 0; pass < 2; pass++) {
        BigInteger sum = BigInteger.ZERO;
        for (int word = 0; word < padded.length; word += 16) {
          int key = word + 16 * pass;
          BigInteger even = word(padded, word).add(word(keys.array(), key)).mod(TWO_64);
          BigInteger odd = word(padded, word + 8).add(word(keys.array(), key + 8)).mod(TWO_64);
          sum = sum.add(even.multiply(odd)).mod(TWO_128);
        }
        for (int i = 0; i < 16; i++) {
          all.update(sum.shiftRight(8 * i).byteValue());
        }
      }
    }
    return all.digest(ByteBuffer.allocate(Long.BYTES).putLong(body.length).array());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 7, 8, 15, 16, 17, 300, 1_023, 1_024, 1_025, 2_048, 5_000, 100_001})
  void itIsWhatBigIntegersSay(int bytes) throws GeneralSecurityException {
    for (int seed = 0; seed < 10; seed++) {
      byte[] secret = random(seed, 32);
      byte[] body = random(seed + 100, bytes);
      byte[] around = new byte[bytes + 11];
      System.arraycopy(body, 0, around, 5, bytes);
      Arrays.fill(around, 5 + bytes, around.length, (byte) seed);
      byte[] digest = new BodyDigest(secret).of(around, 5, bytes);
      assertArrayEquals(reference(secret, body), digest);
    }
  }

  @Test
  void sumsThatGoBeyond64BitsCarry() throws GeneralSecurityException {
    byte[] body = new byte[4_096];
    Arrays.fill(body, (byte) 0xff);
    byte[] secret = new byte[32];
    assertArrayEquals(reference(secret, body), new BodyDigest(secret).of(body, 0, body.length));
  }

  @Test
  void otherBodiesHaveOtherDigests() {
    BodyDigest digests = new BodyDigest(random(1, 32));
    Set<String> found = new HashSet<>();
    int made = 0;
    byte[] body = random(2, 1_100);
    for (int bit = 0; bit < 8 * body.length; bit++) {
      body[bit / 8] ^= (byte) (1 << bit % 8);
      assertTrue(found.add(HexFormat.of().formatHex(digests.of(body, 0, body.length))));
      body[bit / 8] ^= (byte) (1 << bit % 8);
      made++;
    }
    byte[] zeros = new byte[3_000];
    for (int length = 0; length <= zeros.length; length++) {
      assertTrue(found.add(HexFormat.of().formatHex(digests.of(zeros, 0, length))));
      made++;
    }
    byte[] swapped = random(3, 2_048);
    for (int from = 0; from < swapped.length; from += 8) {
      byte[] other = swapped.clone();
      System.arraycopy(swapped, 0, other, from, 8);
      System.arraycopy(swapped, from, other, 0, 8);
      found.add(HexFormat.of().formatHex(digests.of(other, 0, other.length)));
      made++;
    }
    assertEquals(made, found.size());
    assertTrue(
        found.add(HexFormat.of().formatHex(new BodyDigest(random(4, 32)).of(zeros, 0, 1))),
        "under another secret");
  }

  @Test
  void aStoreFindsItsDigestsAgain() {
    byte[] body = "{\"type\":\"a\",\"body\":\"GET /\"}\n".repeat(100).getBytes(US_ASCII);
    assertEquals(
        "24d2818ca47de533a3a3afdb15dc73c222fa1e6294779735b4d25cb27d6507c2",
        HexFormat.of().formatHex(new BodyDigest(new byte[32]).of(body, 0, body.length)));
  }
}
