package io.widerow.storage.scan;

import io.widerow.event.PartitionKey;
import io.widerow.storage.Filter;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreView;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentIndex;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Prefetcher of the blocks that a view's cursors will need next, so that the disk has many
/// requests in flight. It costs nothing while blocks come from the page cache: it starts only when
/// a read had to wait.
///
/// ```
///   without   A0 ~~~~~~ B0 ~~~~~~ C0 ~~~~~~ D0 ~~~~~~ merge ... A1 ~~~~~~ merge ...
///   with      A0 ~~~~~~ merge ...
///              B0 C0 D0 ~~~~~~  A1 ~~~~~~ B1 ~~~~~~     on threads of the owner
/// ```
///
/// - Threads: any.
/// - Memory: a small buffer for each range while it is read. The data lands in the kernel's page
///   cache, where the cursor finds it.
public final class Prefetch {
  /// For readers that take everything in the order of the file, which the kernel reads ahead.
  public static final Prefetch OFF = new Prefetch(null, new StoreView.Fetches());

  private final @Nullable Executor readers;
  private final StoreView.Fetches fetches;
  private final AtomicReference<Supplier<List<Range>>> starts = new AtomicReference<>(List::of);
  private volatile boolean waits; // a read has waited for the disk
  private volatile boolean over;

  /// @param readers runs the reads; null to read nothing ahead
  /// @param fetches those of the view
  public Prefetch(@Nullable Executor readers, StoreView.Fetches fetches) {
    this.readers = readers;
    this.fetches = fetches;
    this.over = readers == null;
  }

  /// A byte range of a segment.
  public record Range(Segment segment, long offset, int bytes) {
    /// The part of a block that a scan certainly reads: the whole block without a filter, else the
    /// directory, which says whether there is more to read.
    static Range of(Segment segment, SegmentIndex index, int block, Scan scan) {
      return readsAll(scan)
          ? new Range(segment, index.offset(block), index.blockBytes(block))
          : new Range(segment, index.offset(block), index.directoryBytes(block));
    }

    static boolean readsAll(Scan scan) {
      return scan.columns() == null && scan.filter() instanceof Filter.Everything;
    }

    /// The same for the first block of a partition in the scan's direction; null when there is
    /// none.
    public static @Nullable Range ofFirst(Segment segment, PartitionKey key, Scan scan) {
      SegmentIndex index = segment.index(key);
      if (index == null) {
        return null;
      }
      int first = index.firstBlock(scan.from());
      int limit = index.limitBlock(scan.until());
      return first < limit ? of(segment, index, scan.descending() ? limit - 1 : first, scan) : null;
    }
  }

  /// Registers the first blocks of a merge's partitions. When one of them makes a cursor wait, all
  /// are read ahead.
  ///
  /// @param ranges called then, once
  public void begin(Supplier<List<Range>> ranges) {
    starts.set(ranges);
    if (waits) {
      readStarts();
    }
  }

  /// Reports that a cursor had to wait for a block.
  void waited() {
    if (!over) {
      waits = true;
      readStarts();
    }
  }

  private void readStarts() {
    starts.getAndSet(List::of).get().forEach(this::next);
  }

  /// True when [#next] is worth calling.
  boolean isWanted() {
    return waits;
  }

  /// Reads a range ahead.
  void next(Range range) {
    Executor threads = readers;
    if (threads != null) {
      threads.execute(() -> read(range));
    }
  }

  private void read(Range range) {
    if (over || !range.segment.tryAcquire()) {
      return;
    }
    try {
      range.segment.touch(range.offset, range.bytes, fetches);
    } catch (RuntimeException failed) { // also what a limit of fetches throws
      waits = false; // the cursor reads the same place and reports the failure
    } finally {
      range.segment.release();
    }
  }

  /// Stops reading ahead.
  public void end() {
    over = true;
    waits = false;
    starts.set(List::of);
  }
}
