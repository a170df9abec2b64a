package io.widerow.storage;

import io.widerow.event.EventId;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// A store of events in wide rows. It takes events in by lane, keeps what it acknowledged, and
/// shows views in which partitions are read in order. Nothing here assumes files, or that a read is
/// answered at once.
///
/// - Threads: any, except that each lane has one writer.
public interface EventStore extends AutoCloseable {
  int lanes();

  /// The writer of a lane, always the same object. Whoever calls it is the lane's one thread.
  ///
  /// @param lane 0 inclusive to [#lanes] exclusive
  LaneWriter lane(int lane);

  /// The lane that takes an event with an id of its own, so that a second write of the same id
  /// comes to the same lane.
  int laneOf(EventId id);

  /// A secret of 32 bytes, always the same, also in copies of the store: it can be computed from
  /// the store's files, and is sent to nobody. For hashes that clients must not be able to foresee.
  byte[] secret();

  /// The time for an event that brings none, in nanoseconds since the Unix epoch. It never steps
  /// back, also over a restart, and stands still while the machine's clock is a little behind.
  ///
  /// @throws StorageException.ClockBehind when that is more than ten seconds behind. Events with
  ///   times of their own are taken then as ever
  long arrivalNanos();

  /// A view of everything committed by now. It does not change, and holds on to what it shows until
  /// it is closed.
  StoreView view();

  /// The same for a thread that must not wait. Reading it ends with [WouldWait], where it would
  /// have to wait for a device or another machine, or when so many nanoseconds have passed and
  /// there is more to read; then another thread does it all again with a [#view].
  StoreView viewWithin(long nanos);

  /// Sets how long events of a type are kept, counted from the end of their bucket. Takes effect at
  /// once for readers; what is past is dropped by the next [#maintain]. Raising it before the drop
  /// brings data back.
  ///
  /// @param type a type; null for every type that has no setting of its own
  /// @param age how long; null keeps for ever
  void retain(@Nullable String type, @Nullable Duration age);

  /// Does what is due in the background: hands full and old rows to sealing, merges closed buckets,
  /// drops buckets past retention, trims journals. Returns when it has been handed to the store's
  /// executor. Called by the owner from time to time, say every second.
  void maintain();

  StoreStatistics statistics();

  /// Why nothing is taken in at present, though that passes by itself: there is no room. Null while
  /// there is. What ends writing for good is in the [#statistics].
  @Nullable String full();

  /// Waits for what runs in the background and gives everything back; everything committed is there
  /// when the store is opened again. What was appended and not committed is dropped. Lanes must not
  /// be written to any more. An implementation may seal what is open first, so that the next
  /// opening has nothing to replay.
  @Override
  void close();
}
