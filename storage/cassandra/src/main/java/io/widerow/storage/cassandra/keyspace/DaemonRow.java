package io.widerow.storage.cassandra.keyspace;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// The row of a daemon in the keyspace.
///
/// @param daemon its number, 0 to 511
/// @param owner identity of the data directory that has the number; null when it was released
/// @param host where it ran last, for people
/// @param epoch rises with each start; 0 before the first
/// @param reserved arrival counters below this one may have been given out
/// @param applied its applied position, up to which readers show its events
/// @param oldestMillis when the oldest event came that is journaled and not applied, in
///   milliseconds since the Unix epoch; 0 when there is none
/// @param seenMillis when it last said so, by its clock, in milliseconds since the Unix epoch
public record DaemonRow(
    int daemon,
    @Nullable UUID owner,
    String host,
    int epoch,
    long reserved,
    Applied applied,
    long oldestMillis,
    long seenMillis) {

  /// The applied position of a daemon: everything of rounds up to `stamp`, and nothing of later
  /// ones.
  ///
  /// @param stamp the [Stamp] of the last round
  /// @param versionLimit versions that the daemon gave to events with clients' ids are below this
  ///   one in applied rounds, and not in later ones
  /// @param laneLimits by lane: arrival counters are below this one in applied rounds, and not in
  ///   later ones. A shard's lane is the shard modulo the number of lanes
  public record Applied(long stamp, long versionLimit, List<Long> laneLimits) {
    /// Nothing was applied.
    public static final Applied NOTHING = new Applied(Stamp.NONE, 0, List.of(0L));

    public Applied {
      laneLimits = List.copyOf(laneLimits);
    }
  }
}
