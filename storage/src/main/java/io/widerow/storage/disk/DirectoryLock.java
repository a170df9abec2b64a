package io.widerow.storage.disk;

import io.widerow.storage.StorageException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The lock of a store on a real disk, in three parts. Each keeps others out that the rest does
/// not:
///
/// | locked | how | keeps out |
/// |---|---|---|
/// | the directory itself | `flock(2)` | other processes, also when `LOCK` is gone |
/// | the file `LOCK` | POSIX record lock | other processes, where a directory cannot be locked |
/// | the directory's entry in a table | memory | other openings in this process |
///
/// A POSIX lock ends when the process closes any descriptor of the file, so within the process the
/// table is asked first.
///
/// - Threads: any.
final class DirectoryLock implements Disk.Lock {
  private static final int OWNER_BYTES_MAX = 1 << 10;
  private static final int OWNER_TRIES = 100;
  private static final long OWNER_PAUSE_NANOS = 10_000_000;
  private static final String UNNAMED = "an unnamed process";
  private static final Pattern PROCESS = Pattern.compile("process (\\d{1,18})");

  /// Owners by directory, of the locks of this process.
  private static final Map<Object, String> HERE = new ConcurrentHashMap<>();

  private final Path directory;
  private final Path file;
  private final Object directoryKey;
  private final Object fileKey;
  private final int descriptor; // of the directory; negative when it cannot be locked
  private final FileChannel channel;

  private DirectoryLock(
      Path file, Object directoryKey, Object fileKey, int descriptor, FileChannel channel) {
    this.file = file;
    this.directory = RealDisk.directoryOf(file);
    this.directoryKey = directoryKey;
    this.fileKey = fileKey;
    this.descriptor = descriptor;
    this.channel = channel;
  }

  /// @throws StorageException.Locked when another process, or this one, holds one of the parts
  static DirectoryLock take(Path file, String owner) {
    Path directory = RealDisk.directoryOf(file);
    try {
      Object key = keyOf(directory);
      String here = HERE.putIfAbsent(key, owner);
      if (here != null) {
        throw new StorageException.Locked(directory, here);
      }
      try {
        return take(file, directory, key, owner);
      } catch (Throwable failure) {
        HERE.remove(key);
        throw failure;
      }
    } catch (IOException failure) {
      throw RealDisk.failed(file, "lock", failure, owner.length());
    }
  }

  private static DirectoryLock take(Path file, Path directory, Object key, String owner)
      throws IOException {
    int descriptor = lockDirectory(file, directory);
    FileChannel channel = null;
    try {
      Set<OpenOption> options =
          Set.of(
              StandardOpenOption.CREATE,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE,
              LinkOption.NOFOLLOW_LINKS);
      channel = FileChannel.open(file, options, RealDisk.FILE_MODE);
      if (!tryLock(channel)) {
        throw new StorageException.Locked(directory, owner(channel));
      }
      name(file, channel, owner);
      return new DirectoryLock(
          file, key, keyOf(file, LinkOption.NOFOLLOW_LINKS), descriptor, channel);
    } catch (Throwable failure) {
      closeDescriptor(descriptor);
      closeQuietly(channel, failure);
      throw failure;
    }
  }

  /// Names the owner in the lock file. On a full disk the owner stays unnamed, or the file keeps
  /// the name of the last one: under a quota even a truncation may find no room.
  private static void name(Path file, FileChannel channel, String owner) throws IOException {
    try {
      channel.truncate(0);
      channel.write(ByteBuffer.wrap(owner.getBytes(StandardCharsets.UTF_8)), 0);
    } catch (IOException failure) {
      if (!(RealDisk.failed(file, "lock", failure, 0) instanceof StorageException.DiskFull)) {
        throw failure;
      }
    }
  }

  /// @return a descriptor; negative when this file system cannot lock a directory
  private static int lockDirectory(Path file, Path directory) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      LibC library = new LibC(arena);
      int opened = library.open(directory, LibC.CLOEXEC);
      if (opened < 0 || library.lock(opened)) {
        return opened;
      }
      LibC.close(opened);
      if (library.error() == LibC.WOULD_BLOCK) {
        throw new StorageException.Locked(directory, owner(file));
      }
      return -1;
    }
  }

  private static void closeDescriptor(int descriptor) {
    if (descriptor >= 0) {
      LibC.close(descriptor);
    }
  }

  @Override
  public @Nullable String lost() {
    try {
      if (!keyOf(directory).equals(directoryKey)) {
        return directory + ": another directory than the one that this process opened";
      }
      if (!keyOf(file, LinkOption.NOFOLLOW_LINKS).equals(fileKey)) {
        return file + ": another file than the one that this process locked";
      }
      return null;
    } catch (NoSuchFileException gone) {
      return gone.getFile() + ": it is gone, so this process no longer holds the store's lock";
    } catch (IOException unknown) {
      return file + ": cannot look up the lock: " + unknown.getMessage();
    }
  }

  /// Device and inode.
  private static Object keyOf(Path path, LinkOption... options) throws IOException {
    Object key = Files.readAttributes(path, BasicFileAttributes.class, options).fileKey();
    return key == null ? path : key;
  }

  /// `LOCK` stays: it names this process until the next one has written its own name.
  @Override
  public void close() throws IOException {
    try {
      channel.close();
    } finally {
      closeDescriptor(descriptor);
      HERE.remove(directoryKey);
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

  private static String owner(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      return owner(channel);
    } catch (NoSuchFileException gone) {
      return "a process whose %s was removed".formatted(file.getFileName());
    }
  }

  private static void closeQuietly(@Nullable FileChannel channel, Throwable failure) {
    if (channel != null) {
      try {
        channel.close();
      } catch (IOException second) {
        failure.addSuppressed(second);
      }
    }
  }
}
