package io.widerow.storage.layout;

/// Spreads ids evenly among lanes and shards.
public final class IdHash {
  private IdHash() {}

  /// MurmurHash3's finalizer over both halves of an id.
  public static long of(long idTime, long idTail) {
    long hash = idTime * 0x9e3779b97f4a7c15L ^ idTail;
    hash = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
    hash = (hash ^ (hash >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return hash ^ (hash >>> 33);
  }
}
