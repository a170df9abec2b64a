package io.widerow.faults;

import io.widerow.storage.StorageException;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.DiskFile;
import java.io.FileNotFoundException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

/// A disk in memory that never fails. Tests read and change its files.
public final class MemoryDisk implements Disk {
  private final TreeMap<Path, Content> files = new TreeMap<>();

  /// The bytes of a file, a copy.
  public byte[] bytes(Path file) {
    Content content = content(file);
    return Arrays.copyOf(content.bytes, content.size);
  }

  /// Replaces the bytes of a file.
  public void set(Path file, byte[] bytes) {
    Content content = new Content(file);
    content.bytes = bytes.clone();
    content.size = bytes.length;
    files.put(file, content);
  }

  private Content content(Path file) {
    Content content = files.get(file);
    if (content == null) {
      throw new StorageException.Failed(file, "open", new FileNotFoundException("no such file"));
    }
    return content;
  }

  @Override
  public DiskFile create(Path file) {
    assert !files.containsKey(file) : file;
    Content content = new Content(file);
    files.put(file, content);
    return content;
  }

  @Override
  public DiskFile open(Path file) {
    return content(file);
  }

  @Override
  public DiskFile openForWriting(Path file) {
    return content(file);
  }

  @Override
  public boolean exists(Path path) {
    return files.containsKey(path);
  }

  @Override
  public boolean isDirectory(Path path) {
    return false;
  }

  @Override
  public void link(Path file, Path link) {
    files.put(link, content(file));
  }

  @Override
  public void createDirectory(Path directory) {}

  @Override
  public void rename(Path source, Path target) {
    files.put(target, content(source));
    files.remove(source);
  }

  @Override
  public void delete(Path path) {
    files.remove(path);
  }

  @Override
  public List<Path> list(Path directory) {
    return files.keySet().stream().filter(file -> directory.equals(file.getParent())).toList();
  }

  @Override
  public void forceDirectory(Path directory) {}

  @Override
  public long usableBytes(Path path) {
    return Long.MAX_VALUE;
  }

  @Override
  public Lock lock(Path file, String owner) {
    return () -> {};
  }

  private static final class Content implements DiskFile {
    private final Path path;
    private byte[] bytes = new byte[0];
    private int size;

    Content(Path path) {
      this.path = path;
    }

    @Override
    public Path path() {
      return path;
    }

    @Override
    public long size() {
      return size;
    }

    @Override
    public void write(MemorySegment source, long offset) {
      int limit = Math.toIntExact(offset + source.byteSize());
      if (limit > bytes.length) {
        bytes = Arrays.copyOf(bytes, 2 * limit);
      }
      MemorySegment.copy(
          source, ValueLayout.JAVA_BYTE, 0, bytes, (int) offset, (int) source.byteSize());
      size = Math.max(size, limit);
    }

    @Override
    public long read(MemorySegment target, long offset) {
      int count = (int) Math.max(0, Math.min(target.byteSize(), size - offset));
      if (count == 0) {
        return 0;
      }
      MemorySegment.copy(bytes, (int) offset, target, ValueLayout.JAVA_BYTE, 0, count);
      return count;
    }

    @Override
    public void force() {}

    @Override
    public void truncate(long newSize) {
      size = (int) newSize;
    }

    @Override
    public void close() {}
  }
}
