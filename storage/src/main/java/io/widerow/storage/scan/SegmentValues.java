package io.widerow.storage.scan;

import io.widerow.event.AttributeName;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreView;
import io.widerow.storage.segment.BlockDirectory;
import io.widerow.storage.segment.BlockReader;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentIndex;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Reads the values in blocks of one segment after the other, column by column; ids and rows are
/// not read. The names of all attributes are kept for [SegmentNames].
///
/// - Threads: one.
/// - Memory: one block. The caller holds a lease on the segments.
public final class SegmentValues implements AutoCloseable {
  private final BlockReaders readers;
  private final ColumnValues values = new ColumnValues();
  private @Nullable BlockReader reader;
  private long segmentId;

  public SegmentValues(BlockReaders readers) {
    this.readers = readers;
  }

  /// Reads a block of a partition.
  ///
  /// @param wanted which attributes
  public void read(
      Segment segment,
      SegmentIndex index,
      int block,
      Predicate<AttributeName> wanted,
      StoreView.ValueVisitor visitor) {
    BlockReader open = over(segment);
    try {
      open.open(index, block);
      BlockDirectory directory = open.directory();
      readers.names().tell(segment, index.blocksBefore + block, directory);
      visitor.block(index.partition.key().type(), directory.events);
      for (int column = 0; column < directory.columns; column++) {
        if (wanted.test(directory.names[column])) {
          values.read(open, column, visitor);
        }
      }
    } catch (StorageException.Corrupt damaged) {
      values.clear();
      throw segment.damaged(damaged, index.partition.key(), block);
    }
  }

  private BlockReader over(Segment segment) {
    BlockReader open = reader;
    if (open == null || segmentId != segment.segmentId()) {
      close();
      open = readers.take(segment);
      reader = open;
      segmentId = segment.segmentId();
    }
    return open;
  }

  /// Approximate memory held, in bytes.
  public long heldBytes() {
    BlockReader open = reader;
    return values.heldBytes() + (open == null ? 0 : open.heldBytes());
  }

  @Override
  public void close() {
    BlockReader open = reader;
    if (open != null) {
      reader = null;
      readers.give(open);
    }
  }
}
