package io.widerow.storage;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Looks through blocks of a filtered scan before the scan is there, on another thread.
///
/// ```
///   cursor  look 0 | look 2 ....... | show 1 | show 2 | look 4 ...
///   other          | look 1 | look 3 .............| look 5 ...
/// ```
///
/// The cursor takes the blocks in their order. One that no other thread has begun with it looks
/// through itself, so nothing waits for threads that are busy; while another is at it, it takes the
/// one behind.
///
/// - Threads: the cursor's; others only look.
/// - Memory: [#AHEAD_MAX] blocks and the cursor's own. [#close] returns when nobody looks any more.
final class BlockScouts implements AutoCloseable {
  /// Two threads look at one each, and one is ready.
  private static final int AHEAD_MAX = 2;

  private final Supplier<BlockScout> factory;
  private final @Nullable Executor threads;
  private final List<BlockScout> all = new ArrayList<>();
  private final ArrayDeque<BlockScout> idle = new ArrayDeque<>();
  private final ArrayDeque<Look> ahead = new ArrayDeque<>(); // in the scan's order

  /// @param threads null to look at nothing ahead
  BlockScouts(Supplier<BlockScout> factory, @Nullable Executor threads) {
    this.factory = factory;
    this.threads = threads;
  }

  /// One that has no block yet.
  BlockScout make() {
    BlockScout scout = factory.get();
    all.add(scout);
    return scout;
  }

  /// How many blocks behind the present one are worth asking for.
  int aheadMax() {
    return threads == null ? 0 : AHEAD_MAX;
  }

  /// Blocks that were asked for, and have not come.
  int ahead() {
    return ahead.size();
  }

  /// Asks for the block behind the last one that was asked for; with none, for the scan's next.
  /// Whoever has time first looks through it.
  void lookAhead(SegmentIndex index, int block) {
    Executor others = threads;
    if (others != null) {
      BlockScout scout = idle.poll();
      Look look = new Look(scout == null ? make() : scout, index, block);
      ahead.add(look);
      others.execute(look);
    }
  }

  /// The scan's next block, looked at.
  ///
  /// @param done the scout that it had before, for another block
  /// @throws StorageException.Corrupt as reading it did
  BlockScout look(SegmentIndex index, int block, BlockScout done) {
    Look next = ahead.poll();
    if (next == null) {
      done.look(index, block);
      return done;
    }
    assert next.block == block : "the scan goes elsewhere";
    idle.add(done);
    next.run();
    for (Look later : ahead) {
      if (next.isOver()) {
        break;
      }
      later.run();
    }
    return next.result();
  }

  /// Memory of those that are not the cursor's.
  long heldBytes(BlockScout own) {
    long bytes = 0;
    for (BlockScout scout : all) {
      bytes += scout == own ? 0 : scout.heldBytes();
    }
    return bytes;
  }

  @Override
  public void close() {
    ahead.forEach(Look::abandon);
    ahead.clear();
    all.forEach(BlockScout::close);
  }

  /// A block that somebody looks through, once.
  private static final class Look implements Runnable {
    private final BlockScout scout;
    private final SegmentIndex index;
    private final int block;
    private final AtomicBoolean begun = new AtomicBoolean();
    private final CountDownLatch over = new CountDownLatch(1);
    private @Nullable Throwable failure; // before `over`

    Look(BlockScout scout, SegmentIndex index, int block) {
      this.scout = scout;
      this.index = index;
      this.block = block;
    }

    /// Does nothing when somebody has begun.
    @Override
    public void run() {
      if (begun.compareAndSet(false, true)) {
        try {
          scout.lookThrough(index, block);
        } catch (Throwable failed) {
          failure = failed; // for the cursor, when it comes there
        } finally {
          over.countDown();
        }
      }
    }

    boolean isOver() {
      return over.getCount() == 0;
    }

    BlockScout result() {
      awaitOver();
      switch (failure) {
        case null -> {
          return scout;
        }
        case RuntimeException known -> throw known;
        case Error error -> throw error;
        case Throwable other ->
            throw new IllegalStateException("looking through a block throws nothing else", other);
      }
    }

    /// Returns when nobody looks, or ever will.
    void abandon() {
      if (!begun.compareAndSet(false, true)) {
        awaitOver();
      }
    }

    private void awaitOver() {
      boolean interrupted = false;
      while (true) {
        try {
          over.await();
          break;
        } catch (InterruptedException wait) {
          interrupted = true; // the file must stay open until it is done
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
