package io.widerow.storage.disk;

import io.widerow.storage.StoreView;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/// An open file of a [Disk].
///
/// - Threads: any thread may read; one at a time may write, force and close. Do not interrupt a
///   thread inside a call: Java then closes the channel for every thread.
public interface DiskFile extends AutoCloseable {
  Path path();

  long size();

  /// Writes all of `source` at `offset`; continues after short writes.
  void write(MemorySegment source, long offset);

  /// Fills `target` from `offset`.
  ///
  /// @return bytes read; less than the target's size only at the end of the file
  long read(MemorySegment target, long offset);

  /// The same for a view, whose requests are counted where a part is kept elsewhere.
  default long read(MemorySegment target, long offset, StoreView.Fetches fetches) {
    return read(target, offset);
  }

  /// True when a read may wait for a device, so that prefetching pays.
  default boolean mayWait() {
    return false;
  }

  /// True when a read of this part need not wait for a device at the moment. False when it is not
  /// known.
  default boolean isResident(long offset, long bytes) {
    return !mayWait();
  }

  /// False when parts of it are kept elsewhere, and each read of these costs a request.
  default boolean isHere() {
    return true;
  }

  /// Announces that a part will be read soon, from its begin on, in smaller parts.
  default void expect(long offset, long bytes) {}

  /// Makes everything written durable, data and size. After a failure the file must not be used
  /// again: the kernel may have dropped pages that it could not write.
  void force();

  /// Truncates the file to `size` bytes.
  void truncate(long size);

  @Override
  void close();
}
