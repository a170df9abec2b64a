package io.widerow.cli;

import io.widerow.query.QueryException;
import io.widerow.storage.ClusterReport.Member;
import java.io.PrintStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Warns a client that follows a cluster in order when the lag of a daemon exceeds the client's:
/// the events that the daemon has accepted and not applied yet will be shown late. Each daemon is
/// reported once, and again only after its lag was small for a minute.
final class ClusterLagWarning {
  private static final long EVERY_NANOS = 5_000_000_000L; // as often as daemons report
  private static final long MINUTE_NANOS = 60_000_000_000L;

  /// A daemon that has not reported for so long is silent: what it had is as old as it is now.
  private static final long SILENT_MILLIS = 15_000;

  private final long lagNanos;
  private final Asked asked;
  private final PrintStream err;
  private final Map<Integer, Long> behindNanos = new HashMap<>();
  private boolean begun;
  private boolean ended;
  private long nextNanos;

  /// Asks for the daemons of the cluster.
  @FunctionalInterface
  interface Asked {
    /// @return null when there is no cluster
    @Nullable List<Member> daemons();
  }

  /// @param lagNanos age at which events are shown in order
  ClusterLagWarning(long lagNanos, Asked asked, PrintStream err) {
    this.lagNanos = lagNanos;
    this.asked = asked;
    this.err = err;
  }

  /// Reads the lag of each daemon if the interval has passed, and warns.
  ///
  /// @param nanoTime of [System#nanoTime]
  /// @param nowMillis the wall clock, milliseconds since the Unix epoch
  void check(long nanoTime, long nowMillis) {
    if (ended || (begun && nanoTime - nextNanos < 0)) {
      return;
    }
    begun = true;
    nextNanos = nanoTime + EVERY_NANOS;
    List<Member> daemons;
    try {
      daemons = asked.daemons();
    } catch (QueryException.Remote refused) {
      nextNanos = nanoTime + MINUTE_NANOS; // a token without the scope, or a daemon that is away
      return;
    }
    if (daemons == null) {
      ended = true;
      return;
    }
    for (Member daemon : daemons) {
      tell(daemon, nanoTime, nowMillis);
    }
  }

  private void tell(Member daemon, long nanoTime, long nowMillis) {
    Long before = behindNanos.get(daemon.daemon());
    long millis = millisBehind(daemon, nowMillis);
    if (millis * 1_000_000 > lagNanos) {
      if (before == null) {
        err.println(
            "daemon %d is %d s behind: late events will follow"
                .formatted(daemon.daemon(), (millis + 999) / 1_000));
      }
      behindNanos.put(daemon.daemon(), nanoTime);
    } else if (before != null && nanoTime - before >= MINUTE_NANOS) {
      behindNanos.remove(daemon.daemon());
    }
  }

  /// By the daemon's own clock at its last report, unless that is long ago.
  private static long millisBehind(Member daemon, long nowMillis) {
    if (daemon.oldestMillis() == 0) {
      return 0;
    }
    boolean silent = nowMillis - daemon.seenMillis() > SILENT_MILLIS;
    return (silent ? nowMillis : daemon.seenMillis()) - daemon.oldestMillis();
  }
}
