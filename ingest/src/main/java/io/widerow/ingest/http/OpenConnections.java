package io.widerow.ingest.http;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// The open connections, up to a limit. At the limit a new one is let in, and an old one is closed
/// for it: of those whose request (or TLS handshake) is not finished the oldest, else the one that
/// has been quiet for longest after its last response. One whose request is being answered is never
/// closed; when all are, the new one is refused.
///
/// So connections that are held open without a request cannot keep others out, wherever they come
/// from. A client that finishes its request is closed only if as many newer connections arrive
/// before that as there may be in all.
///
/// - Threads: any. The search takes time in proportion to the connections, and only at the limit.
final class OpenConnections {
  private final int most;
  private final Set<Connection> all = ConcurrentHashMap.newKeySet();
  private final AtomicInteger count = new AtomicInteger();
  private final LongAdder evicted = new LongAdder();
  private final ReentrantLock evicting = new ReentrantLock(); // none is chosen twice

  /// One connection.
  interface Connection {
    /// The state of a connection, in the order of eviction.
    enum State {
      UNFINISHED,
      QUIET,
      ANSWERING
    }

    State state();

    /// When it came into this state, in the time of [System#nanoTime].
    long sinceNanos();

    /// Closes it soon.
    void evict();
  }

  OpenConnections(int most) {
    this.most = most;
  }

  /// Adds a connection, for which an old one may have to go. False when there is no room; call
  /// [#remove] in any case when it has ended.
  boolean add(Connection added) {
    if (count.incrementAndGet() <= most) {
      all.add(added);
      return true;
    }
    evicting.lock();
    try {
      Connection oldest = oldest();
      if (oldest == null) {
        return false;
      }
      all.remove(oldest); // still counted until it is closed
      evicted.increment();
      oldest.evict();
      all.add(added);
      return true;
    } finally {
      evicting.unlock();
    }
  }

  private @Nullable Connection oldest() {
    Connection found = null;
    Connection.State state = Connection.State.ANSWERING;
    long since = 0;
    for (Connection each : all) {
      Connection.State its = each.state();
      long itsSince = each.sinceNanos();
      int order = its.compareTo(state);
      if (order < 0 || (order == 0 && found != null && itsSince - since < 0)) {
        found = each;
        state = its;
        since = itsSince;
      }
    }
    return found;
  }

  /// Removes a connection that has ended.
  void remove(Connection ended) {
    all.remove(ended);
    count.decrementAndGet();
  }

  /// True while one is being answered.
  boolean isAnswering() {
    return all.stream().anyMatch(each -> each.state() == Connection.State.ANSWERING);
  }

  /// Connections closed to make room.
  long evicted() {
    return evicted.sum();
  }
}
