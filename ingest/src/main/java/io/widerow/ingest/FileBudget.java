package io.widerow.ingest;

import io.widerow.storage.FileLimit;
import org.jspecify.annotations.Nullable;

/// Shares out the files that the daemon may have open. The kernel counts connections as files: were
/// they to take the last one, the next journal file could not be made, and writing would end.
///
/// ```
///   allowed = a quarter for segments + what the daemon needs itself + connections
/// ```
///
/// @param allowed files that the process may have open
/// @param lanes of the daemon, each with files of its own
record FileBudget(long allowed, int lanes) {
  /// Libraries, sockets, event loops, and what is open for a moment.
  private static final int OWN = 176;

  private static final int OWN_OF_LANE = 8;
  private static final int CONNECTIONS_LEAST = 16;

  /// Of this process.
  static FileBudget of(DaemonConfig config) {
    return new FileBudget(FileLimit.ofProcess(), config.lanes());
  }

  private long left() {
    return allowed - Math.clamp(allowed / 4, 16, 4_096) - OWN - (long) OWN_OF_LANE * lanes;
  }

  /// Connections that there are files for.
  ///
  /// @param wanted how many there should be
  int connections(int wanted) {
    return Math.clamp(left(), 1, wanted);
  }

  /// Why the daemon cannot work; null when it can.
  @Nullable String refusal() {
    if (left() >= CONNECTIONS_LEAST) {
      return null;
    }
    return "the system lets this process have %d files open, and with %d lanes it needs %d"
            .formatted(allowed, lanes, least(lanes))
        + " at least: raise LimitNOFILE, or the hard limit of `ulimit -n`";
  }

  /// The least that a daemon can work with.
  static long least(int lanes) {
    long taken = OWN + (long) OWN_OF_LANE * lanes + CONNECTIONS_LEAST;
    return taken + (taken - 1) / 3;
  }
}
