package io.widerow.ingest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;

/// Computes digests of bodies, by which their repeats are known. Equal bodies have equal digests,
/// also after a restart; nobody can make two others that have. The processor decides which digest
/// it is: a store that moves to a machine with one of the other kind does not know there which
/// batches without a key it had.
///
/// - Threads: any.
interface BodyDigest {
  /// The digest of `length` bytes from `offset`: always as many bytes, 16 or more.
  byte[] of(byte[] body, int offset, int length);

  /// The digest that is the faster one on this machine.
  ///
  /// @param secret 32 bytes
  static BodyDigest forThisMachine(byte[] secret) {
    return forProcessor(Path.of("/proc/cpuinfo"), secret);
  }

  /// A [KeyedDigest] is seven times as fast as SHA-256 with AVX-512 (IFMA), and half as fast
  /// without it (`BodyDigestBench`).
  ///
  /// @param cpuinfo what the kernel says of the processor; may be absent
  static BodyDigest forProcessor(Path cpuinfo, byte[] secret) {
    return hasFlag(cpuinfo, "avx512ifma") ? new KeyedDigest(secret) : BodyDigest::sha256;
  }

  private static boolean hasFlag(Path cpuinfo, String flag) {
    try {
      return Files.readString(cpuinfo)
          .lines()
          .filter(line -> line.startsWith("flags"))
          .anyMatch(line -> Arrays.asList(line.split("\\s+")).contains(flag));
    } catch (IOException unknown) {
      return false; // the slower one does as well
    }
  }

  private static byte[] sha256(byte[] body, int offset, int length) {
    MessageDigest digest = Sha256.start();
    digest.update(body, offset, length);
    return digest.digest();
  }
}
