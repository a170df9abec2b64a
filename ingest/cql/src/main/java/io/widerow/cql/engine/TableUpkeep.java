package io.widerow.cql.engine;

import io.widerow.cql.fragment.TombstonePolicy;
import io.widerow.cql.tablestats.TableOrigin;
import io.widerow.storage.StorageException;
import io.widerow.storage.journal.Journal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// Work in the background: flushes memory to files, and merges files (compaction) by tiers of size,
/// so that a key lies in few of them.
///
/// A deletion is kept for ten days, so that a write of an earlier time that comes late stays
/// hidden; then a merge of all files forgets it. The same holds for what has expired. A file of
/// which a large part is forgotten is merged alone.
///
/// - Threads: any; one at a time flushes, and concurrently one at a time merges.
final class TableUpkeep {
  /// The time for which tombstones stay after the last write of their file, in seconds.
  static final long GRACE_SECONDS = 864_000;

  private static final int MERGE_LEAST = 4;
  private static final int MERGE_MOST = 16;
  private static final long TIER_BYTES = 1 << 20; // files up to this are of one tier
  private static final int TIER_BITS = 2; // the next tier has files of up to four times as much
  private static final int FILES_MOST = 24; // with more, the writer merges before it continues

  private final TableContents contents;
  private final Task flushing = new Task();
  private final Task merging = new Task();
  private volatile @Nullable Journal journal;
  private volatile ObsoleteKeys forgotten = ObsoleteKeys.NOTHING;
  private volatile boolean ended;
  private volatile boolean metDamage; // merging would meet it again

  TableUpkeep(TableContents contents) {
    this.contents = contents;
  }

  /// The journal whose files go when what they have is flushed.
  void trim(Journal started) {
    journal = started;
  }

  /// Sets the rows that every new file omits; the change that removed them is forced to disk.
  void forget(ObsoleteKeys told) {
    forgotten = told;
    start();
  }

  /// Work of one kind: one task at a time runs.
  private static final class Task {
    final ReentrantLock lock = new ReentrantLock();
    final AtomicBoolean scheduled = new AtomicBoolean();
  }

  /// Hands the work that is due to the executor.
  void start() {
    if (isFlushDue()) {
      start(flushing, this::flushDue);
    }
    if (isMergeDue()) {
      start(merging, this::mergeDue);
    }
  }

  private void start(Task task, Runnable work) {
    if (!task.scheduled.compareAndSet(false, true)) {
      return;
    }
    boolean handedOver = false;
    try {
      contents
          .context()
          .background()
          .execute(() -> {
            task.scheduled.set(false);
            run(task, work);
          });
      handedOver = true;
    } finally {
      if (!handedOver) {
        task.scheduled.set(false);
      }
    }
  }

  private void run(Task task, Runnable work) {
    task.lock.lock();
    try {
      work.run();
    } catch (StorageException failure) {
      if (failure instanceof StorageException.Corrupt) {
        metDamage = true;
      }
      contents.context().store().backgroundFailed(failure); // tried again when it is called next
    } finally {
      task.lock.unlock();
    }
  }

  private boolean isFlushDue() {
    return goesOn() && contents.state().memories().size() > 1;
  }

  private boolean isMergeDue() {
    return goesOn() && !due().isEmpty();
  }

  private boolean goesOn() {
    return !ended && !contents.context().store().hasEnded();
  }

  private void flushDue() {
    while (isFlushDue()) {
      flushOldest();
      start(); // a merge may be due now
    }
  }

  private void mergeDue() {
    while (isMergeDue()) {
      merge(due());
    }
  }

  /// Flushes every memory but the latest ones, on this thread.
  ///
  /// @param left how many stay
  void flushUntil(int left) {
    flushing.lock.lock();
    try {
      while (contents.state().memories().size() > left) {
        flushOldest();
      }
    } finally {
      flushing.lock.unlock();
    }
  }

  /// Merges on this thread while there are many files: the writer must not make them faster than
  /// they are merged.
  void keepFilesFew() {
    if (hasManyFiles()) {
      run(
          merging,
          () -> {
            while (hasManyFiles() && isMergeDue()) {
              merge(due());
            }
          });
    }
  }

  private boolean hasManyFiles() {
    return contents.state().files().size() > FILES_MOST;
  }

  private void flushOldest() {
    TableMemory oldest = contents.state().memories().getLast();
    LiveTableFile written = null;
    if (!oldest.isEmpty()) {
      long seconds = contents.context().nowSeconds() + 1;
      var origin = new TableOrigin(seconds, oldest.lsnBefore(), oldest.lsnLast(), List.of());
      var rows = List.of(oldest.fragments(KeyRange.ALL, false, Long.MAX_VALUE));
      written = write(rows, TombstonePolicy.NOTHING, origin);
    }
    try {
      contents.flushed(oldest, written);
    } catch (StorageException failure) {
      abandon(written, failure);
      throw failure;
    }
    trimTo(oldest.lsnLast());
  }

  /// Trims the journal up to an LSN, or as far as an earlier call did.
  void trimTo(long lsn) {
    Journal trimmed = journal;
    if (trimmed != null) {
      contents.context().trims().trim(trimmed, lsn);
    }
  }

  private @Nullable LiveTableFile write(
      List<Fragments> rows, TombstonePolicy purge, TableOrigin origin) {
    return contents.files().write(contents.takeId(), rows, purge, forgotten, origin);
  }

  /// A file that did not enter the manifest. After a failed force it may have entered it.
  private void abandon(@Nullable LiveTableFile written, StorageException failure) {
    if (written == null) {
      return;
    }
    if (failure instanceof StorageException.DiskFull) {
      written.retire(() -> contents.files().delete(written.entry()));
    } else {
      written.close();
    }
  }

  /// The files to merge next; none when there are none.
  private List<LiveTableFile> due() {
    List<LiveTableFile> tier = tier();
    if (!tier.isEmpty() || hasDamage()) {
      return tier;
    }
    ObsoleteKeys now = forgotten;
    return contents.state().files().stream()
        .filter(file -> file.isLargelyForgotten(now))
        .limit(1)
        .toList();
  }

  /// True when a file is damaged, or when damage was found by reading: its contents may matter.
  private boolean hasDamage() {
    return metDamage || contents.state().files().stream().anyMatch(file -> file.damage() != null);
  }

  /// The files of the least tier that has enough of them.
  private List<LiveTableFile> tier() {
    List<LiveTableFile> files = contents.state().files();
    if (hasDamage()) {
      return List.of();
    }
    List<LiveTableFile> bySize =
        files.stream().sorted(Comparator.comparingLong(file -> file.entry().bytes())).toList();
    List<LiveTableFile> tier = new ArrayList<>();
    for (LiveTableFile file : bySize) {
      if (!tier.isEmpty() && tierOf(file) != tierOf(tier.getFirst())) {
        if (tier.size() >= MERGE_LEAST) {
          break;
        }
        tier.clear();
      }
      if (tier.size() < MERGE_MOST) {
        tier.add(file);
      }
    }
    return tier.size() >= MERGE_LEAST ? tier : List.of();
  }

  private static int tierOf(LiveTableFile file) {
    long times = Math.max(0, file.entry().bytes() - 1) / TIER_BYTES;
    return (Long.SIZE - Long.numberOfLeadingZeros(times) + TIER_BITS - 1) / TIER_BITS;
  }

  /// Merges every file into one, whatever their sizes.
  void mergeAll() {
    merging.lock.lock();
    try {
      List<LiveTableFile> files = contents.state().files();
      if (!files.isEmpty()) {
        merge(files);
      }
    } finally {
      merging.lock.unlock();
    }
  }

  private void merge(List<LiveTableFile> files) {
    List<Fragments> rows = new ArrayList<>();
    long newest = Long.MIN_VALUE;
    long lsnLast = 0;
    for (LiveTableFile file : files) {
      newest = Math.max(newest, file.file().origin().newestSeconds());
      lsnLast = Math.max(lsnLast, file.file().origin().lsnLast());
    }
    TombstonePolicy purge = purge(files, newest);
    files.forEach(file -> rows.add(file.file().fragments(KeyRange.ALL, false)));
    List<Long> ids = files.stream().map(file -> file.entry().id()).toList();
    var origin = new TableOrigin(newest, 0, lsnLast, ids);
    LiveTableFile written = write(rows, purge, origin);
    try {
      contents.merged(files, written);
    } catch (StorageException failure) {
      abandon(written, failure);
      throw failure;
    }
  }

  /// The tombstones that a merge may drop: in a merge of all files, those older than all data in
  /// memory. Files and memory are read at one moment, because a flush may run concurrently.
  private TombstonePolicy purge(List<LiveTableFile> files, long newestSeconds) {
    long now = contents.context().purgeSeconds();
    if (newestSeconds > now - GRACE_SECONDS) {
      return TombstonePolicy.NOTHING;
    }
    TableState state = contents.lease();
    try {
      if (state.files().size() > files.size()) {
        return TombstonePolicy.NOTHING;
      }
      long least = Long.MAX_VALUE;
      for (TableMemory memory : state.memories()) {
        least = Math.min(least, leastTimestamp(memory));
      }
      return new TombstonePolicy(least, now - GRACE_SECONDS);
    } finally {
      state.release();
    }
  }

  private static long leastTimestamp(TableMemory memory) {
    long least = Long.MAX_VALUE;
    try (var rows =
        new MergedRows(List.of(memory.fragments(KeyRange.ALL, false, Long.MAX_VALUE)), false)) {
      while (rows.next()) {
        least = Math.min(least, rows.merge().leastTimestamp());
      }
    }
    return least;
  }

  /// Begins no more work, and waits for running work.
  void end() {
    ended = true;
    for (Task task : List.of(flushing, merging)) {
      task.lock.lock();
      try {
        task.scheduled.set(false);
      } finally {
        task.lock.unlock();
      }
    }
  }
}
