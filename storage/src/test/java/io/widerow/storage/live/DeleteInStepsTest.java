package io.widerow.storage.live;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.RealDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: a file deleted in steps is gone, and a second hard link to it keeps every byte. Method:
/// real files of no, one and several steps, with and without a hard link.
class DeleteInStepsTest {
  @TempDir private Path directory = Path.of(".");
  private final Disk disk = new RealDisk();

  private Path file(int bytes) throws IOException {
    byte[] content = new byte[bytes];
    new Random(bytes).nextBytes(content);
    return Files.write(directory.resolve("file"), content);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 1 << 20, (1 << 20) + 1, 5_500_000})
  void itIsGone(int bytes) throws IOException {
    Path file = file(bytes);
    disk.deleteInSteps(file);
    assertFalse(Files.exists(file));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, (1 << 20) + 1, 5_500_000})
  void aSecondNameKeepsItsBytes(int bytes) throws IOException {
    Path file = file(bytes);
    byte[] before = Files.readAllBytes(file);
    Path link = Files.createLink(directory.resolve("link"), file);
    disk.deleteInSteps(file);
    assertFalse(Files.exists(file));
    assertArrayEquals(before, Files.readAllBytes(link));
  }

  @Test
  void whatIsNotThereIsNotDeleted() {
    disk.deleteInSteps(directory.resolve("nothing"));
    assertFalse(Files.exists(directory.resolve("nothing")));
  }
}
