package io.widerow.storage;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/// An open file of a [Disk].
///
/// - Threads: reads from any; writes, forces and close from one at a time. Nobody interrupts a
///   thread that is inside: Java closes a channel whose thread is interrupted, for everybody.
public interface DiskFile extends AutoCloseable {
  Path path();

  long size();

  /// Writes all of `source` at `offset`; short writes are continued.
  void write(MemorySegment source, long offset);

  /// Fills `target` from `offset`.
  ///
  /// @return bytes read, less than the target's size only at the end of the file
  long read(MemorySegment target, long offset);

  /// True when a read may have to wait for a device, so that it pays to read ahead.
  default boolean mayWait() {
    return false;
  }

  /// True when reading a part need not wait for a device, at the moment. False also when nobody
  /// knows.
  default boolean isResident(long offset, long bytes) {
    return !mayWait();
  }

  /// Makes what was written durable, data and size. After a failure the file must not be used
  /// again: the kernel may have dropped what it could not write.
  void force();

  /// Cuts the file to `size` bytes.
  void truncate(long size);

  @Override
  void close();
}
