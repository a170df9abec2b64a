package io.widerow.storage.scan;

import io.widerow.event.AttributeName;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreView;
import io.widerow.storage.segment.BlockDirectory;
import io.widerow.storage.segment.BlockReader;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentIndex;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Reads the values in blocks of one segment after the other, column by column. The names of all
/// attributes are kept for [SegmentNames].
///
/// - Threads: one.
/// - Memory: one block. The caller holds a lease on the segments.
public final class SegmentValues implements AutoCloseable {
  private final BlockReaders readers;
  private final ColumnValues values = new ColumnValues();
  private @Nullable BlockRows rows;
  private @Nullable TokenGroups tokens; // null when the scan tests none
  private @Nullable Scan scan; // of the partition that is open
  private long segmentId;

  public SegmentValues(BlockReaders readers) {
    this.readers = readers;
  }

  /// Reads the rows of a block of a partition that a scan keeps.
  ///
  /// @param scan its range, and its filter without tests of the type
  /// @param wanted which attributes
  public void read(
      Segment segment,
      SegmentIndex index,
      int block,
      Scan scan,
      Predicate<AttributeName> wanted,
      StoreView.ValueVisitor visitor) {
    BlockRows open = over(segment, scan);
    if (tokens != null && !tokens.mayKeep(index.blocksBefore + block, scan.filter())) {
      return;
    }
    try {
      if (!open.open(index, block) || open.count() == 0) {
        return;
      }
      BlockReader reader = open.reader();
      BlockDirectory directory = reader.directory();
      readers.names().tell(segment, index.blocksBefore + block, directory);
      visitor.block(index.partition.key().type(), open.count());
      for (int column = 0; column < directory.columns; column++) {
        if (wanted.test(directory.names[column])) {
          values.read(reader, column, open.kept(), visitor);
        }
      }
    } catch (StorageException.Corrupt damaged) {
      values.clear();
      throw segment.damaged(damaged, index.partition.key(), block);
    }
  }

  private BlockRows over(Segment segment, Scan of) {
    BlockRows open = rows;
    if (open != null && segmentId == segment.segmentId() && of.equals(scan)) {
      return open;
    }
    if (open == null) {
      open = new BlockRows(segment, readers.take(segment), of, readers.deadline());
      rows = open;
    } else {
      open.over(segment, of, readers.deadline());
    }
    tokens =
        TokenGroups.tell(segment, of.filter())
            ? new TokenGroups(segment, readers.deadline(), () -> {})
            : null;
    segmentId = segment.segmentId();
    scan = of;
    return open;
  }

  /// Approximate memory held, in bytes.
  public long heldBytes() {
    BlockRows open = rows;
    return values.heldBytes() + (open == null ? 0 : open.heldBytes());
  }

  @Override
  public void close() {
    BlockRows open = rows;
    if (open != null) {
      rows = null;
      readers.give(open.reader());
    }
  }
}
