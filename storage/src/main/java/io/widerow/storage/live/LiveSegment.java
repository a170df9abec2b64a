package io.widerow.storage.live;

import io.widerow.event.PartitionKey;
import io.widerow.storage.Damage;
import io.widerow.storage.StorageException;
import io.widerow.storage.manifest.SegmentEntry;
import io.widerow.storage.segment.PartitionTable;
import io.widerow.storage.segment.Segment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A segment that the manifest lists, and its open file; or what was found, when the file is gone
/// or cannot be read. The segment is quarantined then: the manifest still says what it holds, a
/// reader of one of its partitions gets an error, and nobody else is disturbed.
///
/// - Threads: any.
/// - Memory: owns the file until [#close].
public final class LiveSegment implements AutoCloseable {
  private final SegmentEntry entry;
  private final @Nullable Segment file;
  private final StorageException.@Nullable Corrupt found;

  LiveSegment(SegmentEntry entry, Segment file) {
    this.entry = entry;
    this.file = file;
    this.found = null;
  }

  /// One that is quarantined.
  public LiveSegment(SegmentEntry entry, StorageException.Corrupt found) {
    this.entry = entry;
    this.file = null;
    this.found = found;
  }

  /// Null when it is quarantined.
  public @Nullable Segment file() {
    return file;
  }

  public SegmentEntry entry() {
    return entry;
  }

  /// The partitions in it.
  public PartitionTable partitions() {
    return entry.partitions();
  }

  /// The file, to read a partition from. The caller must hold a lease.
  ///
  /// @throws StorageException.Corrupt when it is quarantined
  public Segment fileFor(PartitionKey key) {
    if (file == null) {
      throw damage().in(key);
    }
    return file;
  }

  /// True when no damage was found so far.
  public boolean isWhole() {
    return found == null && (file == null || file.damage() == null);
  }

  /// The damage, as far as anybody has looked; null when none is known.
  public @Nullable Damage known() {
    if (file != null) {
      return file.damage();
    }
    return damage().damage(Damage.Kind.SEGMENT, entry.infos());
  }

  private StorageException.Corrupt damage() {
    return Objects.requireNonNull(found); // without one there is a file
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

  /// The same, and deletes the file when nobody reads it any more.
  void retire(Runnable delete) {
    if (file == null) {
      delete.run();
    } else {
      file.retire(delete);
    }
  }
}
