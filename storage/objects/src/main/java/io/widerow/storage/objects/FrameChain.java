package io.widerow.storage.objects;

import org.jspecify.annotations.Nullable;

/// The objects of frames of an epoch in order, from the first that a checkpoint needs: each repeats
/// the checksum of the one before, so a missing, old or exchanged one is found.
///
/// - Threads: one.
final class FrameChain {
  private final BackupCatalog catalog;
  private final BackupCatalog.Plan plan;
  private final long limit;
  private long seq;
  private @Nullable FrameObject before;

  FrameChain(BackupCatalog catalog, BackupCatalog.Plan plan) {
    this.catalog = catalog;
    this.plan = plan;
    this.limit = plan.frames();
    this.seq = plan.checkpoint().journal();
  }

  /// Number of the next object.
  long seq() {
    return seq;
  }

  /// The next object; null after the last one.
  ///
  /// @throws ObjectsException.Damaged when it is missing or another one
  @Nullable FrameObject next() {
    String name = FrameObject.name(plan.checkpoint().epoch(), seq);
    FrameObject object = catalog.frames(plan, seq);
    if (object == null) {
      if (seq < limit) {
        throw new ObjectsException.Damaged(name, "it is missing, and later ones are there");
      }
      return null;
    }
    FrameObject last = before;
    if (last != null && last.crc() != object.crcBefore()) {
      throw new ObjectsException.Damaged(name, "it does not follow the object before it");
    }
    if (seq == 0 && object.crcBefore() != 0) {
      throw new ObjectsException.Damaged(name, "it is not the first of its epoch");
    }
    before = object;
    seq++;
    return object;
  }
}
