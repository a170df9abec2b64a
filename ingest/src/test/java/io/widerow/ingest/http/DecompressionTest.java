package io.widerow.ingest.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import io.widerow.ingest.intake.Body;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: a compressed body is unpacked whole or refused; no part of it is dropped silently. Method:
/// bodies of several parts, as `cat a.gz b.gz` makes them, with each byte changed and each cut.
class DecompressionTest {
  private static final byte[] FIRST = "first\n".repeat(20).getBytes(StandardCharsets.UTF_8);
  private static final byte[] SECOND = "second\n".repeat(20).getBytes(StandardCharsets.UTF_8);

  private static byte[] gzip(byte[] plain) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(plain);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return out.toByteArray();
  }

  private static byte[] pack(String encoding, byte[] plain) {
    return encoding.equals("gzip") ? gzip(plain) : checked(plain);
  }

  /// A frame of zstd with a checksum, as the command `zstd` writes it.
  private static byte[] checked(byte[] plain) {
    try (ZstdCompressCtx context = new ZstdCompressCtx()) {
      return context.setChecksum(true).compress(plain);
    }
  }

  private static byte[] join(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }

  private static byte[] unpack(String encoding, byte[] packed) throws RequestRefused {
    Body body = Body.take();
    int at = body.reserve(packed.length); // before bytes(): it may replace the array
    System.arraycopy(packed, 0, body.bytes(), at, packed.length);
    body.wrote(packed.length);
    try {
      Body plain = Decompression.unpack(body, encoding, 1 << 24, 100, _ -> {});
      byte[] bytes = Arrays.copyOf(plain.bytes(), plain.length());
      plain.give();
      return bytes;
    } finally {
      body.give();
    }
  }

  private static void assertRefused(String encoding, byte[] packed, String what) {
    RequestRefused told =
        assertThrows(RequestRefused.class, () -> unpack(encoding, packed), () -> what);
    assertEquals(400, told.status().code(), what);
  }

  @ParameterizedTest
  @ValueSource(strings = {"gzip", "zstd"})
  void allPartsAreUnpacked(String encoding) throws RequestRefused {
    byte[] packed = join(pack(encoding, FIRST), pack(encoding, new byte[0]));
    byte[] both = join(packed, pack(encoding, SECOND));
    assertArrayEquals(join(FIRST, SECOND), unpack(encoding, both));
    byte[] large = new byte[3 << 20];
    for (int i = 0; i < large.length; i++) {
      large[i] = (byte) ((i * 31) >> (i % 7));
    }
    assertArrayEquals(large, unpack(encoding, pack(encoding, large)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"gzip", "zstd"})
  void aCutOrFollowedBodyIsRefused(String encoding) {
    byte[] first = pack(encoding, FIRST);
    byte[] all = join(first, pack(encoding, SECOND));
    for (int length = 1; length < all.length; length++) {
      if (length != first.length) { // a whole part is a whole body
        assertRefused(encoding, Arrays.copyOf(all, length), "cut at " + length);
      }
    }
    for (int more = 1; more < 30; more++) {
      assertRefused(encoding, Arrays.copyOf(all, all.length + more), more + " zeros follow");
      byte[] noise = Arrays.copyOf(all, all.length + more);
      Arrays.fill(noise, all.length, noise.length, (byte) 'x');
      assertRefused(encoding, noise, more + " bytes of noise follow");
    }
  }

  /// Bytes of the header that say only where a file came from may change.
  @ParameterizedTest
  @ValueSource(strings = {"gzip", "zstd"})
  void aDamagedSecondPartIsNeverDropped(String encoding) {
    byte[] first = pack(encoding, FIRST);
    byte[] all = join(first, pack(encoding, SECOND));
    byte[] whole = join(FIRST, SECOND);
    for (int at = first.length; at < all.length; at++) {
      for (int bit = 0; bit < 8; bit++) {
        byte[] damaged = all.clone();
        damaged[at] ^= (byte) (1 << bit);
        try {
          byte[] plain = unpack(encoding, damaged);
          assertArrayEquals(whole, plain, "byte %d, bit %d".formatted(at, bit));
        } catch (RequestRefused told) {
          assertEquals(400, told.status().code());
        }
      }
    }
  }

  static List<byte[]> headers() {
    byte[] plain = gzip(FIRST);
    byte[] rest = Arrays.copyOfRange(plain, 10, plain.length);
    byte[] named = join(header(8), "name\0".getBytes(StandardCharsets.US_ASCII));
    byte[] full =
        join(
            header(2 | 4 | 8 | 16),
            new byte[] {3, 0, 1, 2, 3},
            "n\0c\0".getBytes(StandardCharsets.US_ASCII));
    CRC32 crc = new CRC32();
    crc.update(full);
    byte[] sum = {(byte) crc.getValue(), (byte) (crc.getValue() >> 8)};
    return List.of(join(named, rest), join(full, sum, rest));
  }

  private static byte[] header(int flags) {
    return new byte[] {0x1f, (byte) 0x8b, 8, (byte) flags, 1, 2, 3, 4, 0, 3};
  }

  @ParameterizedTest
  @MethodSource("headers")
  void everyFieldOfAHeaderIsRead(byte[] packed) throws RequestRefused, IOException {
    try (GZIPInputStream theirs = new GZIPInputStream(new ByteArrayInputStream(packed))) {
      assertArrayEquals(FIRST, theirs.readAllBytes());
    }
    assertArrayEquals(FIRST, unpack("gzip", packed));
    assertArrayEquals(join(FIRST, FIRST), unpack("gzip", join(packed, packed)));
  }

  @Test
  void aFrameThatIsSkippedIsNoDamage() throws RequestRefused {
    byte[] skipped = {0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 1, 2};
    byte[] plain = unpack("zstd", join(skipped, Zstd.compress(FIRST)));
    assertTrue(Arrays.equals(FIRST, plain), "a skippable frame of zstd comes first");
  }
}
