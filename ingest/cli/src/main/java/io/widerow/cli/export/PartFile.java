package io.widerow.cli.export;

import io.widerow.query.output.OutputBuffer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/// A file that is being written. It has its name, and replaces an older file of this name, only
/// when it is whole and on the disk; until then `.part` follows the name.
///
/// - Threads: one.
final class PartFile implements AutoCloseable {
  private final Path file;
  private final Path part;
  private final FileChannel channel;
  private long bytes;

  PartFile(Path file) throws IOException {
    this.file = file.toAbsolutePath();
    this.part = this.file.resolveSibling(file.getFileName() + ".part");
    this.channel =
        FileChannel.open(
            part,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE);
  }

  /// Writes the buffer's bytes and clears it.
  ///
  /// @return true
  boolean write(OutputBuffer out) throws IOException {
    ByteBuffer left = ByteBuffer.wrap(out.bytes(), 0, out.length());
    while (left.hasRemaining()) {
      bytes += channel.write(left);
    }
    out.clear();
    return true;
  }

  long bytes() {
    return bytes;
  }

  /// Gives the file its name.
  void finish() throws IOException {
    channel.force(true);
    channel.close();
    Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    force(file.resolveSibling(""));
  }

  /// Makes the names in a directory durable.
  static void force(Path directory) throws IOException {
    try (FileChannel names = FileChannel.open(directory, StandardOpenOption.READ)) {
      names.force(true);
    }
  }

  /// Removes an incomplete file.
  @Override
  public void close() throws IOException {
    channel.close();
    Files.deleteIfExists(part);
  }
}
