package io.widerow.query;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/// Small files that are replaced as a whole.
public final class WholeFile {
  private WholeFile() {}

  /// Writes a new file next to it, `.tmp` after its name, forces and renames it, and forces the
  /// directory. When this returns, a crash of the machine keeps the new one; when it throws, the
  /// old one or the new one is there.
  public static void replace(Path file, byte[] content) throws IOException {
    Path whole = file.toAbsolutePath();
    Path temporary = whole.resolveSibling(whole.getFileName() + ".tmp");
    try (FileChannel channel =
        FileChannel.open(
            temporary,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer bytes = ByteBuffer.wrap(content);
      while (bytes.hasRemaining()) {
        int _ = channel.write(bytes);
      }
      channel.force(true);
    }
    Path _ = Files.move(temporary, whole, StandardCopyOption.ATOMIC_MOVE);
    try (FileChannel names = FileChannel.open(whole.resolveSibling(""), StandardOpenOption.READ)) {
      names.force(true);
    }
  }
}
