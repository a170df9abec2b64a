package io.widerow.storage.live;

import io.widerow.storage.Damage;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.StorageException;
import io.widerow.storage.segment.Segment;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A file that the manifest lists: open, or the damage found, when it is missing or cannot be read.
///
/// - Threads: any.
/// - Memory: owns the file until [#close].
abstract sealed class LiveFile implements AutoCloseable permits LiveSegment, LiveFigures {
  final @Nullable Segment file;
  private final StorageException.@Nullable Corrupt found;

  LiveFile(Segment file) {
    this.file = file;
    this.found = null;
  }

  LiveFile(StorageException.Corrupt found) {
    this.file = null;
    this.found = found;
  }

  /// The events that are lost with it.
  abstract List<PartitionInfo> infos();

  final StorageException.Corrupt found() {
    return Objects.requireNonNull(found); // without one there is a file
  }

  /// True when no damage was found so far.
  public final boolean isWhole() {
    return file != null && file.damage() == null;
  }

  /// The damage, as far as reads have found it; null when none is known.
  public final @Nullable Damage known() {
    return file != null ? file.damage() : found().damage(Damage.Kind.SEGMENT, infos());
  }

  /// Keeps the file open until [#release].
  final void acquire() {
    if (file != null && !file.tryAcquire()) {
      throw new IllegalStateException(file.path() + " is closed already");
    }
  }

  final void release() {
    if (file != null) {
      file.release();
    }
  }

  /// Gives the owner's lease back.
  @Override
  public final void close() {
    release();
  }

  /// The same, and deletes the file when its last reader is done.
  final void retire(Runnable delete) {
    if (file == null) {
      delete.run();
    } else {
      file.retire(delete);
    }
  }
}
