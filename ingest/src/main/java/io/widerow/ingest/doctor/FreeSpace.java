package io.widerow.ingest.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// The free space of a store's file system.
public final class FreeSpace {
  private FreeSpace() {}

  /// Free bytes of the store's file system; [Long#MAX_VALUE] when the operating system does not
  /// tell.
  public static long usableBytes(Path data) {
    try {
      Path there = data;
      Path parent = there.getParent();
      while (!Files.exists(there) && parent != null) {
        there = parent;
        parent = there.getParent();
      }
      return Files.getFileStore(there).getUsableSpace();
    } catch (IOException notSaid) {
      return Long.MAX_VALUE;
    }
  }
}
