package io.widerow.storage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;

/// The rule for files with secrets: only their owner can use them.
public final class FilePrivacy {
  private static final Integer ROOT = 0;

  private FilePrivacy() {}

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
}
