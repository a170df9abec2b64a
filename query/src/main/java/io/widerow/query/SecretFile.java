package io.widerow.query;

import io.widerow.storage.FailureReason;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;

/// Files with secrets, which only the daemon and their owner can read.
public final class SecretFile {
  private static final Integer ROOT = 0;

  private SecretFile() {}

  /// True when others than its owner can use a file. The group may read a file of root's: this is
  /// how Kubernetes gives a Secret to a container that does not run as root.
  public static boolean isShared(Path file) throws IOException {
    EnumSet<PosixFilePermission> others = EnumSet.allOf(PosixFilePermission.class);
    others.remove(PosixFilePermission.OWNER_READ);
    others.remove(PosixFilePermission.OWNER_WRITE);
    if (Files.getAttribute(file, "unix:uid").equals(ROOT)) {
      others.remove(PosixFilePermission.GROUP_READ);
    }
    others.retainAll(Files.getPosixFilePermissions(file));
    return !others.isEmpty();
  }

  /// Refuses a file that others can use.
  public static void requirePrivate(String key, Path file) throws IOException {
    if (isShared(file)) {
      throw new IllegalArgumentException("%s: %s must have mode 0600".formatted(key, file));
    }
  }

  /// The secret that a file holds in one line, without blanks around it.
  ///
  /// @param key of the configuration, for errors; they never show the content
  /// @throws IllegalArgumentException when the file cannot be used
  public static byte[] read(String key, Path file) {
    try {
      requirePrivate(key, file);
      String secret = Files.readString(file).strip();
      if (secret.isEmpty() || secret.lines().count() != 1) {
        throw new IllegalArgumentException(
            "%s: %s must hold the key in one line, got %d lines"
                .formatted(key, file, secret.lines().count()));
      }
      return secret.getBytes(StandardCharsets.UTF_8);
    } catch (IOException unreadable) {
      throw new IllegalArgumentException(
          "%s: cannot read %s: %s".formatted(key, file, FailureReason.of(unreadable)), unreadable);
    }
  }
}
