package io.widerow.storage.cassandra.apply;

import io.widerow.event.TimeUuid;
import io.widerow.storage.StorageException;
import io.widerow.storage.cassandra.keyspace.DaemonRow;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.KeyspaceException;
import io.widerow.storage.cassandra.keyspace.StoreIdentity;
import io.widerow.storage.disk.Disk;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// The number of a daemon, its epoch, and the arrival numbers that it may give. The number belongs
/// to a directory, its owner, by a row of the keyspace; each start raises the epoch and reserves
/// more arrival numbers, so whatever copies of a directory do, no two of them give one id to two
/// events, or write under one key.
///
/// - Threads: one; any reads the counters.
public final class DaemonNumber {
  /// Arrival numbers of a reservation.
  public static final long BLOCK = 1L << 28;

  /// Name of the file with the owner of a directory.
  public static final String OWNER_FILE = OwnerFile.NAME;

  private static final long OWNER_MILLIS = 5_000;
  private static final int EPOCH_MAX = 1 << 18;

  private final Disk disk;
  private final Path directory;
  private final ApplyOptions options;
  private volatile OwnerFile owner;
  private boolean begun;
  private boolean soleSaid;
  private final SingleDaemonCheck sole = new SingleDaemonCheck();
  private long askedMillis;
  private volatile List<DaemonRow> daemons = List.of();

  private DaemonNumber(Disk disk, Path directory, ApplyOptions options, OwnerFile owner) {
    this.disk = disk;
    this.directory = directory;
    this.options = options;
    this.owner = owner;
  }

  /// Reads whose a directory is; the first time it becomes one of this store.
  ///
  /// @param store null while the cluster cannot be reached
  /// @throws StorageException.Incompatible when the directory belongs to another store
  /// @throws StorageException.Unreachable when the cluster is away and the directory has no number
  public static DaemonNumber of(
      Disk disk, Path directory, ApplyOptions options, @Nullable StoreIdentity store) {
    OwnerFile owner = OwnerFile.read(disk, directory);
    if (owner == null) {
      if (store == null) {
        throw away(directory, null);
      }
      owner = new OwnerFile(UUID.randomUUID(), store, -1, 0, 0, 0, 0);
      owner.write(disk, directory);
    } else if (store != null && !store.id().equals(owner.store().id())) {
      throw new StorageException.Incompatible(
          directory,
          "belongs to the store %s, and the keyspace is the store %s"
              .formatted(owner.store().id(), store.id()));
    }
    return new DaemonNumber(disk, directory, options, owner);
  }

  /// The store that a directory belongs to, as its last start found it; null when it belongs to
  /// none yet.
  ///
  /// @throws StorageException.Corrupt when the file with the number is damaged
  public static @Nullable StoreIdentity storeOf(Disk disk, Path directory) {
    OwnerFile owner = OwnerFile.read(disk, directory);
    return owner == null || owner.daemon() < 0 ? null : owner.store();
  }

  private static StorageException away(Path directory, @Nullable Throwable cause) {
    return new StorageException.Unreachable(
        directory
            + ": the cluster cannot be reached, and nothing is reserved here to start without it",
        Objects.requireNonNullElseGet(
            cause,
            () -> new KeyspaceException(KeyspaceException.Kind.UNREACHABLE, "not connected")));
  }

  /// Takes the number, or continues with the reserved one when the cluster is unreachable.
  ///
  /// @throws StorageException.Locked when another directory has the number
  /// @throws StorageException.Unreachable when the cluster is away and nothing is reserved
  public void start(Keyspace keyspace, RetryingStatements statements) {
    try {
      begin(keyspace, statements);
    } catch (KeyspaceException failed) {
      if (failed.kind == KeyspaceException.Kind.REFUSED || owner.daemon() < 0) {
        throw away(directory, failed);
      }
    }
  }

  /// Begins an epoch, once.
  ///
  /// @throws KeyspaceException when a statement fails; the next call continues
  /// @throws StorageException.Locked when another directory has the number
  void begin(Keyspace keyspace, RetryingStatements statements) {
    while (!begun) {
      List<DaemonRow> rows = statements.once("read the daemons", keyspace.daemons());
      int number = owner.daemon() >= 0 ? owner.daemon() : choose(rows);
      DaemonRow before = row(rows, number);
      requireMine(number, before);
      int epoch = (before == null ? 0 : before.epoch()) + 1;
      if (epoch > EPOCH_MAX) {
        throw new StorageException.Incompatible(
            directory,
            "daemon %d was started %d times; take another number"
                .formatted(number, before == null ? 0 : before.epoch()));
      }
      long from = Math.max(1, before == null ? 1 : before.reserved());
      long limit = from + BLOCK;
      if (limit >= TimeUuid.COUNTER_LIMIT) {
        throw new StorageException.Incompatible(
            directory, "daemon %d has given all its ids; take another number".formatted(number));
      }
      if (owner.daemon() >= 0) {
        owner = owner.trying(epoch); // else a crash looks as if a copy had been started
        owner.write(disk, directory);
      }
      if (statements.once(
          "register daemon " + number,
          keyspace.begin(number, before, owner.owner(), options.host(), epoch, limit))) {
        owner = owner.begun(number, epoch, from, limit);
        owner.write(disk, directory);
        begun = true;
        daemons = rows;
      }
    }
    if (!soleSaid) {
      boolean others = daemons.stream().anyMatch(row -> row.daemon() != owner.daemon());
      sole.begin(keyspace, statements, owner.daemon(), owner.epoch(), others);
      soleSaid = true;
    }
  }

  /// Whether the store has had no other daemon.
  SingleDaemonCheck sole() {
    return sole;
  }

  private int choose(List<DaemonRow> rows) {
    TreeSet<Integer> taken = new TreeSet<>();
    for (DaemonRow row : rows) {
      if (owner.owner().equals(row.owner())) {
        return row.daemon(); // the last start did not live to write it down
      }
      taken.add(row.daemon());
    }
    if (options.daemon() != ApplyOptions.AUTO) {
      return options.daemon();
    }
    for (int number = 0; number < TimeUuid.DAEMON_LIMIT; number++) {
      if (!taken.contains(number)) {
        return number;
      }
    }
    throw new StorageException.Incompatible(
        directory, "all %d numbers of daemons are taken".formatted(TimeUuid.DAEMON_LIMIT));
  }

  private void requireMine(int number, @Nullable DaemonRow row) {
    boolean given = options.daemon() != ApplyOptions.AUTO;
    if (given && owner.daemon() >= 0 && owner.daemon() != options.daemon()) {
      throw new StorageException.Incompatible(
          directory,
          "is that of daemon %d, not of daemon %d".formatted(owner.daemon(), options.daemon()));
    }
    if (row == null) {
      return;
    }
    if (!owner.owner().equals(row.owner())) {
      boolean released = row.owner() == null;
      throw new StorageException.Locked(
          directory,
          released
              ? "nobody: daemon %d was released; its number is not given again".formatted(number)
              : "another: daemon %d is %s, last seen %s"
                  .formatted(number, row.host(), seen(row.seenMillis())));
    }
    if (row.epoch() > owner.tried() && owner.daemon() >= 0 && !given) {
      throw new StorageException.Locked(
          directory,
          "a copy of it: daemon %d was started since on %s, last seen %s; to take the number from "
                  .formatted(number, row.host(), seen(row.seenMillis()))
              + "it, name the number");
    }
  }

  private static String seen(long millis) {
    return millis == 0 ? "never" : Instant.ofEpochMilli(millis).toString();
  }

  private static @Nullable DaemonRow row(List<DaemonRow> rows, int number) {
    return rows.stream().filter(row -> row.daemon() == number).findFirst().orElse(null);
  }

  /// Reads the daemons, unless that was done a moment ago.
  ///
  /// @throws StorageException.Locked when another one has the number now
  /// @throws KeyspaceException when they cannot be read
  void check(Keyspace keyspace, RetryingStatements statements, long nowMillis, boolean anew) {
    if (!anew && Math.abs(nowMillis - askedMillis) < OWNER_MILLIS) {
      return;
    }
    List<DaemonRow> rows = statements.once("read the daemons", keyspace.daemons());
    DaemonRow mine = row(rows, owner.daemon());
    if (mine == null) {
      throw new KeyspaceException(
          KeyspaceException.Kind.REFUSED,
          "the keyspace has no row of daemon %d any more".formatted(owner.daemon()));
    }
    if (mine.epoch() != owner.epoch() || !owner.owner().equals(mine.owner())) {
      throw new StorageException.Locked(
          directory,
          "another: daemon %d was started on %s, last seen %s; this one stops"
              .formatted(owner.daemon(), mine.host(), seen(mine.seenMillis())));
    }
    daemons = rows;
    askedMillis = nowMillis;
  }

  /// Reserves more arrival numbers when half of the last reservation is given.
  ///
  /// @param counter the next arrival number
  void reserve(Keyspace keyspace, RetryingStatements statements, long counter) {
    OwnerFile now = owner;
    if (counter < now.limit() - BLOCK / 2) {
      return;
    }
    DaemonRow before = row(statements.once("read the daemons", keyspace.daemons()), now.daemon());
    long limit = now.limit() + BLOCK;
    if (before != null
        && before.epoch() == now.epoch()
        && limit < TimeUuid.COUNTER_LIMIT
        && statements.once(
            "reserve arrival numbers",
            keyspace.begin(
                now.daemon(), before, now.owner(), options.host(), now.epoch(), limit))) {
      owner = now.begun(now.daemon(), now.epoch(), now.from(), limit);
      owner.write(disk, directory);
    }
  }

  public int daemon() {
    return owner.daemon();
  }

  public int epoch() {
    return owner.epoch();
  }

  public UUID owner() {
    return owner.owner();
  }

  public StoreIdentity store() {
    return owner.store();
  }

  /// First arrival number of this start.
  public long from() {
    return owner.from();
  }

  /// First arrival number that is not reserved.
  public long limit() {
    return owner.limit();
  }

  boolean isBegun() {
    return begun;
  }

  /// The daemons as they were read last.
  public List<DaemonRow> daemons() {
    return daemons;
  }
}
