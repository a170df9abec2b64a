package io.widerow.storage.disk;

import io.widerow.storage.StorageException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.CopyOption;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The local file system. Directories have mode 0700 and files 0600. A symbolic link where a file
/// is expected is refused.
///
/// - Threads: any.
public final class RealDisk implements Disk {
  /// Bytes freed at once when a file is deleted in steps.
  private static final long FREED_BYTES = 1 << 20;

  static final FileAttribute<?> FILE_MODE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
  private static final FileAttribute<?> DIRECTORY_MODE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  @Override
  public DiskFile create(Path file) {
    Set<OpenOption> options =
        Set.of(
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            LinkOption.NOFOLLOW_LINKS);
    return call(
        file, "create", () -> new WrittenFile(file, FileChannel.open(file, options, FILE_MODE)));
  }

  @Override
  public DiskFile open(Path file) {
    return call(file, "open", () -> new ReadFile(file, OpenFiles.OF_PROCESS));
  }

  @Override
  public DiskFile openForWriting(Path file) {
    Set<OpenOption> options =
        Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    return call(file, "open", () -> new WrittenFile(file, FileChannel.open(file, options)));
  }

  @Override
  public boolean exists(Path path) {
    return Files.exists(path, LinkOption.NOFOLLOW_LINKS);
  }

  @Override
  public boolean isDirectory(Path path) {
    return Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS);
  }

  @Override
  public void link(Path file, Path link) {
    Path _ = call(file, "link to " + link, () -> Files.createLink(link, file));
  }

  @Override
  public void createDirectory(Path directory) {
    if (!Files.isDirectory(directory)) {
      Path _ = call(directory, "create", () -> Files.createDirectory(directory, DIRECTORY_MODE));
    }
  }

  @Override
  public void rename(Path source, Path target) {
    CopyOption[] options = {StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING};
    Path _ = call(source, "rename to " + target, () -> Files.move(source, target, options));
  }

  @Override
  public void delete(Path path) {
    boolean _ = call(path, "delete", () -> Files.deleteIfExists(path));
  }

  /// Freeing the blocks and cached pages of some ten megabytes at once takes as many milliseconds,
  /// more where the file system discards what it frees. Forces of other files wait meanwhile
  /// (`bench-results/jmh/journal-cost.md`).
  @Override
  public void deleteInSteps(Path file) {
    if (!exists(file)) {
      return;
    }
    try (DiskFile shrinking = openForWriting(file)) {
      long left = shrinking.size() - FREED_BYTES;
      while (left > 0 && hasOneName(file)) {
        shrinking.truncate(left);
        left -= FREED_BYTES;
      }
    } finally {
      delete(file);
    }
  }

  @Override
  public boolean hasOneName(Path file) {
    try {
      return Files.getAttribute(file, "unix:nlink", LinkOption.NOFOLLOW_LINKS).equals(1);
    } catch (UnsupportedOperationException notToBeTold) {
      return false;
    } catch (IOException failure) {
      throw failed(file, "look up the names", failure, 0);
    }
  }

  @Override
  public List<Path> list(Path directory) {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.sorted().toList();
    } catch (IOException failure) {
      throw failed(directory, "list", failure, 0);
    }
  }

  @Override
  public void forceDirectory(Path directory) {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    } catch (IOException failure) {
      throw failed(directory, "force", failure, 0);
    }
  }

  @Override
  public long usableBytes(Path path) {
    // One statvfs call. A FileStore would search the mount table first, and this runs once for each
    // group. The result is also zero for a path that does not exist.
    return path.toFile().getUsableSpace();
  }

  @Override
  public Lock lock(Path file, String owner) {
    return DirectoryLock.take(file, owner);
  }

  static Path directoryOf(Path file) {
    Path parent = file.toAbsolutePath().getParent();
    return parent == null ? file : parent;
  }

  /// A call of the operating system.
  @FunctionalInterface
  interface Call<T extends @Nullable Object> {
    T run() throws IOException;
  }

  /// Runs a call; its failure names the file and the action.
  static <T extends @Nullable Object> T call(Path path, String action, Call<T> call) {
    try {
      return call.run();
    } catch (IOException failure) {
      throw failed(path, action, failure, 0);
    }
  }

  /// Distinguishes a full disk from other failures. Java passes on the kernel's message, not its
  /// error number.
  static StorageException failed(Path path, String action, IOException failure, long bytes) {
    String reason =
        failure instanceof FileSystemException named ? named.getReason() : failure.getMessage();
    String text = reason == null ? "" : reason.toLowerCase(Locale.ROOT);
    if (text.contains("no space left") || text.contains("quota exceeded")) {
      return new StorageException.DiskFull(path, usable(path), bytes);
    }
    return new StorageException.Failed(path, action, failure);
  }

  private static long usable(Path path) {
    try {
      return Files.getFileStore(directoryOf(path)).getUsableSpace();
    } catch (IOException unknown) {
      return 0;
    }
  }
}
