package io.widerow.storage.recovery;

import io.widerow.storage.live.StoreContents;
import io.widerow.storage.maintenance.SealJob;
import io.widerow.storage.rows.OpenRows;
import io.widerow.storage.rows.RowMemory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/// Keeps replayed events in open rows, where readers find them: in a store that is only read, or
/// whose disk has no room for segments. That takes as much memory as the rows had before the store
/// stopped.
///
/// - Threads: the one that opens the store, then one that seals. [#jobs] may be read by one other.
/// - Memory: the pool belongs to the caller.
public final class ReplayedRows implements RowSink {
  private final StoreContents contents;
  private final RowMemory memory;
  private final ArrayDeque<List<SealJob>> jobs = new ArrayDeque<>(); // guarded by this
  private boolean begun; // the last of them is not whole; guarded by this

  public ReplayedRows(StoreContents contents, RowMemory memory) {
    this.contents = contents;
    this.memory = memory;
  }

  @Override
  public OpenRows openRows(int lane) {
    OpenRows rows = contents.tryOpenRows(lane, 0, memory);
    if (rows == null) {
      throw new IllegalStateException("no memory for one more set of rows");
    }
    return rows;
  }

  @Override
  public synchronized void seal(SealJob job, boolean whole) {
    if (begun) {
      jobs.getLast().add(job);
    } else {
      jobs.add(new ArrayList<>(List.of(job)));
    }
    begun = !whole;
  }

  /// The rows that are held, in the order in which they must be sealed.
  public synchronized Collection<SealJob> jobs() {
    return jobs.stream().flatMap(List::stream).toList();
  }

  /// The rows to seal next, together; none when all are sealed.
  public synchronized List<SealJob> next() {
    List<SealJob> next = jobs.peek();
    return next == null ? List.of() : List.copyOf(next);
  }

  /// False when the rows of [#next] hold only a part of their group so far.
  synchronized boolean nextIsWhole() {
    return jobs.size() > 1 || !begun;
  }

  /// The rows of [#next] are sealed.
  public synchronized void sealed() {
    jobs.remove();
    begun &= !jobs.isEmpty();
  }

  @Override
  public void finish() {}

  @Override
  public void close() {}
}
