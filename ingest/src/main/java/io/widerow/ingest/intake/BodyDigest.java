package io.widerow.ingest.intake;

import io.widerow.ingest.decode.Sha256;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;

/// Computes digests of bodies, which identify their repeats. Equal bodies have equal digests, also
/// after a restart, and nobody can craft different bodies with equal digests. The processor decides
/// the algorithm: after a move to a machine with the other kind of processor, the store no longer
/// recognizes repeats of batches that it got without a key.
///
/// - Threads: any.
public interface BodyDigest {
  /// The digest of `length` bytes from `offset`. Its size is always the same, 16 bytes or more.
  byte[] of(byte[] body, int offset, int length);

  /// The faster algorithm on this machine.
  ///
  /// @param secret 32 bytes
  static BodyDigest forThisMachine(byte[] secret) {
    return forProcessor(Path.of("/proc/cpuinfo"), secret);
  }

  /// A [KeyedDigest] is seven times as fast as SHA-256 with AVX-512 (IFMA), and half as fast
  /// without (`BodyDigestBench`).
  ///
  /// @param cpuinfo the kernel's description of the processor; may be absent
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
      return false; // then SHA-256, which works everywhere
    }
  }

  private static byte[] sha256(byte[] body, int offset, int length) {
    MessageDigest digest = Sha256.start();
    digest.update(body, offset, length);
    return digest.digest();
  }
}
