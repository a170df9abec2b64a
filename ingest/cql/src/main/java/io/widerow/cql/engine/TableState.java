package io.widerow.cql.engine;

import io.widerow.storage.disk.Lease;
import java.util.List;

/// The files and memtables of the tables at one moment.
///
/// - Threads: any; immutable.
/// - Memory: a lease on each part, until its own last lease is released.
final class TableState {
  private final List<TableMemory> memories; // the latest first
  private final List<LiveTableFile> files;
  private final Lease lease = new Lease(this::free);

  /// Takes a lease on each part; none of them may be closed yet.
  TableState(List<TableMemory> memories, List<LiveTableFile> files) {
    this.memories = List.copyOf(memories);
    this.files = List.copyOf(files);
    for (TableMemory memory : this.memories) {
      require(memory.tryAcquire());
    }
    for (LiveTableFile file : this.files) {
      require(file.tryAcquire());
    }
  }

  private static void require(boolean acquired) {
    if (!acquired) {
      throw new IllegalStateException("a part of the tables is closed");
    }
  }

  List<TableMemory> memories() {
    return memories;
  }

  List<LiveTableFile> files() {
    return files;
  }

  boolean tryAcquire() {
    return lease.tryAcquire();
  }

  void release() {
    lease.release();
  }

  private void free() {
    memories.forEach(TableMemory::release);
    files.forEach(LiveTableFile::release);
  }
}
