package io.widerow.storage.objects;

import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.DiskFile;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Objects;

/// A file of a store as the content of an object. The file does not change.
record FileContent(Disk disk, Path file, long bytes) implements ObjectStore.Content {
  static FileContent of(Disk disk, Path file) {
    try (DiskFile opened = disk.open(file)) {
      return new FileContent(disk, file, opened.size());
    }
  }

  @Override
  public InputStream open() {
    return new Reader(disk.open(file), bytes);
  }

  /// Reads a file from its begin to its end.
  private static final class Reader extends InputStream {
    private final DiskFile file;
    private final long limit;
    private long at;

    Reader(DiskFile file, long limit) {
      this.file = file;
      this.limit = limit;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      Objects.checkFromIndexSize(offset, length, target.length);
      int wanted = (int) Math.min(length, limit - at);
      if (wanted == 0) {
        return length == 0 ? 0 : -1;
      }
      long got = file.read(MemorySegment.ofArray(target).asSlice(offset, wanted), at);
      if (got <= 0) {
        throw new IOException("%s ends at byte %d of %d".formatted(file.path(), at, limit));
      }
      at += got;
      return (int) got;
    }

    @Override
    public void close() {
      file.close();
    }
  }
}
