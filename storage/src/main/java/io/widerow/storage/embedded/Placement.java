package io.widerow.storage.embedded;

/// Where an event goes that brought its own id: the same id always to the same shard, so that
/// writing it again meets what it replaces.
final class Placement {
  private Placement() {}

  /// The shard of an id among so many: a remainder of the finalizer of MurmurHash3 over both
  /// halves.
  static int shardOf(long idTime, long idTail, int shards) {
    long hash = idTime * 0x9e3779b97f4a7c15L ^ idTail;
    hash = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
    hash = (hash ^ (hash >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return (int) Long.remainderUnsigned(hash ^ (hash >>> 33), shards);
  }
}
