package io.widerow.storage.cassandra.apply;

/// What the thread that applies asks of a lane and tells it.
///
/// - Threads: any.
public interface LaneProgress {
  /// The last group that was committed; 0 before the first.
  long committed();

  /// Groups up to this one are applied, and nothing of them is needed here any more.
  void applied(long group);
}
