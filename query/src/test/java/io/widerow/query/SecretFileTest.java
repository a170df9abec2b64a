package io.widerow.query;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: nobody but its owner can use a file with secrets, except that the group may read one of
/// root's, as of a Secret in Kubernetes. Method: all 512 modes.
class SecretFileTest {
  private static final int GROUP_READ = 0b000_100_000;
  private static final int OWNER = 0b110_000_000;

  @TempDir private Path directory = Path.of(".");

  @Test
  void everyModeThatLetsOthersInIsShared() throws IOException {
    Path file = Files.writeString(directory.resolve("secret"), "s");
    boolean ofRoot = Files.getAttribute(file, "unix:uid").equals(0);
    int allowed = OWNER | (ofRoot ? GROUP_READ : 0);
    for (int mode = 0; mode < 512; mode++) {
      StringBuilder text = new StringBuilder();
      for (int bit = 8; bit >= 0; bit--) {
        text.append(((mode >> bit) & 1) == 0 ? '-' : "xwr".charAt(bit % 3));
      }
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(text.toString()));
      assertEquals((mode & ~allowed) != 0, SecretFile.isShared(file), text.toString());
    }
  }
}
