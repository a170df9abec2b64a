package io.widerow.storage.live;

import io.widerow.storage.Damage;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.StorageException;
import io.widerow.storage.manifest.FigureEntry;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentOrigin;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// An open file of aggregates that the manifest lists; or the damage found, when the file is
/// missing or cannot be read. A query that needs the file then fails.
///
/// - Threads: any.
/// - Memory: owns the file until [#close].
public final class LiveFigures {
  private final FigureEntry entry;
  private final @Nullable Segment file;
  private final StorageException.@Nullable Corrupt found;

  LiveFigures(FigureEntry entry, Segment file) {
    this.entry = entry;
    this.file = file;
    this.found = null;
  }

  /// One that cannot be read.
  LiveFigures(FigureEntry entry, StorageException.Corrupt found) {
    this.entry = entry;
    this.file = null;
    this.found = found;
  }

  public FigureEntry entry() {
    return entry;
  }

  /// Start of its first bucket, nanoseconds since the Unix epoch.
  public long fromNanos() {
    return entry.fromNanos();
  }

  /// End of its last bucket, nanoseconds since the Unix epoch.
  public long untilNanos() {
    return entry.untilNanos();
  }

  /// Its retention from then on, as set when it was written.
  public long keepNanos() {
    return entry.keepNanos();
  }

  /// Some of them, as what another file is made of.
  public static List<SegmentOrigin.Source> sources(List<LiveFigures> some) {
    return some.stream().map(each -> SegmentOrigin.Source.of(each.entry.id())).toList();
  }

  /// The file. The caller must hold a lease.
  ///
  /// @throws StorageException.Corrupt when it cannot be read
  public Segment file() {
    if (file == null) {
      throw found == null ? new IllegalStateException("no file") : found;
    }
    return file;
  }

  /// The same for a scan, which may skip the file.
  ///
  /// @return null when the scan skips the file
  public @Nullable Segment fileFor(ScanWatch watch) {
    StorageException.Corrupt told = found;
    if (told != null) {
      ScanWatch.Unread unread =
          ScanWatch.Unread.of(
              told, Damage.Kind.SEGMENT, null, entry.events(), fromNanos(), untilNanos() - 1);
      if (!watch.passesOver(unread)) {
        throw told;
      }
    }
    return file;
  }

  public boolean isWhole() {
    return file != null && file.damage() == null;
  }

  /// The damage, as far as reads have found it; null when none is known.
  public @Nullable Damage known() {
    return file != null
        ? file.damage()
        : found == null ? null : found.damage(Damage.Kind.SEGMENT, List.of());
  }

  boolean tryAcquire() {
    return file == null || file.tryAcquire();
  }

  void release() {
    if (file != null) {
      file.release();
    }
  }

  /// Gives the owner's lease back.
  public void close() {
    release();
  }

  /// The same, and deletes the file when its last reader is done.
  void retire(Runnable delete) {
    if (file == null) {
      delete.run();
    } else {
      file.retire(delete);
    }
  }
}
