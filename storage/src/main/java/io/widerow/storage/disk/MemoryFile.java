package io.widerow.storage.disk;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;

/// A file in memory that a segment is written to, from its start to its end.
///
/// - Threads: one writes; any read what was written before.
/// - Memory: one array on the heap, which [#take] gives away.
public final class MemoryFile implements DiskFile {
  /// At most one part of 2^3 of a value's memory is free.
  private static final int FREE_SHIFT = 3;

  private static final Path PATH = Path.of("a segment in memory");
  private byte[] bytes;
  private int length;

  public MemoryFile(int bytesExpected) {
    this.bytes = new byte[bytesExpected];
  }

  /// The bytes written so far. They are copied only when much of the memory is free: values in
  /// flight are counted by their bytes.
  public ByteBuffer take() {
    boolean fits = bytes.length - length <= length >> FREE_SHIFT;
    ByteBuffer taken = ByteBuffer.wrap(fits ? bytes : Arrays.copyOf(bytes, length), 0, length);
    bytes = new byte[0];
    length = 0;
    return taken;
  }

  @Override
  public Path path() {
    return PATH;
  }

  @Override
  public long size() {
    return length;
  }

  @Override
  public void write(MemorySegment source, long offset) {
    int limit = Math.toIntExact(offset + source.byteSize());
    if (limit > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(limit, bytes.length + (bytes.length >> 1)));
    }
    MemorySegment.copy(
        source, ValueLayout.JAVA_BYTE, 0, bytes, (int) offset, (int) source.byteSize());
    length = Math.max(length, limit);
  }

  @Override
  public long read(MemorySegment target, long offset) {
    int count = (int) Math.clamp(length - offset, 0, target.byteSize());
    MemorySegment.copy(
        bytes, (int) Math.min(offset, length), target, ValueLayout.JAVA_BYTE, 0, count);
    return count;
  }

  @Override
  public void force() {}

  @Override
  public void truncate(long size) {
    length = Math.toIntExact(size);
  }

  @Override
  public void close() {}
}
