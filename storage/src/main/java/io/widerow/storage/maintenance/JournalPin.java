package io.widerow.storage.maintenance;

import io.widerow.storage.StorageException;
import io.widerow.storage.journal.Journal;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// Pin on the journal files: while a snapshot of the store is taken, none is deleted. Trims
/// requested during the pin run afterwards. Only a second snapshot waits.
///
/// A backup holds a journal from an LSN on: a trim goes up to it, and the rest of the trim follows
/// when the hold moves or ends.
///
/// - Threads: any.
public final class JournalPin {
  private final Consumer<Runnable> tidy;
  private final ReentrantLock oneAtATime = new ReentrantLock();
  private final Map<Journal, Long> late = new LinkedHashMap<>(); // guarded by this
  private final Map<Journal, Long> limits = new LinkedHashMap<>(); // guarded by this
  private final Map<Journal, Long> wanted = new LinkedHashMap<>(); // of these; guarded by this
  private boolean held; // guarded by this
  private volatile boolean closed; // written under oneAtATime

  /// @param tidy runs a step that is not needed for the work done, and reports its failure
  public JournalPin(Consumer<Runnable> tidy) {
    this.tidy = tidy;
  }

  /// Trims a journal, now or when the pin is released.
  public synchronized void trim(Journal journal, long lsn) {
    if (held) {
      late.merge(journal, lsn, Math::max);
    } else {
      trimNow(journal, lsn);
    }
  }

  private void trimNow(Journal journal, long lsn) {
    Long limit = limits.get(journal);
    if (limit == null) {
      journal.trim(lsn);
    } else {
      long all = wanted.merge(journal, lsn, Math::max);
      journal.trim(Math.min(all, limit));
    }
  }

  /// Keeps the frames of a journal after an LSN, which never decreases; those up to it go with the
  /// next trim.
  public synchronized void hold(Journal journal, long lsn) {
    limits.merge(journal, lsn, Math::max);
  }

  /// Ends the hold of a journal; what it kept goes with the next trim.
  public synchronized void letGo(Journal journal) {
    limits.remove(journal);
    Long left = wanted.remove(journal);
    if (left != null && !closed) {
      tidy.accept(() -> trim(journal, left));
    }
  }

  /// True when a hold keeps frames that are in segments.
  public synchronized boolean isHolding() {
    return wanted.entrySet().stream()
        .anyMatch(each -> each.getValue() > limits.getOrDefault(each.getKey(), Long.MAX_VALUE));
  }

  /// Runs `work` while nothing is trimmed.
  ///
  /// @throws StorageException.ReadOnly when the store is closed
  public <T> T holding(Supplier<T> work) {
    oneAtATime.lock();
    try {
      if (closed) {
        throw new StorageException.ReadOnly("the store is closed");
      }
      hold();
      try {
        return work.get();
      } finally {
        letGo();
      }
    } finally {
      oneAtATime.unlock();
    }
  }

  private synchronized void hold() {
    held = true;
  }

  private synchronized void letGo() {
    held = false;
    late.forEach((journal, lsn) -> tidy.accept(() -> trimNow(journal, lsn)));
    late.clear();
  }

  /// Waits for the holder and refuses later ones.
  public void close() {
    oneAtATime.lock();
    try {
      closed = true;
    } finally {
      oneAtATime.unlock();
    }
  }
}
