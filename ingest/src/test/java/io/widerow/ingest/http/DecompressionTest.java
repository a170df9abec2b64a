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
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import java.util.zip.DeflaterInputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
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

  private static byte[] pack(BodyCoding coding, byte[] plain) {
    return coding == BodyCoding.GZIP ? gzip(plain) : checked(plain);
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

  private static byte[] unpack(BodyCoding coding, byte[] packed) throws RequestRefused {
    Body body = Body.take();
    int at = body.reserve(packed.length); // before bytes(): it may replace the array
    System.arraycopy(packed, 0, body.bytes(), at, packed.length);
    body.wrote(packed.length);
    Body plain = Decompression.unpack(body, List.of(coding), 1 << 24, 100, _ -> {});
    byte[] bytes = Arrays.copyOf(plain.bytes(), plain.length());
    plain.give();
    return bytes;
  }

  private static byte[] deflate(byte[] plain, boolean raw) {
    Deflater deflater = new Deflater(Deflater.DEFAULT_COMPRESSION, raw);
    try (InputStream in = new DeflaterInputStream(new ByteArrayInputStream(plain), deflater)) {
      return in.readAllBytes();
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    } finally {
      deflater.end();
    }
  }

  /// HTTP's deflate is zlib; some clients send it without its header.
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void deflateIsWholeOrRefused(boolean raw) throws RequestRefused {
    byte[] packed = deflate(FIRST, raw);
    assertArrayEquals(FIRST, unpack(BodyCoding.DEFLATE, packed));
    for (int length = 0; length < packed.length; length++) {
      assertRefused(BodyCoding.DEFLATE, Arrays.copyOf(packed, length), "cut at " + length);
    }
    assertRefused(BodyCoding.DEFLATE, join(packed, new byte[1]), "a byte follows");
  }

  @Test
  void theFirstBytesSayHowABodyIsPacked() throws RequestRefused {
    for (byte[] packed : List.of(FIRST, gzip(FIRST), deflate(FIRST, false))) {
      assertArrayEquals(FIRST, unpack(BodyCoding.BY_SIGHT, packed));
    }
  }

  @Test
  void snappyIsWholeOrRefused() throws RequestRefused {
    byte[] packed = {12, 8, 'a', 'b', 'c', 0x15, 3, 0x01, 3}; // abc, 9 from 3 back, 4 from 3 back
    packed[0] = 3 + 9 + 4;
    assertArrayEquals(
        "abcabcabcabcabca".getBytes(StandardCharsets.US_ASCII), unpack(BodyCoding.SNAPPY, packed));
    for (int length = 0; length < packed.length; length++) {
      assertRefused(BodyCoding.SNAPPY, Arrays.copyOf(packed, length), "cut at " + length);
    }
  }

  @Test
  void aSnappyBlockThatSaysItIsLargerThanItCanBeIsRefusedBeforeMemoryIsTaken() {
    byte[] packed = {-1, -1, -1, 7, 0, 'a'};
    long[] claimed = {0};
    Body body = Body.take();
    System.arraycopy(packed, 0, body.bytes(), body.reserve(packed.length), packed.length);
    body.wrote(packed.length);
    RequestRefused told =
        assertThrows(
            RequestRefused.class,
            () ->
                Decompression.unpack(
                    body, List.of(BodyCoding.SNAPPY), 1 << 24, 100, bytes -> claimed[0] += bytes));
    assertEquals(400, told.status().code());
    assertEquals(0, claimed[0]);
  }

  @Test
  void aMessageOfGrpcSaysWhetherItIsPacked() throws RequestRefused {
    for (int flag = 0; flag < 2; flag++) {
      byte[] message = flag == 0 ? FIRST : gzip(FIRST);
      byte[] prefix = {(byte) flag, 0, 0, 0, (byte) message.length};
      byte[] packed = join(prefix, message);
      Body body = Body.take();
      System.arraycopy(packed, 0, body.bytes(), body.reserve(packed.length), packed.length);
      body.wrote(packed.length);
      List<BodyCoding> codings = List.of(BodyCoding.GRPC, BodyCoding.GZIP);
      Body plain = Decompression.unpack(body, codings, 1 << 24, 100, _ -> {});
      assertArrayEquals(FIRST, Arrays.copyOf(plain.bytes(), plain.length()));
      plain.give();
      assertRefused(BodyCoding.GRPC, Arrays.copyOf(packed, packed.length - 1), "cut");
      assertRefused(BodyCoding.GRPC, join(packed, new byte[1]), "a byte follows");
    }
    assertRefused(BodyCoding.GRPC, new byte[] {2, 0, 0, 0, 0}, "another flag");
  }

  private static void assertRefused(BodyCoding coding, byte[] packed, String what) {
    RequestRefused told =
        assertThrows(RequestRefused.class, () -> unpack(coding, packed), () -> what);
    assertEquals(400, told.status().code(), what);
  }

  @ParameterizedTest
  @EnumSource(names = {"GZIP", "ZSTD"})
  void allPartsAreUnpacked(BodyCoding coding) throws RequestRefused {
    byte[] packed = join(pack(coding, FIRST), pack(coding, new byte[0]));
    byte[] both = join(packed, pack(coding, SECOND));
    assertArrayEquals(join(FIRST, SECOND), unpack(coding, both));
    byte[] large = new byte[3 << 20];
    for (int i = 0; i < large.length; i++) {
      large[i] = (byte) ((i * 31) >> (i % 7));
    }
    assertArrayEquals(large, unpack(coding, pack(coding, large)));
  }

  @ParameterizedTest
  @EnumSource(names = {"GZIP", "ZSTD"})
  void aCutOrFollowedBodyIsRefused(BodyCoding coding) {
    byte[] first = pack(coding, FIRST);
    byte[] all = join(first, pack(coding, SECOND));
    for (int length = 1; length < all.length; length++) {
      if (length != first.length) { // a whole part is a whole body
        assertRefused(coding, Arrays.copyOf(all, length), "cut at " + length);
      }
    }
    for (int more = 1; more < 30; more++) {
      assertRefused(coding, Arrays.copyOf(all, all.length + more), more + " zeros follow");
      byte[] noise = Arrays.copyOf(all, all.length + more);
      Arrays.fill(noise, all.length, noise.length, (byte) 'x');
      assertRefused(coding, noise, more + " bytes of noise follow");
    }
  }

  /// Bytes of the header that say only where a file came from may change.
  @ParameterizedTest
  @EnumSource(names = {"GZIP", "ZSTD"})
  void aDamagedSecondPartIsNeverDropped(BodyCoding coding) {
    byte[] first = pack(coding, FIRST);
    byte[] all = join(first, pack(coding, SECOND));
    byte[] whole = join(FIRST, SECOND);
    for (int at = first.length; at < all.length; at++) {
      for (int bit = 0; bit < 8; bit++) {
        byte[] damaged = all.clone();
        damaged[at] ^= (byte) (1 << bit);
        try {
          byte[] plain = unpack(coding, damaged);
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
    assertArrayEquals(FIRST, unpack(BodyCoding.GZIP, packed));
    assertArrayEquals(join(FIRST, FIRST), unpack(BodyCoding.GZIP, join(packed, packed)));
  }

  @Test
  void aFrameThatIsSkippedIsNoDamage() throws RequestRefused {
    byte[] skipped = {0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 1, 2};
    byte[] plain = unpack(BodyCoding.ZSTD, join(skipped, Zstd.compress(FIRST)));
    assertTrue(Arrays.equals(FIRST, plain), "a skippable frame of zstd comes first");
  }
}
