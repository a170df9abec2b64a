package io.widerow.storage.cassandra.migrate;

import io.widerow.storage.StorageException;
import io.widerow.storage.cassandra.keyspace.DaemonRow;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.Stamp;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Registers the daemons' numbers that are in the ids of a directory, so that no daemon of the
/// cluster ever gives out the same ids. Their owner is the directory's store.
final class DaemonNumberRegistry {
  private static final long RESERVED_BLOCK = 1L << 28; // as daemons reserve counters

  private final MigrationStatements statements;
  private final UUID storeId;
  private final String host;
  private final Map<Integer, DaemonRow> rows = new TreeMap<>();

  /// @param host the directory's host in the cluster's status
  DaemonNumberRegistry(MigrationStatements statements, UUID storeId, String host) {
    this.statements = statements;
    this.storeId = storeId;
    this.host = host;
  }

  /// Reads which numbers are registered.
  void read() {
    rows.clear();
    statements.ask(Keyspace::daemons).forEach(row -> rows.put(row.daemon(), row));
  }

  /// The cluster's state of one of the directory's numbers.
  ///
  /// @throws StorageException.ReadOnly when the number is another's
  @Nullable DaemonRow mine(int daemon) {
    DaemonRow row = rows.get(daemon);
    if (row == null || storeId.equals(row.owner())) {
      return row;
    }
    throw new StorageException.ReadOnly(refusal(row));
  }

  /// True when a number is the directory's.
  boolean isMine(int daemon) {
    DaemonRow row = rows.get(daemon);
    return row != null && storeId.equals(row.owner());
  }

  private String refusal(DaemonRow row) {
    String who =
        row.owner() == null
            ? "was released by %s, after it had applied up to %s"
                .formatted(row.host(), Stamp.text(row.applied().stamp()))
            : "belongs to %s on %s, seen last at %s"
                .formatted(row.owner(), row.host(), Instant.ofEpochMilli(row.seenMillis()));
    return ("daemon number %d is in the ids of this directory's events, and in the cluster it %s:"
            + " events of both could get the same ids. Migrate into a keyspace that no daemon has"
            + " written to as number %d: before its first daemon starts, or with that daemon's"
            + " daemon-number set to another one")
        .formatted(row.daemon(), who, row.daemon());
  }

  /// Begins an epoch of a number.
  ///
  /// @param limit counters of the directory are below this one
  /// @return the epoch
  /// @throws StorageException.ReadOnly when the number is another's
  int begin(int daemon, long limit) {
    while (true) {
      DaemonRow before = mine(daemon);
      int epoch = before == null ? 1 : before.epoch() + 1;
      long blocks = Math.ceilDiv(limit + 1, RESERVED_BLOCK) * RESERVED_BLOCK;
      long reserved = before == null ? blocks : Math.max(before.reserved(), blocks);
      if (statements.ask(to -> to.begin(daemon, before, storeId, host, epoch, reserved))) {
        return epoch;
      }
      read(); // another one was faster: mine() says whether it was another directory
    }
  }

  /// The applied position of a number before this run.
  List<Long> appliedLimits(int daemon) {
    DaemonRow row = mine(daemon);
    return row == null ? DaemonRow.Applied.NOTHING.laneLimits() : row.applied().laneLimits();
  }

  /// The visible position of a number; [Stamp#NONE] when nothing is visible.
  long appliedStamp(int daemon) {
    DaemonRow row = mine(daemon);
    return row == null ? Stamp.NONE : row.applied().stamp();
  }

  long appliedVersion(int daemon) {
    DaemonRow row = mine(daemon);
    return row == null ? 0 : row.applied().versionLimit();
  }
}
