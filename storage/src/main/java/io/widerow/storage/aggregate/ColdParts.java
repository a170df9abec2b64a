package io.widerow.storage.aggregate;

import io.widerow.event.PartitionKey;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreView;
import io.widerow.storage.cold.ColdFile;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentIndex;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The blocks in a range that are kept elsewhere, found in the indexes that are here.
public final class ColdParts {
  private ColdParts() {}

  /// @param keys partitions that are kept
  public static StoreView.Elsewhere of(CellView view, List<PartitionKey> keys, Scan scan) {
    Set<Long> segments = new HashSet<>();
    StoreView.Elsewhere sum = StoreView.Elsewhere.NONE;
    for (PartitionKey key : keys) {
      Scan kept = view.kept(key, scan);
      for (LiveSegment live : view.segmentsOf(key)) {
        Segment file = live.file();
        if (file != null && live.isCold() && view.wanted(live, key, kept) != null) {
          StoreView.Elsewhere part = blocks(file.index(key), kept);
          if (part.blocks() > 0) {
            int more = segments.add(file.segmentId()) ? 1 : 0;
            sum =
                sum.plus(
                    new StoreView.Elsewhere(more, part.blocks(), part.requests(), part.bytes()));
          }
        }
      }
    }
    return sum;
  }

  private static StoreView.Elsewhere blocks(@Nullable SegmentIndex index, Scan scan) {
    if (index == null) {
      return StoreView.Elsewhere.NONE;
    }
    int first = index.firstBlock(scan.from());
    int limit = index.limitBlock(scan.until());
    long bytes = 0;
    for (int block = first; block < limit; block++) {
      bytes += index.blockBytes(block);
    }
    int blocks = Math.max(0, limit - first);
    return new StoreView.Elsewhere(0, blocks, ColdFile.requests(bytes), bytes);
  }
}
