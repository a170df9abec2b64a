package io.widerow.ingest.config;

import io.widerow.storage.FileLimit;
import org.jspecify.annotations.Nullable;

/// Divides the file descriptors of the process. Connections use descriptors too: if they took the
/// last one, the next journal file could not be created, and writing would end.
///
/// ```
///   allowed = a quarter for segments + what the daemon needs itself + connections
/// ```
///
/// @param allowed files that the process may have open
/// @param lanes of the daemon, each with its own files
public record FileBudget(long allowed, int lanes) {
  /// Libraries, sockets, event loops, and files that are open briefly.
  private static final int OWN = 176;

  private static final int OWN_OF_LANE = 8;
  private static final int CONNECTIONS_LEAST = 16;

  /// The budget of this process.
  public static FileBudget of(DaemonConfig config) {
    return new FileBudget(FileLimit.ofProcess(), config.lanes());
  }

  private long left() {
    return allowed - Math.clamp(allowed / 4, 16, 4_096) - OWN - (long) OWN_OF_LANE * lanes;
  }

  /// Connections for which there are descriptors.
  ///
  /// @param wanted upper limit
  public int connections(int wanted) {
    return Math.clamp(left(), 1, wanted);
  }

  /// Why the daemon cannot work; null when it can.
  public @Nullable String refusal() {
    if (left() >= CONNECTIONS_LEAST) {
      return null;
    }
    return "this process may have %d files open, but with %d lanes it needs at least %d"
            .formatted(allowed, lanes, least(lanes))
        + ": raise LimitNOFILE, or the hard limit of `ulimit -n`";
  }

  /// The fewest descriptors with which a daemon can work.
  public static long least(int lanes) {
    long taken = OWN + (long) OWN_OF_LANE * lanes + CONNECTIONS_LEAST;
    return taken + (taken - 1) / 3;
  }
}
