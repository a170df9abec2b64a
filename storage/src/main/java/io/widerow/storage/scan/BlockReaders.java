package io.widerow.storage.scan;

import io.widerow.event.AttributeName;
import io.widerow.event.PartitionKey;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.disk.DiskFile;
import io.widerow.storage.disk.ReadDeadline;
import io.widerow.storage.rows.RowChunk;
import io.widerow.storage.segment.BlockReader;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentChecksum;
import io.widerow.storage.segment.SegmentIndex;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// Pool of block readers for one view. Every cursor has one. A few more, independent of the number
/// of cursors, serve readers that look ahead, see [BlockPrefilters].
///
/// - Threads: any.
public final class BlockReaders {
  /// So many readers may look ahead in a view, besides one a cursor.
  private static final int FURTHER_MAX = 4;

  /// For a single cursor: keeps no reader, and no thread looks ahead.
  public static final BlockReaders NONE = new BlockReaders(null, ReadDeadline.NONE);

  private final @Nullable BlockReaderPool shared;
  private final ReadDeadline deadline;
  private int further; // guarded by this

  private BlockReaders(@Nullable BlockReaderPool shared, ReadDeadline deadline) {
    this.shared = shared;
    this.deadline = deadline;
  }

  /// @param shared where readers come from and go to
  public static BlockReaders of(BlockReaderPool shared) {
    return of(shared, ReadDeadline.NONE);
  }

  /// @param deadline deadline of all readers; with one, no thread looks ahead
  public static BlockReaders of(BlockReaderPool shared, ReadDeadline deadline) {
    return new BlockReaders(shared, deadline);
  }

  public ReadDeadline deadline() {
    return deadline;
  }

  /// The executor that looks through blocks ahead; null when there is none.
  public @Nullable Executor searchers() {
    return shared == null || deadline.isAny() ? null : shared.threads().searching();
  }

  /// A reader of a segment's blocks. The caller gives it back with [#give].
  public BlockReader take(Segment segment) {
    return take(segment.file(), segment.checksum());
  }

  /// The same for a segment's file.
  BlockReader take(DiskFile file, SegmentChecksum checksum) {
    BlockReader idle = shared == null ? null : shared.poll();
    BlockReader reader = idle == null ? new BlockReader(file, checksum) : idle.over(file, checksum);
    return reader.limitedTo(deadline);
  }

  /// The blocks of a chunk of an open row, which it keeps.
  public Segment blocksOf(PartitionKey key, RowChunk chunk) {
    return Objects.requireNonNull(shared, "no pool").blocksOf(key, chunk);
  }

  /// The names of the attributes in a partition of a segment. The caller holds a lease on it.
  public Set<AttributeName> names(Segment segment, SegmentIndex index, ScanWatch watch) {
    return names().of(segment, index, this, watch);
  }

  /// The names of the attributes in a segment. The caller holds a lease on it.
  public Set<AttributeName> names(Segment segment, ScanWatch watch) {
    return names().ofAll(segment, this, watch);
  }

  SegmentNames names() {
    return shared == null ? new SegmentNames() : shared.names();
  }

  void give(BlockReader reader) {
    if (shared == null) {
      reader.close();
    } else {
      shared.give(reader);
    }
  }

  /// Lets a cursor have one more reader, until [#releaseFurther]; false when there are enough. A
  /// cursor that has several already leaves the last ones to others, so that up to three cursors of
  /// a merge have at least one each.
  ///
  /// @param readers that the cursor has, including its first
  synchronized boolean tryClaimFurther(int readers) {
    if (shared == null || further >= FURTHER_MAX / readers) {
      return false;
    }
    further++;
    return true;
  }

  synchronized void releaseFurther(int readers) {
    further -= readers;
  }
}
