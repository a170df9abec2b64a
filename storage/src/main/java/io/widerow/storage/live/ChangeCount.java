package io.widerow.storage.live;

/// Count of the changes of what a store shows that are in no journal: of settings, deletions and
/// changed events. A backup replays journals over an earlier state of the segments, which is right
/// only as long as this count is the same.
///
/// - Threads: any.
public final class ChangeCount {
  /// In place of the count while a change of several steps is being made.
  public static final long CHANGING = -1;

  private long count; // guarded by this, as the other one
  private int changing;

  /// The count, or [#CHANGING].
  public synchronized long now() {
    return changing > 0 ? CHANGING : count;
  }

  /// A change in one step begins, under a lock that a reader of the state waits for.
  public synchronized void changed() {
    count++;
  }

  /// Begins a change of several steps, which ends when the result is closed.
  public synchronized Change begin() {
    changing++;
    return this::end;
  }

  private synchronized void end() {
    changing--;
    count++;
  }

  /// A change of several steps that is being made.
  public interface Change extends AutoCloseable {
    @Override
    void close();
  }
}
