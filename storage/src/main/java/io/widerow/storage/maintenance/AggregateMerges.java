package io.widerow.storage.maintenance;

import io.widerow.event.PartitionKey;
import io.widerow.rollup.RollupDefinition;
import io.widerow.storage.StorageException;
import io.widerow.storage.aggregatefile.AggregateFileWriter;
import io.widerow.storage.live.LiveFigures;
import io.widerow.storage.live.SegmentFiles;
import io.widerow.storage.live.SegmentReplacement;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentOrigin;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Maintenance of the files of aggregates: drops expired files, and merges small ones, so that
/// their number grows with the logarithm of time (size-tiered compaction). Cells are copied as they
/// are.
///
/// - Threads: the merging one; [#isDue] any.
final class AggregateMerges {
  /// Files of about one size that become one.
  static final int MANY = 8;

  /// Bytes of a file from which it stays as it is.
  private static final long BYTES_LARGE = 2 << 20;

  /// A file of a longer time is dropped later: its time is at most this part of its age.
  private static final int KEEP_SHARE = 8;

  private static final long DAY_NANOS =
      PartitionKey.MINUTES_PER_DAY * PartitionKey.NANOS_PER_MINUTE;

  private final StoreContents contents;
  private final SegmentFiles files;
  private volatile Set<Long> unreadable = Set.of(); // ids of files

  AggregateMerges(StoreContents contents, SegmentFiles files) {
    this.contents = contents;
    this.files = files;
  }

  boolean isDue() {
    return !past().isEmpty() || !alike().isEmpty();
  }

  /// Does one thing.
  ///
  /// @return false when nothing was done
  boolean step() {
    List<LiveFigures> past = past();
    if (!past.isEmpty()) {
      return contents.replaced(SegmentReplacement.ofFigures(List.of(), past), () -> areThere(past));
    }
    List<LiveFigures> alike = alike();
    return !alike.isEmpty() && merge(alike);
  }

  private boolean areThere(List<LiveFigures> some) {
    return new HashSet<>(contents.state().segments().figures()).containsAll(some);
  }

  /// Files that no query needs any more. A rollup whose `keep` was reduced hides aggregates at
  /// once, and drops none before the time that was promised when it was written.
  private List<LiveFigures> past() {
    long now = contents.clock().retentionNanos();
    return contents.state().segments().figures().stream()
        .filter(each -> each.entry().untilNanos() + keepNanos(each) <= now)
        .toList();
  }

  private long keepNanos(LiveFigures figures) {
    long keep = figures.entry().keepNanos();
    if (figures.isWhole()) {
      for (String type : figures.file().partitions().types()) {
        keep = Math.max(keep, RollupDefinition.keepNanos(contents.rollups(), type));
      }
    }
    return keep;
  }

  /// Small files of about one size that become one; none when there are too few.
  private List<LiveFigures> alike() {
    Map<Integer, List<LiveFigures>> tiers = new TreeMap<>();
    for (LiveFigures figures : contents.state().segments().figures()) {
      long bytes = figures.entry().bytes();
      if (figures.isWhole() && bytes < BYTES_LARGE && !unreadable.contains(figures.entry().id())) {
        int tier = (Long.SIZE - Long.numberOfLeadingZeros(bytes)) / 2;
        tiers.computeIfAbsent(tier, _ -> new ArrayList<>()).add(figures);
      }
    }
    for (List<LiveFigures> tier : tiers.values()) {
      tier.sort(Comparator.comparingLong(each -> each.entry().fromNanos()));
      for (int at = 0; at + MANY <= tier.size(); at++) {
        List<LiveFigures> some = tier.subList(at, at + MANY);
        if (isShort(some)) {
          return List.copyOf(some);
        }
      }
    }
    return List.of();
  }

  private static boolean isShort(List<LiveFigures> some) {
    long from = some.stream().mapToLong(each -> each.entry().fromNanos()).min().orElseThrow();
    long until = some.stream().mapToLong(each -> each.entry().untilNanos()).max().orElseThrow();
    long keep = some.stream().mapToLong(each -> each.entry().keepNanos()).min().orElseThrow();
    return until - from <= Math.max(DAY_NANOS, keep / KEEP_SHARE);
  }

  /// A partition of a file.
  private record Part(LiveFigures from, int number) {}

  private boolean merge(List<LiveFigures> sources) {
    NavigableMap<PartitionKey, List<Part>> parts = new TreeMap<>();
    for (LiveFigures source : sources) {
      Segment file = source.file();
      for (int number = 0; number < file.partitions().size(); number++) {
        PartitionKey key = file.partitions().get(number).key();
        parts
            .computeIfAbsent(withShard(key, 0), _ -> new ArrayList<>())
            .add(new Part(source, number));
      }
    }
    long keep = sources.stream().mapToLong(each -> each.entry().keepNanos()).max().orElseThrow();
    LiveFigures merged = write(parts, keep, contents.origin(LiveFigures.sources(sources)));
    if (merged == null) {
      return true; // unreadable files are not touched from now on
    }
    SegmentReplacement swap = SegmentReplacement.ofFigures(List.of(merged), sources);
    try {
      files.figures().forceDirectory();
      if (!contents.replaced(swap, () -> areThere(sources))) {
        contents.abandon(swap, new IllegalStateException("something changed"));
        return false;
      }
      return true;
    } catch (Throwable failed) {
      contents.abandon(swap, failed);
      throw failed;
    }
  }

  /// Null when a source is damaged.
  private @Nullable LiveFigures write(
      NavigableMap<PartitionKey, List<Part>> parts, long keepNanos, SegmentOrigin origin) {
    try (AggregateFileWriter writer = files.figures().writer(contents.takeSegmentId(), List.of())) {
      for (Map.Entry<PartitionKey, List<Part>> part : parts.entrySet()) {
        int shard = 0;
        for (Part each : part.getValue()) {
          try {
            PartitionKey as = withShard(part.getKey(), shard++);
            writer.copy(each.from.file(), each.number, as, null);
          } catch (StorageException.Corrupt damaged) {
            each.from.file().cellsDamaged(damaged);
            contents.backgroundFailed(damaged);
            Set<Long> more = new HashSet<>(unreadable);
            more.add(each.from.entry().id());
            unreadable = Set.copyOf(more);
            return null;
          }
        }
      }
      return files.figures().adopt(writer, keepNanos, origin);
    }
  }

  private static PartitionKey withShard(PartitionKey key, int shard) {
    return new PartitionKey(key.bucketMinutes(), key.widthMinutes(), key.type(), shard);
  }
}
