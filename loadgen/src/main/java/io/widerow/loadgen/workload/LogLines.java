package io.widerow.loadgen.workload;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// The real log files that come with the tool, and files of the user.
final class LogLines {
  private LogLines() {}

  static List<String> read(String name) {
    try (InputStream in = LogLines.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("the jar lacks " + name);
      }
      return new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8)).lines().toList();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  /// Bytes that are no UTF-8 become replacement characters: a log has what clients sent.
  static List<String> read(Path file) {
    try {
      return new String(Files.readAllBytes(file), StandardCharsets.UTF_8).lines().toList();
    } catch (IOException unreadable) {
      throw new IllegalArgumentException(
          "--lines: cannot read %s (%s)".formatted(file, unreadable.getClass().getSimpleName()),
          unreadable);
    }
  }
}
