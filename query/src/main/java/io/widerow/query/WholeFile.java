package io.widerow.query;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/// Small files that are read or replaced as a whole.
public final class WholeFile {
  private static final String MARK = "\ufeff";

  private WholeFile() {}

  /// The text of a file that a person has written.
  ///
  /// @throws java.nio.charset.CharacterCodingException when it is not UTF-8
  public static String read(Path file) throws IOException {
    return unmarked(Files.readString(file));
  }

  /// A text without the byte order mark with which some editors begin a file.
  public static String unmarked(String text) {
    return text.startsWith(MARK) ? text.substring(MARK.length()) : text;
  }

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
