package io.widerow.storage.cassandra.migrate;

import io.widerow.event.EventLayout;
import io.widerow.event.EventView;
import io.widerow.event.WrappedEvent;
import io.widerow.storage.ClusterArrivals;

/// Shows an event of one kind of store with the version that it has in the other.
///
/// | from | version | to | version |
/// |---|---|---|---|
/// | directory | arrival counter `c` | cluster | `c << 9`, daemon: as in 1970, before all others |
/// | cluster | microseconds, daemon | directory | one number for a run, rising with runs |
///
/// An assigned id has no version and stays as it is.
///
/// - Threads: one.
abstract class MappedEvent extends WrappedEvent {
  /// Into a cluster.
  static MappedEvent toCluster(int daemon) {
    return new MappedEvent() {
      @Override
      long map(long version) {
        return version << ClusterArrivals.DAEMON_BITS | daemon;
      }
    };
  }

  /// Into a directory.
  static MappedEvent toDirectory(long ownVersion) {
    return new MappedEvent() {
      @Override
      long map(long version) {
        return ownVersion;
      }
    };
  }

  abstract long map(long version);

  /// Shows another event until it changes.
  MappedEvent show(EventView next) {
    wrap(next);
    return this;
  }

  @Override
  public long version() {
    long version = super.version();
    return version == EventLayout.VERSION_ASSIGNED ? version : map(version);
  }
}
