package io.widerow.storage.maintenance;

import io.widerow.storage.live.LiveSegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Flush queue of one lane: the rows that wait to be sealed, oldest first. Sealing threads take
/// them one by one and write segments in parallel. The segments enter the manifest in the order in
/// which the rows were filled, so everything up to the lane's last LSN in the manifest is sealed.
///
/// ```
///              take            written           toCommit         committed
///   WAITING ----------> WRITING --------> WRITTEN --------> COMMITTING -------> gone
///      ^                   |        when it is the oldest,      |
///      +------- failed ----+------- and no other commits -------+
/// ```
///
/// No thread waits for another: if another thread is committing, a thread leaves its written
/// segments to it. After a failure nothing is taken until [#resume] or [#add].
///
/// - Threads: any.
final class SealQueue {
  /// Most threads. A lane has at most three sets of rows and fills one of them.
  static final int THREADS_MAX = 2;

  /// One set of rows and its stage.
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
  private int threads; // that are here or requested
  private boolean stopped;

  /// Adds rows, and resumes after a failure.
  synchronized void add(SealJob job) {
    entries.add(new Entry(job));
    stopped = false;
  }

  /// Requests one more thread if one is useful. If it returns true, a thread must call
  /// [#takeOrLeave] or [#leave].
  synchronized boolean wantsThread() {
    boolean wanted = !stopped && threads < THREADS_MAX && waiting() != null;
    threads += wanted ? 1 : 0;
    return wanted;
  }

  /// Takes the oldest rows that no thread has taken. Returns null when there are none; the calling
  /// thread has then left, and later rows need another thread.
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

  /// Takes the oldest rows to commit, if their segments are written and no other thread commits
  /// them. Call it again after every [#written] and [#committed].
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

  /// Removes the oldest rows, which are now in the manifest.
  synchronized void committed() {
    entries.remove();
  }

  /// Writing or committing failed. The segments are deleted, and the rows wait again.
  synchronized void failed(Entry entry) {
    entry.segments = List.of();
    entry.stage = Stage.WAITING;
    stopped = true;
  }

  synchronized boolean isStopped() {
    return stopped;
  }

  /// Allows a retry after a failure.
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

  /// Segments that are written and will never be committed.
  synchronized List<LiveSegment> left() {
    List<LiveSegment> left = new ArrayList<>();
    entries.forEach(entry -> left.addAll(entry.segments));
    return left;
  }
}
