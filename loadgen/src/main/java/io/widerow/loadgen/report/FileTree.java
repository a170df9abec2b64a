package io.widerow.loadgen.report;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/// Deletes directories with all that is in them.
public final class FileTree {
  private FileTree() {}

  /// Does nothing when there is no such directory.
  public static void remove(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    try (Stream<Path> below = Files.walk(directory)) {
      below
          .sorted(Comparator.reverseOrder())
          .forEach(path -> {
            try {
              Files.delete(path);
            } catch (IOException failure) {
              throw new UncheckedIOException(failure);
            }
          });
    }
  }
}
