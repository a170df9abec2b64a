package io.widerow.storage.embedded;

/// Shard placement of events that come with their own id. The same id always goes to the same
/// shard, so that a second write finds the event it replaces.
final class Placement {
  private Placement() {}

  /// The shard of an id: MurmurHash3's finalizer over both halves, modulo `shards`.
  static int shardOf(long idTime, long idTail, int shards) {
    long hash = idTime * 0x9e3779b97f4a7c15L ^ idTail;
    hash = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
    hash = (hash ^ (hash >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return (int) Long.remainderUnsigned(hash ^ (hash >>> 33), shards);
  }
}
