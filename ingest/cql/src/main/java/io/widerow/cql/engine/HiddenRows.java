package io.widerow.cql.engine;

import io.widerow.cql.fragment.RangeDeletion;
import io.widerow.cql.fragment.RowMerge;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The rows that the header of the current partition hides.
///
/// - Threads: one.
final class HiddenRows {
  private byte @Nullable [] partition;
  private long partitionDeleted = Long.MIN_VALUE;
  private final List<RangeDeletion> ranges = new ArrayList<>();

  /// True when this is about the partition of the present row.
  boolean isOf(MergedRows rows) {
    byte[] now = partition;
    return now != null && rows.isIn(now);
  }

  /// Begins a partition of which nothing is hidden so far.
  void begin(MergedRows rows) {
    partition = Arrays.copyOf(rows.key(), rows.partition());
    partitionDeleted = Long.MIN_VALUE;
    ranges.clear();
  }

  /// Adds the deletions of a header.
  void add(RowMerge header) {
    partitionDeleted = Math.max(partitionDeleted, header.partitionDeleted());
    ranges.addAll(header.ranges());
  }

  /// Time of the latest deletion that hides the present row; [Long#MIN_VALUE] for none.
  long deleted(MergedRows rows) {
    long latest = partitionDeleted;
    if (!ranges.isEmpty() && !rows.isHeader()) {
      MemorySegment key = MemorySegment.ofArray(rows.key());
      for (RangeDeletion range : ranges) {
        if (range.timestamp > latest && range.holds(key, rows.keyBytes())) {
          latest = range.timestamp;
        }
      }
    }
    return latest;
  }

  /// The keys of the header of the present partition.
  KeyRange header() {
    byte[] now = partition;
    if (now == null) {
      throw new IllegalStateException("no partition was begun");
    }
    byte[] from = Arrays.copyOf(now, now.length + 1);
    byte[] until = from.clone();
    until[now.length] = 1;
    return new KeyRange(from, until);
  }
}
