package io.widerow.storage;

import java.nio.file.Path;
import java.util.List;

/// A damaged or missing part of a store, and the events that it held.
///
/// @param place the damaged or missing part: a file, or the key of a row in a cluster
/// @param offset of the first byte known to be wrong
/// @param found the finding, as a sentence
/// @param partitions the unreadable partitions, as far as they are known: event counts are upper
///   bounds, times are those of the damaged part. Empty when no partition is known
public record Damage(
    Kind kind, String place, long offset, String found, List<PartitionInfo> partitions) {
  /// The kind of the damaged part.
  public enum Kind {
    /// The store's format file; without it nothing can be read.
    FORMAT,
    /// The list of live segments; without it nothing can be read.
    MANIFEST,
    /// A segment that is missing, or whose index cannot be read.
    SEGMENT,
    /// A block of a segment; other blocks can be read.
    BLOCK,
    /// A Bloom filter over the words in a segment; every event can be read.
    FILTER,
    /// Counts of the events of a segment by minute; every event can be read, and is counted.
    CELLS,
    /// A row of a table that cannot be read by the schema, whose bytes are as they were written.
    ROW,
    /// Acknowledged groups of a journal.
    JOURNAL,
    /// A lane's notes of recent batches.
    NOTES,
    /// The witness of the journals, damaged or missing; every event can be read. The next opening
    /// writes a new one.
    WITNESS,
    /// A stored statement of the schema of tables; every event and every row stays as it is.
    SCHEMA;

    /// True when it makes events, or their metadata, unreadable.
    public boolean isOfEvents() {
      return this != FILTER && this != CELLS && this != SCHEMA && this != ROW;
    }
  }

  public Damage {
    partitions = List.copyOf(partitions);
  }

  /// A part of a store on this machine.
  public Damage(Kind kind, Path file, long offset, String found, List<PartitionInfo> partitions) {
    this(kind, file.toString(), offset, found, partitions);
  }

  /// The file that is damaged or missing, of a store on this machine.
  public Path file() {
    return Path.of(place);
  }

  /// Events that cannot be read, an upper bound as far as it is known.
  public long events() {
    return partitions.stream()
        .filter(PartitionInfo::isCounted)
        .mapToLong(PartitionInfo::events)
        .sum();
  }

  /// Place, offset and finding in one sentence, without the partitions. Statements and rows have no
  /// offset.
  public String sentence() {
    return switch (kind) {
      case SCHEMA, ROW -> "%s: cannot be read: %s".formatted(place, found);
      default -> "%s: corrupt at byte %d: %s".formatted(place, offset, found);
    };
  }
}
