package io.widerow.storage.cassandra.value;

import io.widerow.storage.cassandra.keyspace.SegmentKey;
import io.widerow.storage.disk.DiskFile;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// A value of the cluster as a file that is only read. It reads from the value itself, without a
/// copy of it.
///
/// - Threads: any.
/// - Memory: the value, which it borrows until [#close]. A pool of block readers may keep the file
///   for longer.
final class ValueFile implements DiskFile {
  private final SegmentKey key;
  private volatile @Nullable MemorySegment bytes; // null when closed

  /// @param value from its position to its limit; must not change any more
  ValueFile(SegmentKey key, ByteBuffer value) {
    this.key = key;
    this.bytes = MemorySegment.ofBuffer(value).asReadOnly();
  }

  /// The segment's key, so that messages name it.
  static Path pathOf(SegmentKey key) {
    return Path.of(key.toString().replace('\0', '?'));
  }

  @Override
  public Path path() {
    return pathOf(key);
  }

  @Override
  public long size() {
    return value().byteSize();
  }

  private MemorySegment value() {
    MemorySegment value = bytes;
    if (value == null) {
      throw new IllegalStateException(key + " is closed");
    }
    return value;
  }

  @Override
  public long read(MemorySegment target, long offset) {
    MemorySegment value = value();
    long count = Math.max(0, Math.min(target.byteSize(), value.byteSize() - offset));
    MemorySegment.copy(value, Math.min(offset, value.byteSize()), target, 0, count);
    return count;
  }

  @Override
  public void write(MemorySegment source, long offset) {
    throw new IllegalStateException("a value of the cluster is never changed: " + key);
  }

  @Override
  public void force() {}

  @Override
  public void truncate(long size) {
    throw new IllegalStateException("a value of the cluster is never changed: " + key);
  }

  @Override
  public void close() {
    bytes = null;
  }
}
