package io.widerow.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/// Goal: no error repeats the name of a file in place of the reason. Method: refusals of the real
/// file system, one of each kind that can be caused here.
class FailureReasonTest {
  @TempDir private Path directory = Path.of(".");

  @Test
  void theReasonIsNoName() throws IOException {
    Path none = directory.resolve("none/below");
    Path file = Files.writeString(directory.resolve("file"), "x");
    Path loop = Files.createSymbolicLink(directory.resolve("loop"), directory.resolve("loop"));
    Path full = Files.createDirectory(directory.resolve("full"));
    Files.writeString(full.resolve("x"), "x");
    Map<Executable, String> refused = new LinkedHashMap<>();
    refused.put(() -> Files.createDirectory(none), "no such file or directory");
    refused.put(() -> Files.readString(none), "no such file or directory");
    refused.put(() -> Files.createDirectory(file), "the file exists already");
    refused.put(() -> Files.readString(file.resolve("x")), "Not a directory");
    refused.put(
        () -> {
          try (var listed = Files.newDirectoryStream(file)) {
            throw new AssertionError(listed);
          }
        },
        "not a directory");
    refused.put(() -> Files.delete(full), "the directory is not empty");
    refused.put(
        () -> Files.readString(loop),
        "Too many levels of symbolic links or unable to" + " access attributes of symbolic link");
    refused.put(() -> Files.readSymbolicLink(file), "not a symbolic link");
    refused.put(() -> Files.readString(directory, StandardCharsets.UTF_8), "Is a directory");
    for (Map.Entry<Executable, String> each : refused.entrySet()) {
      IOException failure = assertThrows(IOException.class, each.getKey());
      String reason = FailureReason.of(failure);
      assertEquals(each.getValue(), reason);
      String sentence =
          String.valueOf(new StorageException.Failed(file, "read", failure).getMessage());
      assertFalse(reason.contains(directory.toString()), sentence);
    }
    assertEquals("IOException", FailureReason.of(new IOException()));
  }
}
