package io.widerow.storage.cassandra.maintenance;

import java.util.List;

/// The maintenance that this daemon has done since it started, and the reasons why it waits.
///
/// @param lastMergeMillis when the last merge came into force, in milliseconds since the Unix
///   epoch; 0 for never
/// @param lastSweepMillis when its last retention pass ended, the same
/// @param merges number of merges that came into force
/// @param eventsMerged events that they wrote
/// @param bytesMerged values that they wrote
/// @param swapsLost merges that another daemon, or a drop, overtook
/// @param eventsRemoved hidden events that they left out
/// @param segmentsDeleted segments that merges covered
/// @param partitionsDropped deletes of whole partitions, repeated ones included
/// @param waiting closed partitions with events to merge, and partitions about to be checked; with
///   0 everything that may be merged now is merged
/// @param skewMillis how far this machine's clock is ahead of the nodes' clock
/// @param paused why something waits that would be due, in sentences; empty when nothing does
/// @param trouble problems for an operator, in sentences; empty without any
public record UpkeepStatus(
    long lastMergeMillis,
    long lastSweepMillis,
    long merges,
    long eventsMerged,
    long bytesMerged,
    long swapsLost,
    long eventsRemoved,
    long segmentsDeleted,
    long partitionsDropped,
    int waiting,
    long skewMillis,
    List<String> paused,
    List<String> trouble) {
  /// Of a daemon that has done nothing yet.
  public static final UpkeepStatus NONE =
      new UpkeepStatus(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, List.of(), List.of());

  public UpkeepStatus {
    paused = List.copyOf(paused);
    trouble = List.copyOf(trouble);
  }
}
