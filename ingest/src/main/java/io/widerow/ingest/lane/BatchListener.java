package io.widerow.ingest.lane;

/// Callback with the outcome of a batch. It must not block.
///
/// - Threads: a lane's, the one that answers for the cluster, or the one that hands the batch over;
///   one after another.
@FunctionalInterface
public interface BatchListener {
  /// The batch is durable on this machine, and waits until it is at [Durability#QUORUM]; its events
  /// hold no memory any more. Called at most once, before [#accept]; not called for a batch that
  /// need not wait.
  ///
  /// @param stored the outcome if the wait ended now
  default void kept(BatchOutcome.Stored stored) {}

  /// Called once.
  void accept(BatchOutcome outcome);
}
