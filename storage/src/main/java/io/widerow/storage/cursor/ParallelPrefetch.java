package io.widerow.storage.cursor;

import java.util.ArrayDeque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// A parallel prefetch of a scan: other threads search the next pieces while the cursor shows the
/// current one. Pieces are delivered in the scan's order.
///
/// ```
///   cursor  look 0 | look 2 ....... | show 1 | show 2 | look 4 ...
///   other          | look 1 | look 3 .............| look 5 ...
/// ```
///
/// The cursor searches a piece itself when no other thread has begun it, so nothing waits for busy
/// threads. While another thread searches the piece, the cursor takes the next one. If it still has
/// to wait, the others are probably short of processor time, usually because of writers, and it
/// does without them for a while.
///
/// - Threads: the cursor's thread calls; other threads only search. [#close] returns when none of
///   them is searching.
///
/// @param <S> searches one piece at a time and holds what it found
public final class ParallelPrefetch<S> implements AutoCloseable {
  /// The most pieces in progress: two threads search one each, and one is ready.
  public static final int AHEAD_MAX = 2;

  /// Pieces that the cursor searches alone after it had to wait for another thread.
  private static final int ALONE_PIECES = 32;

  private final Pieces<S> pieces;
  private final @Nullable Executor threads;
  private final ArrayDeque<S> idle = new ArrayDeque<>();
  private final ArrayDeque<Look<S>> ahead = new ArrayDeque<>(); // in the scan's order
  private int alonePieces;

  /// The pieces of a scan.
  public interface Pieces<S> {
    /// No piece.
    int END = -1;

    /// Number of the piece that comes `distance` after the next one; [#END] when there is none.
    int peek(int distance);

    /// Another searcher; null when there is no memory for it.
    @Nullable S more();

    /// Searches a piece. Called by any thread, by one at a time for each searcher.
    void lookThrough(S prefilter, int piece);
  }

  /// @param threads searches ahead; null for none
  public ParallelPrefetch(Pieces<S> pieces, @Nullable Executor threads) {
    this.pieces = pieces;
    this.threads = threads;
  }

  /// The searcher that holds the result of the next piece; null when the piece was not handed out
  /// and the cursor must search it.
  ///
  /// @param done the searcher of the piece before; unless this returns null, it may be used for
  ///   another piece from now on
  /// @param worthwhile true when later pieces should be searched ahead
  /// @throws RuntimeException when searching the piece threw it
  public @Nullable S next(int piece, S done, boolean worthwhile) {
    Look<S> next = ahead.poll();
    if (next != null) {
      assert next.piece == piece : "the scan skipped a piece that was handed out";
      idle.push(done);
    }
    Executor others = threads;
    if (alonePieces > 0) {
      alonePieces--;
    } else if (others != null && worthwhile) {
      ask(others);
    }
    if (next == null) {
      return null;
    }
    next.run();
    for (Look<S> later : ahead) {
      if (next.isOver()) {
        break;
      }
      later.run();
    }
    if (!next.isOver()) {
      alonePieces = ALONE_PIECES;
    }
    return next.result();
  }

  /// Hands out the next pieces, for the thread that has time first.
  private void ask(Executor others) {
    while (ahead.size() < AHEAD_MAX) {
      int piece = pieces.peek(ahead.size());
      if (piece == Pieces.END) {
        return;
      }
      S prefilter = idle.isEmpty() ? pieces.more() : idle.pop();
      if (prefilter == null) {
        return;
      }
      Look<S> look = new Look<>(pieces, prefilter, piece);
      ahead.add(look);
      others.execute(look);
    }
  }

  @Override
  public void close() {
    ahead.forEach(Look::abandon);
    ahead.clear();
  }

  /// A piece that is searched once, by one thread.
  private static final class Look<S> implements Runnable {
    private final Pieces<S> pieces;
    private final S prefilter;
    private final int piece;
    private final AtomicBoolean begun = new AtomicBoolean();
    private final CountDownLatch over = new CountDownLatch(1);
    private @Nullable Throwable failure; // written before `over` is counted down

    Look(Pieces<S> pieces, S prefilter, int piece) {
      this.pieces = pieces;
      this.prefilter = prefilter;
      this.piece = piece;
    }

    /// Does nothing when another thread has begun the piece.
    @Override
    public void run() {
      if (begun.compareAndSet(false, true)) {
        try {
          pieces.lookThrough(prefilter, piece);
        } catch (Throwable failed) {
          failure = failed; // the cursor throws it on reaching the piece
        } finally {
          over.countDown();
        }
      }
    }

    boolean isOver() {
      return over.getCount() == 0;
    }

    S result() {
      awaitOver();
      switch (failure) {
        case null -> {
          return prefilter;
        }
        case RuntimeException known -> throw known;
        case Error error -> throw error;
        case Throwable other ->
            throw new IllegalStateException("unexpected exception from a search", other);
      }
    }

    /// Returns when no thread is searching the piece, nor ever will.
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
          interrupted = true; // the piece's memory must stay until the search is over
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
