package io.widerow.storage.cassandra.keyspace;

/// The owner of a batch: the daemon that claimed its key first.
///
/// @param daemon number
/// @param stamp the batch is in the daemon's round of this [Stamp] or an earlier one
/// @param counterFrom arrival counter of the batch's first event at that daemon; with `daemon` it
///   identifies the batch
public record Claim(int daemon, long stamp, long counterFrom) {
  /// True when both name the same batch, whichever round it was tried in.
  public boolean isSameBatch(Claim other) {
    return daemon == other.daemon && counterFrom == other.counterFrom;
  }
}
