package io.widerow.storage;

import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// Where the cursors of one view have their readers of blocks from, and give them back to. Every
/// cursor has one; a few more are there for those that look ahead, however many cursors there are,
/// see [BlockScouts].
///
/// - Threads: any.
final class BlockReaders {
  /// More readers than cursors, in a view.
  private static final int FURTHER_MAX = 4;

  /// For who reads one cursor: keeps none, and nobody looks ahead.
  static final BlockReaders NONE = new BlockReaders(null, Haste.NONE);

  private final @Nullable SharedReaders shared;
  private final Haste haste;
  private int further; // guarded by this

  private BlockReaders(@Nullable SharedReaders shared, Haste haste) {
    this.shared = shared;
    this.haste = haste;
  }

  /// @param shared where readers come from and go to
  static BlockReaders of(SharedReaders shared) {
    return of(shared, Haste.NONE);
  }

  /// @param haste of all readers: when there is any, nobody looks ahead
  static BlockReaders of(SharedReaders shared, Haste haste) {
    return new BlockReaders(shared, haste);
  }

  Haste haste() {
    return haste;
  }

  /// Who looks through blocks ahead; null for nobody.
  @Nullable Executor searchers() {
    return shared == null || haste.isAny() ? null : shared.threads().searching();
  }

  /// A reader, to be given back.
  BlockReader take(DiskFile file, SegmentChecksum checksum) {
    BlockReader idle = shared == null ? null : shared.poll();
    BlockReader reader = idle == null ? new BlockReader(file, checksum) : idle.over(file, checksum);
    return reader.hurried(haste);
  }

  void give(BlockReader reader) {
    if (shared == null) {
      reader.close();
    } else {
      shared.give(reader);
    }
  }

  /// Lets a cursor have one more reader, until [#releaseFurther]; false when there are enough. One
  /// that has more already leaves the last ones to others, so that up to three cursors of a merge
  /// have at least one each.
  ///
  /// @param readers that it has, its own among them
  synchronized boolean tryClaimFurther(int readers) {
    if (shared == null || further >= FURTHER_MAX / readers) {
      return false;
    }
    further++;
    return true;
  }

  synchronized void releaseFurther(int readers) {
    further -= readers;
  }
}
