package io.widerow.storage.cassandra;

import io.widerow.storage.StorageException;
import io.widerow.storage.cassandra.apply.Applier;
import io.widerow.storage.cassandra.apply.ApplyOptions;
import io.widerow.storage.cassandra.apply.DaemonNumber;
import io.widerow.storage.cassandra.apply.Pace;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.embedded.Pending;
import io.widerow.storage.live.StoreClock;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The state that the lanes of a store on a cluster share: whether events are accepted, and the
/// thread to wake.
///
/// - Threads: any.
final class ClusterWriteState {
  /// Arrival numbers that lanes may take between two looks at how many are left.
  private static final long NUMBERS_LEFT_MIN = 1 << 24;

  private final Path directory;
  private final EmbeddedStore local;
  private final ApplyOptions options;
  private final DaemonNumber number;
  private final StoreClock clock;
  private final Pace pace;
  private volatile @Nullable Applier applier;
  private volatile long pendingBytes;
  private volatile long lastArrival;
  private volatile @Nullable StorageException ended;

  ClusterWriteState(
      Path directory,
      EmbeddedStore local,
      ApplyOptions options,
      DaemonNumber number,
      StoreClock clock,
      Pace pace) {
    this.directory = directory;
    this.local = local;
    this.options = options;
    this.number = number;
    this.clock = clock;
    this.pace = pace;
  }

  void applyWith(Applier newApplier) {
    applier = newApplier;
    look();
  }

  /// Looks how much waits for the cluster.
  void look() {
    Applier now = applier;
    if (now != null) {
      Pending pending = local.pending(now.appliedTo());
      pendingBytes = pending.bytes();
    }
  }

  void end(StorageException why) {
    ended = why;
  }

  @Nullable StorageException ended() {
    return ended;
  }

  /// @throws StorageException.Failed when the write side has ended
  void requireWriting() {
    StorageException why = ended;
    if (why != null) {
      throw new StorageException.Failed(String.valueOf(why.getMessage()), why);
    }
  }

  /// @throws StorageException.DiskFull when too much waits for the cluster
  /// @throws StorageException.Unreachable when the reserved arrival numbers are used up
  void requireRoom(long bytes) {
    if (isFull()) {
      throw new StorageException.DiskFull(
          directory, Math.max(0, options.pendingBytesMax() - pendingBytes), bytes);
    }
    if (number.limit() - lastArrival < NUMBERS_LEFT_MIN) {
      throw new StorageException.Unreachable(
          "%s: all ids that are reserved for daemon %d are used, and the cluster is unreachable"
              .formatted(directory, number.daemon()),
          new IllegalStateException("reserved up to " + number.limit()));
    }
  }

  /// Records the last arrival number that a lane gave.
  void arrived(long counter) {
    if (counter > lastArrival) {
      lastArrival = counter;
    }
  }

  private boolean isFull() {
    return pendingBytes >= options.pendingBytesMax();
  }

  /// Why no events are taken; null while there is room.
  @Nullable String full() {
    return isFull()
        ? "%s: %d bytes wait for the cluster, and %d may"
            .formatted(directory, pendingBytes, options.pendingBytesMax())
        : null;
  }

  long nowSeconds() {
    return TimeUnit.NANOSECONDS.toSeconds(clock.wallNanos());
  }

  void committed() {
    Applier now = applier;
    if (now != null) {
      now.committed();
    }
  }

  void wake() {
    pace.wake();
  }
}
