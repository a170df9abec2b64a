package io.widerow.storage.disk;

import io.widerow.storage.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
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
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The local file system. Directories have mode 0700 and files 0600. A symbolic link where a file
/// is expected is refused.
///
/// - Threads: any.
public final class RealDisk implements Disk {
  /// Bytes freed at once when a file is deleted in steps.
  private static final long FREED_BYTES = 1 << 20;

  private static final FileAttribute<?> FILE_MODE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
  private static final FileAttribute<?> DIRECTORY_MODE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
  private static final int OWNER_BYTES_MAX = 1 << 10;
  private static final int OWNER_TRIES = 100;
  private static final long OWNER_PAUSE_NANOS = 10_000_000;
  private static final String UNNAMED = "an unnamed process";
  private static final Pattern PROCESS = Pattern.compile("process (\\d{1,18})");

  @Override
  public DiskFile create(Path file) {
    try {
      Set<OpenOption> options =
          Set.of(
              StandardOpenOption.CREATE_NEW,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE,
              LinkOption.NOFOLLOW_LINKS);
      return new WrittenFile(file, FileChannel.open(file, options, FILE_MODE));
    } catch (IOException failure) {
      throw failed(file, "create", failure, 0);
    }
  }

  @Override
  public DiskFile open(Path file) {
    try {
      return new ReadFile(file, OpenFiles.OF_PROCESS);
    } catch (IOException failure) {
      throw failed(file, "open", failure, 0);
    }
  }

  @Override
  public DiskFile openForWriting(Path file) {
    try {
      Set<OpenOption> options =
          Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
      return new WrittenFile(file, FileChannel.open(file, options));
    } catch (IOException failure) {
      throw failed(file, "open", failure, 0);
    }
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
    try {
      Files.createLink(link, file);
    } catch (IOException failure) {
      throw failed(file, "link to " + link, failure, 0);
    }
  }

  @Override
  public void createDirectory(Path directory) {
    try {
      if (!Files.isDirectory(directory)) {
        Files.createDirectory(directory, DIRECTORY_MODE);
      }
    } catch (IOException failure) {
      throw failed(directory, "create", failure, 0);
    }
  }

  @Override
  public void rename(Path source, Path target) {
    try {
      Files.move(
          source, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException failure) {
      throw failed(source, "rename to " + target, failure, 0);
    }
  }

  @Override
  public void delete(Path path) {
    try {
      Files.deleteIfExists(path);
    } catch (IOException failure) {
      throw failed(path, "delete", failure, 0);
    }
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

  /// True when the file has one name; false also when it is not known.
  private static boolean hasOneName(Path file) {
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

  /// The file names its owner for the process that tries next. It stays when the lock is released:
  /// a deleted lock file can be locked twice.
  @Override
  public AutoCloseable lock(Path file, String owner) {
    FileChannel channel = null;
    try {
      Set<OpenOption> options =
          Set.of(
              StandardOpenOption.CREATE,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE,
              LinkOption.NOFOLLOW_LINKS);
      channel = FileChannel.open(file, options, FILE_MODE);
      if (!tryLock(channel)) {
        String holder = owner(channel);
        channel.close();
        throw new StorageException.Locked(directoryOf(file), holder);
      }
      name(file, channel, owner);
      return channel;
    } catch (IOException failure) {
      closeQuietly(channel, failure);
      throw failed(file, "lock", failure, owner.length());
    }
  }

  /// Names the owner in the lock file. On a full disk the owner stays unnamed.
  private static void name(Path file, FileChannel channel, String owner) throws IOException {
    channel.truncate(0);
    try {
      channel.write(ByteBuffer.wrap(owner.getBytes(StandardCharsets.UTF_8)), 0);
    } catch (IOException failure) {
      if (!(failed(file, "lock", failure, 0) instanceof StorageException.DiskFull)) {
        throw failure;
      }
    }
  }

  private static boolean tryLock(FileChannel channel) throws IOException {
    try {
      FileLock lock = channel.tryLock();
      return lock != null;
    } catch (OverlappingFileLockException held) {
      return false;
    }
  }

  /// The owner writes its name a moment after taking the lock. Until then the file is empty, or
  /// names the previous owner, which has ended.
  private static String owner(FileChannel channel) throws IOException {
    String owner = read(channel);
    for (int tries = 0; tries < OWNER_TRIES && hasEnded(owner); tries++) {
      LockSupport.parkNanos(OWNER_PAUSE_NANOS);
      owner = read(channel);
    }
    return owner;
  }

  private static boolean hasEnded(String owner) {
    Matcher process = PROCESS.matcher(owner);
    return process.find()
        ? ProcessHandle.of(Long.parseLong(process.group(1))).isEmpty()
        : owner.equals(UNNAMED);
  }

  private static String read(FileChannel channel) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(OWNER_BYTES_MAX);
    int count = channel.read(bytes, 0);
    return count <= 0 ? UNNAMED : new String(bytes.array(), 0, count, StandardCharsets.UTF_8);
  }

  private static Path directoryOf(Path file) {
    Path parent = file.toAbsolutePath().getParent();
    return parent == null ? file : parent;
  }

  private static void closeQuietly(@Nullable FileChannel channel, IOException failure) {
    if (channel != null) {
      try {
        channel.close();
      } catch (IOException second) {
        failure.addSuppressed(second);
      }
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
