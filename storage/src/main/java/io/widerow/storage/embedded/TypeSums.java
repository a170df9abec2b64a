package io.widerow.storage.embedded;

import io.widerow.event.PartitionKey;
import io.widerow.event.Utf8;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.TypeInfo;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentIndex;
import io.widerow.storage.segment.SegmentSummary;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Adds up the metadata of each type from the indexes of segments and the open rows. Reads no
/// block.
final class TypeSums {
  private final Function<SegmentSummary.Partition, @Nullable PartitionInfo> shown;
  private final TreeMap<String, TypeInfo> sums = new TreeMap<>(Utf8::compare);

  /// @param shown the part of a segment's partition that counts; null for none
  TypeSums(Function<SegmentSummary.Partition, @Nullable PartitionInfo> shown) {
    this.shown = shown;
  }

  /// Adds a segment, which may be quarantined: its size is then not known.
  void add(LiveSegment segment) {
    for (SegmentSummary.Partition partition : segment.partitions()) {
      PartitionInfo info = shown.apply(partition);
      if (info != null) {
        add(info, blockBytes(segment.file(), partition.key()));
      }
    }
  }

  /// @param bytes size on disk
  void add(PartitionInfo info, long bytes) {
    if (info.events() > 0) {
      sums.merge(info.key().type(), TypeInfo.of(info, bytes), TypeInfo::and);
    }
  }

  private static long blockBytes(@Nullable Segment file, PartitionKey key) {
    SegmentIndex index = file == null ? null : file.index(key);
    long bytes = 0;
    for (int block = 0; index != null && block < index.blocks; block++) {
      bytes += index.blockBytes(block);
    }
    return bytes;
  }

  /// The types in the order of UTF-8.
  List<TypeInfo> types() {
    return List.copyOf(sums.values());
  }
}
