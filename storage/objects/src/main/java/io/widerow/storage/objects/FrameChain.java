package io.widerow.storage.objects;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// The objects of frames of an epoch in order, from the first that a checkpoint needs: each repeats
/// the checksum of the one before, so a missing, old or exchanged one is found.
///
/// - Threads: one. Those of an executor fetch the next ones ahead.
/// - Memory: the objects that are fetched ahead, some seconds of the journals each.
final class FrameChain {
  private final BackupCatalog catalog;
  private final BackupCatalog.Plan plan;
  private final long limit;
  private final Executor executor;
  private final int ahead;
  private final Queue<CompletableFuture<@Nullable FrameObject>> fetched = new ArrayDeque<>();
  private long seq;
  private @Nullable FrameObject before;

  FrameChain(BackupCatalog catalog, BackupCatalog.Plan plan) {
    this(catalog, plan, Runnable::run, 1);
  }

  /// @param ahead objects that are fetched at a time
  FrameChain(BackupCatalog catalog, BackupCatalog.Plan plan, Executor executor, int ahead) {
    this.executor = executor;
    this.ahead = ahead;
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
    FrameObject object = fetch();
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

  private @Nullable FrameObject fetch() {
    while (fetched.size() < ahead) {
      long next = seq + fetched.size();
      fetched.add(CompletableFuture.supplyAsync(() -> catalog.frames(plan, next), executor));
    }
    try {
      return fetched.remove().join();
    } catch (CompletionException failed) {
      if (failed.getCause() instanceof RuntimeException why) {
        throw why;
      }
      if (failed.getCause() instanceof Error why) {
        throw why;
      }
      throw failed;
    }
  }
}
