package io.widerow.storage.cassandra.apply;

/// The interface between the applying thread and a lane.
///
/// - Threads: any.
public interface LaneProgress {
  /// The last group that was committed; 0 before the first.
  long committed();

  /// Groups up to this one are applied, and nothing of them is needed here any more.
  void applied(long group);
}
