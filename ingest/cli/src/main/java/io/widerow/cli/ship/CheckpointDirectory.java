package io.widerow.cli.ship;

import io.widerow.storage.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/// The directory that a checkpoint is kept in, locked while this is open.
///
/// ```
///   LOCK             held by the process whose number is in it
///   checkpoint       replaced as a whole: new file written, forced, renamed, directory forced
///   checkpoint.tmp   left by a crash; never read
/// ```
///
/// - Threads: one.
final class CheckpointDirectory implements AutoCloseable {
  private static final String ADVICE =
      "; move it away to begin again: then files are read from --from, and lines sent before"
          + " may be stored twice";

  private final Path directory;
  private final Path file;
  private final FileChannel lock;

  private CheckpointDirectory(Path directory, FileChannel lock) {
    this.directory = directory;
    this.file = directory.resolve("checkpoint");
    this.lock = lock;
  }

  /// Creates the directory where it is absent, and locks it.
  ///
  /// @throws StorageException.Locked when another process has it
  static CheckpointDirectory open(Path directory) throws IOException {
    Files.createDirectories(directory);
    Path name = directory.resolve("LOCK");
    FileChannel channel =
        FileChannel.open(
            name, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    try {
      FileLock held = channel.tryLock();
      if (held == null) {
        String owner = Files.readString(name, StandardCharsets.ISO_8859_1).strip();
        throw new StorageException.Locked(directory, "process " + owner);
      }
      ByteBuffer pid = StandardCharsets.US_ASCII.encode(ProcessHandle.current().pid() + "\n");
      int _ = channel.truncate(0).write(pid, 0);
      return new CheckpointDirectory(directory, channel);
    } catch (OverlappingFileLockException here) {
      channel.close();
      throw new StorageException.Locked(directory, "this process");
    } catch (Throwable failure) {
      channel.close();
      throw failure;
    }
  }

  /// The checkpoint of the run before; null when there is none.
  ///
  /// @throws StorageException.Corrupt when it is damaged
  /// @throws StorageException.Incompatible when another version wrote it
  @Nullable Checkpoint read() throws IOException {
    byte[] bytes = readBytes();
    if (bytes == null) {
      return null;
    }
    try {
      return Checkpoint.decode(bytes);
    } catch (Checkpoint.Damaged damaged) {
      String found = damaged.getMessage() + ADVICE;
      if (damaged.offset < 0) {
        throw new StorageException.Incompatible(file, found);
      }
      throw new StorageException.Corrupt(file, damaged.offset, found);
    }
  }

  /// Replaces the checkpoint. When this returns, a crash of the machine keeps the new one; when it
  /// throws, the old one or the new one is there.
  void write(Checkpoint checkpoint) throws IOException {
    write(checkpoint.encode());
  }

  /// The bytes that were written last; null when there are none.
  byte @Nullable [] readBytes() throws IOException {
    return Files.exists(file) ? Files.readAllBytes(file) : null;
  }

  /// The same for a state of another kind.
  void write(byte[] state) throws IOException {
    Path temporary = directory.resolve("checkpoint.tmp");
    try (FileChannel channel =
        FileChannel.open(
            temporary,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer bytes = ByteBuffer.wrap(state);
      while (bytes.hasRemaining()) {
        int _ = channel.write(bytes);
      }
      channel.force(true);
    }
    Path _ = Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
    try (FileChannel names = FileChannel.open(directory, StandardOpenOption.READ)) {
      names.force(true);
    }
  }

  @Override
  public void close() throws IOException {
    lock.close();
  }
}
