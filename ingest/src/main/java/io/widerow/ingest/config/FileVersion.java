package io.widerow.ingest.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The version of a file that a running daemon reads again when it has changed: another file under
/// its name, another time or size, or other permissions, as when somebody makes it private.
public record FileVersion(
    FileTime modified, long bytes, @Nullable Object inode, Set<PosixFilePermission> permissions) {
  public FileVersion {
    permissions = Set.copyOf(permissions);
  }

  /// The version now; null for an absent file: an editor may be about to replace it.
  public static @Nullable FileVersion of(Path file) {
    try {
      PosixFileAttributes now = Files.readAttributes(file, PosixFileAttributes.class);
      return new FileVersion(now.lastModifiedTime(), now.size(), now.fileKey(), now.permissions());
    } catch (IOException gone) {
      return null;
    }
  }
}
