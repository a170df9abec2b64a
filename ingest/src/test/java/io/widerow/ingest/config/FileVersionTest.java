package io.widerow.ingest.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileVersionTest {
  private static final FileTime TIME = FileTime.fromMillis(1_790_000_000_000L);

  @TempDir private Path directory = Path.of(".");

  private Path write(String name, String text) throws IOException {
    Path file = Files.writeString(directory.resolve(name), text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    return Files.setLastModifiedTime(file, TIME);
  }

  /// Each with the same time, which tools such as `rsync -t` and `tar` set.
  @Test
  void everyChangeIsAnotherVersion() throws IOException {
    Path file = write("tokens", "a");
    FileVersion first = FileVersion.of(file);
    assertEquals(first, FileVersion.of(file));
    Path other = write("other", "b");
    Files.move(other, file, StandardCopyOption.REPLACE_EXISTING);
    FileVersion replaced = FileVersion.of(file);
    assertNotEquals(first, replaced, "another file under the name");
    FileVersion longer = FileVersion.of(write("tokens", "bc"));
    assertNotEquals(replaced, longer, "another size");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    assertNotEquals(longer, FileVersion.of(file), "other permissions");
    Files.delete(file);
    assertNull(FileVersion.of(file));
  }
}
