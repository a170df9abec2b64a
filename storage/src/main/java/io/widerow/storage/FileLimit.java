package io.widerow.storage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// The limit on open files, sockets included, of a process.
public final class FileLimit {
  private static final int UNKNOWN = 1_024;
  private static final String LINE = "Max open files";

  private FileLimit() {}

  /// The soft limit of this process, as Linux reports it; 1,024 where it is not known.
  public static long ofProcess() {
    try {
      for (String line : Files.readAllLines(Path.of("/proc/self/limits"))) {
        if (line.startsWith(LINE)) {
          String soft = line.substring(LINE.length()).strip().split("\\s+", 2)[0];
          return soft.equals("unlimited") ? Long.MAX_VALUE : Long.parseLong(soft);
        }
      }
    } catch (IOException | NumberFormatException unknown) {
      return UNKNOWN;
    }
    return UNKNOWN;
  }
}
