package io.widerow.storage.cassandra;

import io.widerow.event.PartitionKey;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.cassandra.apply.Applier;
import io.widerow.storage.cassandra.apply.ApplyOptions;
import io.widerow.storage.cassandra.apply.Batches;
import io.widerow.storage.cassandra.apply.DaemonNumber;
import io.widerow.storage.cassandra.apply.Marks;
import io.widerow.storage.cassandra.apply.Pace;
import io.widerow.storage.cassandra.apply.RetryingStatements;
import io.widerow.storage.cassandra.apply.RoundsFile;
import io.widerow.storage.cassandra.apply.SourceRanges;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.StoreLock;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.manifest.Manifest;
import io.widerow.storage.manifest.StoreFormat;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Opens a [CassandraStore]: takes the directory, then the number, then opens the store on this
/// machine with it. A step that fails releases everything that was taken before it.
///
/// - Threads: one.
final class ClusterOpener {
  /// Directory of the store on this machine.
  static final String SPOOL = "spool";

  private final Keyspace keyspace;
  private final StoreConfig config;
  private final ApplyOptions options;
  private final CassandraStore.Reading reading;
  private final CassandraStore.Machine machine;
  private final Disk disk;
  private final Path directory;

  ClusterOpener(
      Keyspace keyspace,
      StoreConfig config,
      ApplyOptions options,
      CassandraStore.Reading reading,
      CassandraStore.Machine machine) {
    this.keyspace = keyspace;
    this.config = config;
    this.options = options;
    this.reading = reading;
    this.machine = machine;
    this.disk = machine.disk();
    this.directory = config.directory();
  }

  /// The parts of a store.
  record Parts(
      Disk disk,
      Keyspace keyspace,
      CassandraStore.Reading reading,
      Disk.Lock lock,
      Path directory,
      Pace pace,
      RetryingStatements statements,
      DaemonNumber number,
      RoundsFile rounds,
      EmbeddedStore local,
      ClusterWriteState side,
      List<ClusterLane> lanes,
      Applier applier,
      SourceRanges ranges,
      boolean isSimulated) {}

  Parts open() {
    disk.createDirectory(directory);
    Path parent = directory.toAbsolutePath().getParent();
    if (parent != null && !disk.exists(directory.resolve(SPOOL))) {
      disk.forceDirectory(parent); // it was made just now, or by a start that was cut off
    }
    requireNoOtherStore();
    Disk.Lock lock = StoreLock.take(disk, directory);
    try {
      return numbered(lock);
    } catch (Throwable failure) {
      StoreLock.giveBack(directory, lock);
      throw failure;
    }
  }

  /// @throws StorageException.Incompatible when the directory has events of a store on this machine
  private void requireNoOtherStore() {
    boolean hasOther =
        disk.exists(directory.resolve(StoreFormat.NAME))
            || (disk.exists(directory.resolve(Manifest.SEGMENTS))
                && !disk.exists(directory.resolve(DaemonNumber.OWNER_FILE)));
    if (hasOther) {
      throw new StorageException.Incompatible(
          directory,
          "is a store on this machine, with events; the command migrate moves them to a "
              + "cluster. A store on a cluster needs another, empty directory");
    }
  }

  private Parts numbered(Disk.Lock lock) {
    RetryingStatements statements = new RetryingStatements(machine.pace());
    DaemonNumber number = DaemonNumber.of(disk, directory, options, keyspace.identity());
    RoundsFile rounds = RoundsFile.open(disk, directory, number.owner(), number.daemon() < 0);
    try {
      number.start(keyspace, statements);
      disk.createDirectory(directory.resolve(SPOOL));
      disk.forceDirectory(directory);
      EmbeddedStore local =
          machine.spool().apply(config.in(directory.resolve(SPOOL)).withDaemon(number.daemon()));
      try {
        return parts(lock, statements, number, rounds, local);
      } catch (Throwable failure) {
        local.close();
        throw failure;
      }
    } catch (Throwable failure) {
      rounds.close();
      throw failure;
    }
  }

  /// Notifies the background work of a segment, and returns its time to live.
  private int touch(PartitionKey partition, long nodesMillis) {
    reading.touched(partition);
    return reading.ttlSeconds(partition, nodesMillis);
  }

  private static void recover(
      EmbeddedStore local, Batches batches, SourceRanges ranges, Marks marks) {
    local
        .lane(0)
        .notes((_, note) -> {
          if (Batches.isNote(note)) {
            batches.recover(note);
          } else if (SourceRanges.isNote(note)) {
            ranges.recover(note);
          } else if (Marks.isNote(note)) {
            marks.recover(note);
          }
        });
    ranges.recovered();
  }

  private Parts parts(
      Disk.Lock lock,
      RetryingStatements statements,
      DaemonNumber number,
      RoundsFile rounds,
      EmbeddedStore local) {
    local.arriveFrom(number.from()); // before the first append
    local.admitBy(reading.retention());
    Batches batches = new Batches(local.lanes());
    Marks marks = new Marks(local.lanes(), options.roundBytes());
    SourceRanges ranges = new SourceRanges(local.lanes());
    recover(local, batches, ranges, marks);
    ClusterWriteState side =
        new ClusterWriteState(directory, local, options, number, machine.clock(), machine.pace());
    List<ClusterLane> lanes = new ArrayList<>();
    for (int lane = 0; lane < local.lanes(); lane++) {
      lanes.add(new ClusterLane(local.lane(lane), lane, batches, ranges, marks, side));
    }
    Applier applier =
        new Applier(
            new Applier.Parts(
                local,
                keyspace,
                number,
                rounds,
                batches,
                ranges,
                marks,
                lanes,
                options,
                machine.clock(),
                machine.pace(),
                statements,
                this::touch,
                side::end));
    side.applyWith(applier);
    reading.begin(number.daemon());
    if (local.pending(applier.appliedTo()).events() > 0) {
      applier.committed();
    }
    return new Parts(
        disk,
        keyspace,
        reading,
        lock,
        directory,
        machine.pace(),
        statements,
        number,
        rounds,
        local,
        side,
        List.copyOf(lanes),
        applier,
        ranges,
        machine.isSimulated());
  }
}
