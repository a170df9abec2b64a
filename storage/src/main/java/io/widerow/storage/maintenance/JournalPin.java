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
/// - Threads: any.
public final class JournalPin {
  private final Consumer<Runnable> tidy;
  private final ReentrantLock oneAtATime = new ReentrantLock();
  private final Map<Journal, Long> late = new LinkedHashMap<>(); // guarded by this
  private boolean held; // guarded by this
  private boolean closed; // guarded by oneAtATime

  /// @param tidy runs a step that is not needed for the work done, and reports its failure
  public JournalPin(Consumer<Runnable> tidy) {
    this.tidy = tidy;
  }

  /// Trims a journal, now or when the pin is released.
  public synchronized void trim(Journal journal, long lsn) {
    if (held) {
      late.merge(journal, lsn, Math::max);
    } else {
      journal.trim(lsn);
    }
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
    late.forEach((journal, lsn) -> tidy.accept(() -> journal.trim(lsn)));
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
