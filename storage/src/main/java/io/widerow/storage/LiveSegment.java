package io.widerow.storage;

import io.widerow.event.PartitionKey;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A segment that the manifest names, and its open file; or, when that is gone or cannot be read,
/// what was found. Then it is quarantined: the manifest still tells what it holds, whoever reads
/// that is told, and nobody else is disturbed.
///
/// - Threads: any.
/// - Memory: owns the file until [#close].
final class LiveSegment implements AutoCloseable {
  private final SegmentEntry entry;
  private final @Nullable Segment file;
  private final StorageException.@Nullable Corrupt found;

  LiveSegment(SegmentEntry entry, Segment file) {
    this.entry = entry;
    this.file = file;
    this.found = null;
  }

  /// One that is quarantined.
  LiveSegment(SegmentEntry entry, StorageException.Corrupt found) {
    this.entry = entry;
    this.file = null;
    this.found = found;
  }

  /// Null when it is quarantined.
  @Nullable Segment file() {
    return file;
  }

  SegmentEntry entry() {
    return entry;
  }

  /// The partitions in it.
  PartitionTable partitions() {
    return entry.partitions();
  }

  /// Opens a cursor over a partition that is here. The caller must hold a lease.
  ///
  /// @throws StorageException.Corrupt when it cannot be read
  EventCursor open(PartitionKey key, Scan scan, BlockReaders readers, Prefetch prefetch) {
    if (file == null) {
      throw damage().in(key);
    }
    return file.open(key, scan, readers, prefetch);
  }

  /// True when nothing wrong was found so far.
  boolean isWhole() {
    return found == null && (file == null || file.damage() == null);
  }

  /// What is wrong, as far as anybody has looked; null when nothing is known to be.
  @Nullable Damage known() {
    if (file != null) {
      return file.damage();
    }
    return damage().damage(Damage.Kind.SEGMENT, entry.infos());
  }

  private StorageException.Corrupt damage() {
    return Objects.requireNonNull(found); // or there is a file
  }

  /// Keeps the file open until [#release]; false when it is closed already.
  boolean tryAcquire() {
    return file == null || file.tryAcquire();
  }

  void release() {
    if (file != null) {
      file.release();
    }
  }

  /// Gives the owner's lease back.
  @Override
  public void close() {
    release();
  }

  /// The same, and has the file deleted when nobody reads it any more.
  void retire(Runnable delete) {
    if (file == null) {
      delete.run();
    } else {
      file.retire(delete);
    }
  }
}
