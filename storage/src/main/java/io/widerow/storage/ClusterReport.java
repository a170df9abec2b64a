package io.widerow.storage;

import java.util.List;

/// The state of a daemon's cluster, for its status.
///
/// @param state see [State]
/// @param store the store's id
/// @param keyspace its name
/// @param daemon number of this daemon
/// @param epoch number of its start
/// @param applied the last round applied, as text
/// @param pendingEvents events journaled here and not applied
/// @param pendingBytes bytes of journal and segments on this machine that hold them
/// @param lagSeconds age of the oldest of them; 0 when there is none
/// @param nodesUp nodes of the local datacenter that respond
/// @param nodesDown nodes of the local datacenter that do not
/// @param replication replicas in the local datacenter
/// @param skewMillis how far this machine's clock is ahead of the nodes'
/// @param mergesWaiting closed partitions with events that this daemon will merge; 0 when all that
///   may be merged now is merged
/// @param trouble why the last statement failed; empty when it did not
/// @param counters by name, since the start: requests, retries, claims, bytes read
/// @param daemons all daemons of the store
public record ClusterReport(
    State state,
    String store,
    String keyspace,
    int daemon,
    int epoch,
    String applied,
    long pendingEvents,
    long pendingBytes,
    double lagSeconds,
    int nodesUp,
    int nodesDown,
    int replication,
    long skewMillis,
    int mergesWaiting,
    String trouble,
    List<Counter> counters,
    List<Member> daemons) {
  public ClusterReport {
    counters = List.copyOf(counters);
    daemons = List.copyOf(daemons);
  }

  /// The state of the cluster.
  public enum State {
    /// All nodes answer.
    UP,
    /// Some nodes do not answer; a quorum does.
    DEGRADED,
    /// Too few replicas respond: nothing is applied, queries end with an error.
    UNREACHABLE
  }

  /// A daemon of the store.
  ///
  /// @param daemon its number
  /// @param host where it runs
  /// @param applied the last round applied, as text
  /// @param oldestMillis when its oldest unapplied event came, milliseconds since the Unix epoch; 0
  ///   when it has none
  /// @param seenMillis when it was last heard of, milliseconds since the Unix epoch
  public record Member(
      int daemon, String host, String applied, long oldestMillis, long seenMillis) {}

  /// A counter, such as `requests` of the kind `write`.
  public record Counter(String name, String kind, long value) {}
}
