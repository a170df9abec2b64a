package io.widerow.storage.live;

import io.widerow.storage.Damage;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.StorageException;
import io.widerow.storage.manifest.AggregateEntry;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentOrigin;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// An open file of aggregates that the manifest lists; or the damage found, when the file is
/// missing or cannot be read. A query that needs the file then fails.
///
/// - Threads: any.
/// - Memory: owns the file until [#close].
public final class LiveFigures extends LiveFile {
  private final AggregateEntry entry;

  LiveFigures(AggregateEntry entry, Segment file) {
    super(file);
    this.entry = entry;
  }

  /// One that cannot be read.
  LiveFigures(AggregateEntry entry, StorageException.Corrupt found) {
    super(found);
    this.entry = entry;
  }

  public AggregateEntry entry() {
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
      throw found();
    }
    return file;
  }

  /// The same for a scan, which may skip the file.
  ///
  /// @return null when the scan skips the file
  public @Nullable Segment fileFor(ScanWatch watch) {
    if (file == null) {
      StorageException.Corrupt told = found();
      ScanWatch.Unread unread =
          ScanWatch.Unread.of(
              told, Damage.Kind.SEGMENT, null, entry.events(), fromNanos(), untilNanos() - 1);
      if (!watch.passesOver(unread)) {
        throw told;
      }
    }
    return file;
  }

  @Override
  List<PartitionInfo> infos() {
    return List.of();
  }
}
