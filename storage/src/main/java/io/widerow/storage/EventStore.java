package io.widerow.storage;

import io.widerow.event.EventId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A store of events in wide rows. It takes events in through lanes, keeps every event that it
/// acknowledged, and serves consistent views whose partitions are read in order. The contract does
/// not assume local files, nor that a read completes at once.
///
/// - Threads: any thread may call the store; each lane has a single writer thread.
public interface EventStore extends AutoCloseable {
  int lanes();

  /// The writer of a lane; every call returns the same object. The thread that calls it is the
  /// lane's only writer thread.
  ///
  /// @param lane 0 (inclusive) to [#lanes] (exclusive)
  LaneWriter lane(int lane);

  /// The lane for an event with a client's id. Every write of one id through this store must go to
  /// this lane, so that a later write replaces an earlier one. The result depends only on the id
  /// and the number of lanes. Daemons of one cluster may have different numbers of lanes: there the
  /// greater version replaces the smaller one, whichever daemon took it.
  default int laneOf(EventId id) {
    return laneOf(id, lanes());
  }

  /// The lane that [#laneOf(EventId)] gives, or gave at an earlier start, with so many lanes.
  int laneOf(EventId id, int lanesThen);

  /// A secret of 32 bytes for hashes that clients must not be able to predict. It is the same in
  /// every copy of the store and for all daemons of one cluster, which else would know one batch
  /// under two keys. It can be derived from the store's files, or is read from the cluster once,
  /// and must never be sent to anyone.
  byte[] secret();

  /// The arrival time for an event that has no time of its own, in nanoseconds since the Unix
  /// epoch. It never decreases, not even across a restart: while the machine's clock lags by at
  /// most ten seconds, it stands still. It decreases only when the clock goes back after it was
  /// ahead of elapsed time, or when an operator accepts an earlier clock.
  ///
  /// @throws StorageException.ClockWrong when the clock lags by more than ten seconds, or has
  ///   jumped ahead. Events with times of their own are still accepted
  long arrivalNanos();

  /// The machine's clock, in nanoseconds since the Unix epoch, but at most ten seconds ahead of the
  /// time that has passed since it was right. To complete times without a year.
  long nowNanos();

  /// The machine's clock, in nanoseconds since the Unix epoch, or the time that has passed since it
  /// was right where that is later: the clock by which the store refuses events of the future.
  default long latestNanos() {
    return nowNanos();
  }

  /// The store's assessment of the machine's clock now.
  ClockReport clock();

  /// Believes the machine's clock as it is: arrival times and retention follow it from now on.
  ///
  /// @throws StorageException when that cannot be made durable
  void acceptClock();

  /// A consistent view of everything committed so far; on a cluster, of everything that the daemons
  /// have applied. It never changes, and keeps what it shows from being freed until it is closed.
  /// May wait for other machines: call it on a thread that may wait, such as a virtual one.
  ///
  /// @throws StorageException.Unreachable when the cluster does not answer within its deadline
  StoreView view();

  /// A view for a thread that must not block. A read throws [WouldBlockException] when it would
  /// have to wait for a device or another machine, or when the deadline has passed and there is
  /// more to read. The caller then starts over on another thread with [#view]. A store on other
  /// machines throws it at once, and no cursor of such a view is ever PENDING.
  ///
  /// @throws WouldBlockException when even the view would have to be waited for
  /// @param nanos the deadline, in nanoseconds from now
  StoreView viewWithin(long nanos);

  /// Takes or renews a lease: of several daemons on one store, one at a time does a piece of work.
  /// It only saves work; the result must be right when two daemons do the same work. May wait for
  /// other machines.
  ///
  /// @param what names the work
  /// @param kept after which another daemon may take it
  /// @return true when this daemon has it now; always for a store on one machine
  /// @throws StorageException.Unreachable when the cluster does not answer
  default boolean lease(String what, Duration kept) {
    return true;
  }

  /// Sets the retention of a type: how long its events are kept, counted from the end of their
  /// bucket. Readers see the new setting at once; the next [#maintain] deletes what has expired.
  /// Raising the retention before that brings events back.
  ///
  /// @param type a type; null for every type without a setting of its own
  /// @param age how long events are kept; null for no limit
  void retain(@Nullable String type, @Nullable Duration age);

  /// The retention policies for an operator; null when the store has none that can be changed.
  default @Nullable RetentionSettings retention() {
    return null;
  }

  /// Starts the background work that is due: flushing full and old rows to segments, merging
  /// (compacting) closed buckets, deleting buckets past retention, trimming journals. Returns when
  /// the work has been handed to the store's executor. It also writes down, with one small forced
  /// write, how far the journals are durable. So when the end of a journal is lost, the next
  /// opening detects the loss of every group acknowledged before the last call. The owner calls
  /// this regularly, about once a second.
  void maintain();

  StoreStatistics statistics();

  /// Allows notes with positions of sources, see `FORMAT.md`: a program that does not know them
  /// must not open the store from now on. Durable on return. Call it before the first such note.
  ///
  /// @throws IllegalArgumentException when the store takes no events
  default void allowSources() {
    throw new IllegalArgumentException("needs a store that takes events, got " + this);
  }

  /// The positions of sources that the daemons of a cluster share; null for a store on one machine,
  /// whose notes have them.
  default @Nullable SharedSources sharedSources() {
    return null;
  }

  /// The versions of Widerow that the store records; null for a store on a cluster.
  default @Nullable StoreVersions versions() {
    return null;
  }

  /// The state of the cluster of a store on a cluster; null for a store on one machine.
  default @Nullable ClusterReport cluster() {
    return null;
  }

  /// Copies the store into directories of this machine; null for a store that is in one.
  default @Nullable Copier copier() {
    return null;
  }

  /// Why the store accepts no events at present for lack of space; null while there is space. The
  /// condition clears by itself when space is freed. A failure that ends writing for good is in
  /// [#statistics].
  @Nullable String full();

  /// Waits for background work and releases all resources. Everything committed is present when the
  /// store is opened again; events appended and not committed are dropped. No lane may be written
  /// to during or after this call. An implementation may flush open rows first, so that the next
  /// opening has nothing to replay.
  @Override
  void close();

  /// Copies a store on a cluster into directories of this machine. Each becomes a store of its own,
  /// with everything that the daemons had applied when a call began. What was cut off goes on from
  /// there, in the same directory.
  ///
  /// - Threads: any; one at a time works on a directory. Calls wait for the cluster, and read all
  ///   that is new of it on the caller's thread.
  /// - Errors: [StorageException.Unreachable] when the cluster does not answer,
  ///   [StorageException.Incompatible] when the directory is something else,
  ///   [StorageException.DiskFull] when it has no room.
  interface Copier {
    /// Identifies the store on the cluster; the same for all its daemons.
    UUID storeId();

    /// Makes a directory that is a copy, compared with the cluster. Until it is whole it has `.tmp`
    /// at the end of its name.
    ///
    /// @param directory must not exist; its parent does
    /// @return number of events that this call has written
    /// @throws StorageException.Corrupt when they differ
    long copy(Path directory);

    /// Copies what is new into a directory that may lack files of segments: all that it needs of
    /// earlier copies is beside them. Nothing is compared.
    ///
    /// @param written called with the file of each segment that this call has written, when it is
    ///   durable and listed in the manifest; it may delete the file
    /// @return number of events that this call has written
    long update(Path directory, Consumer<Path> written);
  }
}
