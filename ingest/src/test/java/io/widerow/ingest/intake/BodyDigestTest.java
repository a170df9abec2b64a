package io.widerow.ingest.intake;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: the algorithm depends on the processor alone, and distinguishes bodies. Method: files as
/// the kernel writes them, and a missing one; the digests of a known body. The one of SHA-256 is
/// from the standard (FIPS 180-4, "abc"), the one of [KeyedDigest] from [KeyedDigestTest].
class BodyDigestTest {
  private static final String SHA_256 =
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

  @TempDir private Path directory;

  private static String digest(BodyDigest digests, String body) {
    byte[] around = ("-" + body + "--").getBytes(UTF_8);
    return HexFormat.of().formatHex(digests.of(around, 1, around.length - 3));
  }

  private static void requireKeyed(boolean keyed, BodyDigest digests, byte[] secret) {
    String expected = keyed ? digest(new KeyedDigest(secret), "abc") : SHA_256;
    assertEquals(expected, digest(digests, "abc"));
    assertFalse(digest(digests, "abc").equals(digest(digests, "abd")));
  }

  @ParameterizedTest
  @CsvSource({
    "flags : fpu avx512f avx512ifma sha_ni, true",
    "flags : fpu avx512f sha_ni, false",
    "flags : fpu avx512ifma2, false",
    "model name : avx512ifma, false",
    "'', false"
  })
  void theProcessorDecides(String line, boolean keyed) throws IOException {
    Path cpuinfo = directory.resolve("cpuinfo");
    Files.writeString(cpuinfo, "processor : 0\n" + line + "\n");
    byte[] secret = new byte[32];
    requireKeyed(keyed, BodyDigest.forProcessor(cpuinfo, secret), secret);
  }

  @Test
  void withoutCpuinfoItIsSha256() {
    byte[] secret = new byte[32];
    requireKeyed(false, BodyDigest.forProcessor(directory.resolve("none"), secret), secret);
    requireKeyed(false, BodyDigest.forProcessor(directory, secret), secret);
  }

  @Test
  void theDigestOfThisMachineStaysTheSame() {
    byte[] secret = new byte[32];
    byte[] body = {0, 1, 2, 3};
    byte[] digest = BodyDigest.forThisMachine(secret).of(body, 1, 3);
    assertArrayEquals(digest, BodyDigest.forThisMachine(secret).of(new byte[] {1, 2, 3}, 0, 3));
    assertFalse(Arrays.equals(digest, BodyDigest.forThisMachine(secret).of(body, 0, 3)));
  }
}
