package io.widerow.storage;

import java.nio.file.Path;
import java.util.List;

/// A part of a store that is not what was written, and what it held.
///
/// @param file that is damaged or gone
/// @param offset of the first byte that is known to be wrong
/// @param found a sentence
/// @param partitions what can no longer be read, as far as it is known: events are upper bounds,
///   times are those of the damaged part. Empty when nothing tells
public record Damage(
    Kind kind, Path file, long offset, String found, List<StoreView.PartitionInfo> partitions) {
  /// What is damaged.
  public enum Kind {
    /// What a program must understand; without it nothing can be read.
    FORMAT,
    /// Which segments are live; without it nothing can be read.
    MANIFEST,
    /// A segment that is gone, or whose index cannot be read.
    SEGMENT,
    /// A block of a segment; the others can be read.
    BLOCK,
    /// What helps to find words in a segment; every event can be read.
    FILTER,
    /// Groups of a journal that were acknowledged.
    JOURNAL,
    /// What a lane remembers of recent batches.
    NOTES
  }

  public Damage {
    partitions = List.copyOf(partitions);
  }

  static Damage of(
      StorageException.Corrupt told, Kind kind, List<StoreView.PartitionInfo> partitions) {
    return new Damage(kind, told.file, told.offset, told.found, partitions);
  }

  /// Events that cannot be read, an upper bound as far as it is known.
  public long events() {
    return partitions.stream().mapToLong(StoreView.PartitionInfo::events).sum();
  }

  /// One sentence with all of it but the partitions.
  public String sentence() {
    return "%s: corrupt at byte %d: %s".formatted(file, offset, found);
  }
}
