package io.widerow.storage.upkeep;

import io.widerow.storage.live.LiveSegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The rows of one lane that wait to be sealed, oldest first. Threads that have come to seal take
/// them one by one, and write segments side by side; what they have written goes into the manifest
/// in the order in which the rows were filled, so that the last LSN it knows of the lane has
/// nothing unsealed before it.
///
/// ```
///              take            written           toCommit         committed
///   WAITING ----------> WRITING --------> WRITTEN --------> COMMITTING -------> gone
///      ^                   |        when it is the oldest,      |
///      +------- failed ----+------- and no other commits -------+
/// ```
///
/// Nobody waits for anybody: a thread that finds another at committing leaves its segments to that
/// one. After a failure nothing is taken until [#resume] or [#add].
///
/// - Threads: any.
final class SealQueue {
  /// A lane has three sets of rows at most, and fills one of them.
  static final int THREADS_MAX = 2;

  /// One set of rows, and how far it is.
  static final class Entry {
    private final SealJob job;
    private Stage stage = Stage.WAITING; // guarded by the queue, as is the rest
    private List<LiveSegment> segments = List.of();

    private Entry(SealJob job) {
      this.job = job;
    }

    SealJob job() {
      return job;
    }
  }

  private enum Stage {
    WAITING,
    WRITING,
    WRITTEN,
    COMMITTING
  }

  private final ArrayDeque<Entry> entries = new ArrayDeque<>(); // guarded by this, as is the rest
  private int threads; // that have come, or will
  private boolean stopped;

  /// Takes more rows; what failed is tried again with them.
  synchronized void add(SealJob job) {
    entries.add(new Entry(job));
    stopped = false;
  }

  /// True when one more thread is wanted. It must come then, or [#leave].
  synchronized boolean wantsThread() {
    boolean wanted = !stopped && threads < THREADS_MAX && waiting() != null;
    threads += wanted ? 1 : 0;
    return wanted;
  }

  /// The oldest rows that no other thread has taken; null when there are none, and the caller has
  /// left: rows that come from now on want another thread.
  synchronized @Nullable Entry takeOrLeave() {
    Entry next = stopped ? null : waiting();
    if (next == null) {
      leave();
    } else {
      next.stage = Stage.WRITING;
    }
    return next;
  }

  private @Nullable Entry waiting() {
    for (Entry entry : entries) {
      if (entry.stage == Stage.WAITING) {
        return entry;
      }
    }
    return null;
  }

  synchronized void written(Entry entry, List<LiveSegment> segments) {
    entry.segments = List.copyOf(segments);
    entry.stage = Stage.WRITTEN;
  }

  /// The oldest rows, when their segments are written and no other thread commits them. To be asked
  /// again behind every [#written] and [#committed].
  synchronized @Nullable Entry toCommit() {
    Entry oldest = entries.peek();
    if (oldest == null || oldest.stage != Stage.WRITTEN) {
      return null;
    }
    oldest.stage = Stage.COMMITTING;
    return oldest;
  }

  synchronized List<LiveSegment> segments(Entry entry) {
    return entry.segments;
  }

  /// The oldest rows are in the manifest.
  synchronized void committed() {
    entries.remove();
  }

  /// Segments were not written or not committed, and are gone; the rows are as they were.
  synchronized void failed(Entry entry) {
    entry.segments = List.of();
    entry.stage = Stage.WAITING;
    stopped = true;
  }

  synchronized boolean isStopped() {
    return stopped;
  }

  /// What failed may be tried again.
  synchronized void resume() {
    stopped = false;
  }

  synchronized void leave() {
    threads--;
    notifyAll();
  }

  /// Waits until all threads have left.
  synchronized void awaitLeft() throws InterruptedException {
    while (threads > 0) {
      wait();
    }
  }

  /// Segments that are written and will not be committed.
  synchronized List<LiveSegment> left() {
    List<LiveSegment> left = new ArrayList<>();
    entries.forEach(entry -> left.addAll(entry.segments));
    return left;
  }
}
