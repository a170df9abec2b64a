package io.widerow.storage.cassandra.maintenance;

import io.widerow.event.TimeUuid;
import io.widerow.storage.cassandra.keyspace.Directory;
import io.widerow.storage.cassandra.keyspace.DirectoryRow;
import io.widerow.storage.cassandra.keyspace.SegmentKey;
import java.util.random.RandomGenerator;

/// Numbers of merges of a partition. A number contains the daemon that merges, so two daemons that
/// merge at once never write the same generation. It also orders merges by their start:
///
/// ```
///  31  30                                9  8            0
///  +---+---------------------------------+--------------+
///  | 0 | rank, rises from merge to merge | daemon       |
///  +---+---------------------------------+--------------+
/// ```
///
/// A merge takes a rank above the one in force and above each that it sees in the directory. So a
/// generation of the rank in force or below, other than the one in force, can never come into
/// force: its merge expects a generation that is gone. The merges of higher ranks may be in
/// progress.
///
/// The rank rises by chance, mostly by some hundred: a merge that a daemon gave up, and whose last
/// write arrives later, mostly has another number than the daemon's next one.
final class Generations {
  private static final int DAEMON_BITS = 9;
  private static final int RANK_LIMIT = 1 << 22;
  private static final int STEP_MAX = 1 << 10;

  static {
    assert TimeUuid.DAEMON_LIMIT == 1 << DAEMON_BITS : TimeUuid.DAEMON_LIMIT;
  }

  private Generations() {}

  static int rank(long generation) {
    return (int) (generation >>> DAEMON_BITS);
  }

  /// The generation of a daemon's next merge; -1 when the numbers have run out, after thousands of
  /// merges of the partition.
  static int next(Directory directory, int daemon, RandomGenerator random) {
    int rank = rank(directory.generation());
    for (DirectoryRow row : directory.rows()) {
      if (row.key().tier() == SegmentKey.MERGED) {
        rank = Math.max(rank, rank(row.key().seq()));
      }
    }
    int left = RANK_LIMIT - 1 - rank;
    if (left <= 0) {
      return -1;
    }
    int step = 1 + random.nextInt(Math.clamp(left >>> 12, 1, STEP_MAX));
    return (rank + step) << DAEMON_BITS | daemon;
  }

  /// True for a row that no reader shows, and none will.
  static boolean isObsolete(Directory directory, SegmentKey key) {
    return !directory.isShown(key)
        && (key.tier() == SegmentKey.APPLIED || rank(key.seq()) <= rank(directory.generation()));
  }
}
