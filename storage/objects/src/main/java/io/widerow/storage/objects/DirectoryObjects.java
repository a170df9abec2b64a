package io.widerow.storage.objects;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Objects as files of a directory, such as a mounted disk of another machine. An object is written
/// under a temporary name, forced, and renamed; its directory is forced too.
///
/// The steps of [#putIf] are made under a lock of the file `.lock`, which holds for processes of
/// this machine, and of others where the file system supports locks.
///
/// - Threads: any.
public final class DirectoryObjects implements ObjectStore {
  private static final String LOCK = ".lock";
  private static final String TEMPORARY = ".tmp";
  private static final FileAttribute<Set<PosixFilePermission>> FILE_MODE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
  private static final FileAttribute<Set<PosixFilePermission>> DIRECTORY_MODE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
  private static final ReentrantLock HERE = new ReentrantLock(); // a lock is of a whole process

  private final Path directory;

  /// @param directory created when it is absent; its parent must exist
  public DirectoryObjects(Path directory) {
    this.directory = directory;
  }

  private Path file(String name) {
    Path file = directory.resolve(name).normalize();
    if (!file.startsWith(directory.normalize()) || name.isEmpty() || name.startsWith("/")) {
      throw new IllegalArgumentException("no name of an object: '" + name + "'");
    }
    return file;
  }

  @Override
  public void put(String name, Content content) {
    attempt(() -> {
      Path file = file(name);
      Path temporary = write(file, content);
      move(temporary, file);
      return null;
    });
  }

  private Path write(Path file, Content content) throws IOException {
    Path parent = Objects.requireNonNull(file.getParent());
    createDirectories(parent);
    Path temporary = parent.resolve(UUID.randomUUID() + TEMPORARY);
    try (FileChannel channel =
        FileChannel.open(
            temporary,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            FILE_MODE)) {
      try (InputStream in = content.open()) {
        OutputStream out = Channels.newOutputStream(channel);
        long written = in.transferTo(out);
        if (written != content.bytes()) {
          throw new IOException(
              "%s: %d bytes of %d could be read".formatted(file, written, content.bytes()));
        }
      }
      channel.force(true);
      return temporary;
    } catch (Throwable failure) {
      Files.deleteIfExists(temporary);
      throw failure;
    }
  }

  private static void move(Path temporary, Path file) throws IOException {
    Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
    force(Objects.requireNonNull(file.getParent()));
  }

  private void createDirectories(Path wanted) throws IOException {
    if (Files.isDirectory(wanted)) {
      return;
    }
    Path parent = Objects.requireNonNull(wanted.toAbsolutePath().getParent());
    if (!wanted.equals(directory)) {
      createDirectories(parent);
    }
    try {
      var _ = Files.createDirectory(wanted, DIRECTORY_MODE);
    } catch (FileAlreadyExistsException _) {
      // by another thread
    }
    force(parent);
  }

  private static void force(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  @Override
  public @Nullable String putIf(String name, byte[] bytes, @Nullable String tag) {
    HERE.lock();
    try {
      return attempt(() -> {
        createDirectories(directory);
        try (FileChannel lock =
                FileChannel.open(
                    directory.resolve(LOCK),
                    Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                    FILE_MODE);
            FileLock _ = lock.lock()) {
          Path file = file(name);
          String now = Files.exists(file) ? ContentDigest.of(Files.readAllBytes(file)) : null;
          if (!Objects.equals(now, tag)) {
            return null;
          }
          move(write(file, new BytesContent(bytes)), file);
          return ContentDigest.of(bytes);
        }
      });
    } finally {
      HERE.unlock();
    }
  }

  @Override
  public @Nullable Read get(String name) {
    return attempt(() -> {
      try {
        byte[] bytes = Files.readAllBytes(file(name));
        return new Read(bytes, ContentDigest.of(bytes));
      } catch (NoSuchFileException _) {
        return null;
      }
    });
  }

  @Override
  public byte @Nullable [] read(String name, long offset, int bytes) {
    return attempt(() -> {
      try (FileChannel channel = FileChannel.open(file(name), StandardOpenOption.READ)) {
        ByteBuffer part = ByteBuffer.allocate(bytes);
        while (part.hasRemaining() && channel.read(part, offset + part.position()) >= 0) {}
        return Arrays.copyOf(part.array(), part.position());
      } catch (NoSuchFileException _) {
        return null;
      }
    });
  }

  @Override
  public @Nullable InputStream open(String name) {
    return attempt(() -> {
      try {
        return Files.newInputStream(file(name));
      } catch (NoSuchFileException _) {
        return null;
      }
    });
  }

  @Override
  public @Nullable Found head(String name) {
    return attempt(() -> {
      try {
        Path file = file(name);
        long bytes = Files.size(file);
        return new Found(bytes, bytes + "-" + Files.getLastModifiedTime(file).toMillis());
      } catch (NoSuchFileException _) {
        return null;
      }
    });
  }

  @Override
  public List<String> list(String prefix) {
    return attempt(() -> {
      Path under = directory.resolve(prefix.substring(0, prefix.lastIndexOf('/') + 1));
      if (!Files.isDirectory(under)) {
        return List.of();
      }
      try (Stream<Path> files = Files.walk(under, FileVisitOption.FOLLOW_LINKS)) {
        return files
            .filter(Files::isRegularFile)
            .map(file -> directory.relativize(file).toString())
            .filter(name -> name.startsWith(prefix) && !name.endsWith(TEMPORARY))
            .filter(name -> !name.equals(LOCK))
            .sorted()
            .toList();
      }
    });
  }

  @Override
  public void delete(String name) {
    attempt(() -> Files.deleteIfExists(file(name)));
  }

  @Override
  public void tidy() {
    Instant limit = Instant.now().minus(Duration.ofDays(1));
    attempt(() -> {
      if (!Files.isDirectory(directory)) {
        return null;
      }
      try (Stream<Path> files = Files.walk(directory, FileVisitOption.FOLLOW_LINKS)) {
        for (Path file : files.filter(each -> each.toString().endsWith(TEMPORARY)).toList()) {
          if (Files.getLastModifiedTime(file).toInstant().isBefore(limit)) {
            var _ = Files.deleteIfExists(file);
          }
        }
      }
      return null;
    });
  }

  /// A step that may fail.
  private interface Step<T extends @Nullable Object> {
    T run() throws IOException;
  }

  private <T extends @Nullable Object> T attempt(Step<T> step) {
    try {
      return step.run();
    } catch (IOException failure) {
      throw new ObjectsException.Away(this + ": " + failure, failure);
    } catch (UncheckedIOException failure) {
      throw new ObjectsException.Away(this + ": " + failure.getCause(), failure);
    }
  }

  @Override
  public String toString() {
    return "file:" + directory;
  }
}
