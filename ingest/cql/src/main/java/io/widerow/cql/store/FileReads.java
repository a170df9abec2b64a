package io.widerow.cql.store;

import java.util.concurrent.atomic.AtomicLong;

/// Counts what is read of table files.
///
/// - Threads: any.
public final class FileReads {
  private final AtomicLong blocks = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();

  /// A block is read, from the disk or from the cache of blocks.
  ///
  /// @param stored its size in the file
  public void add(long stored) {
    blocks.incrementAndGet();
    bytes.addAndGet(stored);
  }

  public long blocks() {
    return blocks.get();
  }

  public long bytes() {
    return bytes.get();
  }
}
