package io.widerow.storage;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// Looks through the blocks of a filtered scan, and through the next ones on another thread
/// meanwhile.
///
/// ```
///   cursor  look 0 | look 2 ....... | show 1 | show 2 | look 4 ...
///   other          | look 1 | look 3 .............| look 5 ...
/// ```
///
/// The cursor takes the blocks in their order. One that no other thread has begun with it looks
/// through itself, so nothing waits for threads that are busy; while another is at it, it takes the
/// one behind. Where it must wait all the same the others are kept from the processor, by those who
/// write as a rule, and it does without them for a while.
///
/// - Threads: the cursor's; others only look.
/// - Memory: a reader, and while blocks are looked at ahead those that [BlockReaders] lets it have.
///   [#close] returns when nobody looks any more, and gives them back.
final class BlockScouts implements AutoCloseable {
  /// Two threads look at one each, and one is ready.
  private static final int AHEAD_MAX = 2;

  /// Blocks without others after one that others were slow with.
  private static final int ALONE_BLOCKS = 32;

  private final Segment segment;
  private final BlockReaders readers;
  private final Filter filter;
  private final @Nullable Executor threads;
  private final List<BlockScout> all = new ArrayList<>();
  private final ArrayDeque<BlockScout> idle = new ArrayDeque<>();
  private final ArrayDeque<Look> ahead = new ArrayDeque<>(); // in the scan's order
  private int aloneBlocks;

  /// @param alone true when nobody else may look
  BlockScouts(Segment segment, BlockReaders readers, Filter filter, boolean alone) {
    this.segment = segment;
    this.readers = readers;
    this.filter = filter;
    this.threads = alone ? null : readers.searchers();
  }

  /// The cursor's first one, that has no block yet.
  BlockScout first() {
    assert all.isEmpty() : "not the first";
    return make();
  }

  private BlockScout make() {
    BlockScout scout = new BlockScout(segment.reader(readers), filter);
    all.add(scout);
    return scout;
  }

  /// The scan's next block, looked at.
  ///
  /// @param order has the blocks behind it
  /// @param done the scout that it had before, for another block
  /// @param worthwhile true when others may look through these
  /// @throws StorageException.Corrupt as reading it did
  BlockScout look(BlockOrder order, int block, BlockScout done, boolean worthwhile) {
    Look next = ahead.poll();
    if (next != null) {
      assert next.block == block : "the scan goes elsewhere";
      idle.push(done);
    }
    Executor others = threads;
    if (aloneBlocks > 0) {
      aloneBlocks--;
    } else if (others != null && worthwhile) {
      lookAhead(others, order);
    }
    if (next == null) {
      done.look(order.index(), block);
      return done;
    }
    next.run();
    for (Look later : ahead) {
      if (next.isOver()) {
        break;
      }
      later.run();
    }
    if (!next.isOver()) {
      aloneBlocks = ALONE_BLOCKS;
    }
    return next.result();
  }

  /// Has blocks behind one looked through, by whoever has time first.
  private void lookAhead(Executor others, BlockOrder order) {
    while (ahead.size() < AHEAD_MAX) {
      int block = order.peek(ahead.size());
      if (block == BlockOrder.END) {
        return;
      }
      BlockScout scout = idle.poll();
      if (scout == null) {
        if (!readers.tryClaimFurther()) {
          return;
        }
        scout = make();
      }
      Look look = new Look(scout, order.index(), block);
      ahead.add(look);
      others.execute(look);
    }
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
    all.forEach(scout -> readers.give(scout.reader()));
    readers.releaseFurther(Math.max(0, all.size() - 1));
    all.clear();
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
