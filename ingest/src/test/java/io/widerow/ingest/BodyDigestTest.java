package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: the digest that a machine gets depends on its processor alone, and tells bodies apart.
/// Method: files as the kernel writes them; that of this machine twice.
class BodyDigestTest {
  @TempDir private Path directory;

  @ParameterizedTest
  @CsvSource({
    "flags : fpu avx512f avx512ifma sha_ni, true",
    "flags : fpu avx512f sha_ni, false",
    "flags : fpu avx512ifma2, false",
    "model name : avx512ifma, false",
    "'', false"
  })
  void aFlagIsFoundAsAWord(String line, boolean expected) throws IOException {
    Path cpuinfo = directory.resolve("cpuinfo");
    Files.writeString(cpuinfo, "processor : 0\n" + line + "\n");
    assertEquals(expected, BodyDigest.hasFlag(cpuinfo, "avx512ifma"));
    assertFalse(BodyDigest.hasFlag(directory.resolve("none"), "avx512ifma"));
    assertFalse(BodyDigest.hasFlag(directory, "avx512ifma"));
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
