package io.widerow.storage.recovery;

import io.widerow.storage.maintenance.SealJob;
import io.widerow.storage.rows.OpenRows;
import java.util.List;

/// The newest replayed rows, kept open, and the older ones sealed: a journal may hold more than the
/// memory of open rows. What is kept is sealed when the store is open, as in a store that did not
/// stop.
///
/// ```
///   sealed while replaying, several sets at a time | kept
///                                                   <-------> three quarters of the memory
/// ```
///
/// The bytes of the records are known from the check of the journals; the index of the rows is not.
/// If there is no memory for the next rows, the oldest kept ones are sealed first.
///
/// - Threads: the one that opens the store.
/// - Memory: the kept rows belong to [ReplayedRows], the others to [RecoverySealer].
public final class RecentRows implements RowSink {
  private final ReplayedRows kept;
  private final RecoverySealer sealer;
  private final int most;
  private final long keptBytes;
  private long left; // bytes of records that are not in rows that were handed over
  private int open; // sets of rows that are kept or filled
  private boolean sealsNow; // the rows that are filled are not kept
  private boolean inParts; // a group larger than all of them is being sealed

  /// @param most sets of rows that may be open
  /// @param memory bytes of these
  /// @param recordBytes bytes of all records that come
  public RecentRows(
      ReplayedRows kept, RecoverySealer sealer, int most, long memory, long recordBytes) {
    this.kept = kept;
    this.sealer = sealer;
    this.most = most;
    this.keptBytes = memory / 4 * 3;
    this.left = recordBytes;
  }

  @Override
  public OpenRows openRows(int lane) {
    sealsNow = inParts || left > keptBytes;
    if (!sealsNow && open == most) {
      sealOldest();
      sealsNow = inParts;
    }
    if (sealsNow) {
      return sealer.openRows(lane);
    }
    open++;
    return kept.openRows(lane);
  }

  @Override
  public void seal(SealJob job, boolean whole) {
    left -= job.rows().limit();
    if (sealsNow) {
      sealer.seal(job, whole);
      inParts = !whole;
    } else {
      kept.seal(job, whole);
    }
  }

  /// Returns when its memory is free.
  private void sealOldest() {
    List<SealJob> oldest = kept.next();
    inParts = !kept.nextIsWhole();
    for (int i = 0; i < oldest.size(); i++) {
      sealer.seal(oldest.get(i), !inParts && i == oldest.size() - 1);
    }
    sealer.finish();
    kept.sealed();
    open -= oldest.size();
  }

  @Override
  public void finish() {
    sealer.finish();
  }

  @Override
  public void close() {
    sealer.close();
  }
}
