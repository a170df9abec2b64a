package io.widerow.storage;

import java.util.ArrayDeque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// Has the pieces of a scan looked through in their order, the next ones on other threads
/// meanwhile.
///
/// ```
///   cursor  look 0 | look 2 ....... | show 1 | show 2 | look 4 ...
///   other          | look 1 | look 3 .............| look 5 ...
/// ```
///
/// One that no other thread has begun with the cursor looks through itself, so nothing waits for
/// threads that are busy; while another is at it, it takes the one behind. Where it must wait all
/// the same the others are kept from the processor, by those who write as a rule, and it does
/// without them for a while.
///
/// - Threads: the cursor's; others only look. [#close] returns when nobody looks any more.
///
/// @param <S> who looks through a piece at a time and knows what was found in it
final class LookAhead<S> implements AutoCloseable {
  /// Two threads look at one each, and one is ready.
  static final int AHEAD_MAX = 2;

  /// Pieces without others after one that others were slow with.
  private static final int ALONE_PIECES = 32;

  private final Pieces<S> pieces;
  private final @Nullable Executor threads;
  private final ArrayDeque<S> idle = new ArrayDeque<>();
  private final ArrayDeque<Look<S>> ahead = new ArrayDeque<>(); // in the scan's order
  private int alonePieces;

  /// What a scan goes through.
  interface Pieces<S> {
    /// No piece.
    int END = -1;

    /// The number of the piece that comes `distance` after the next one; [#END] when there is none.
    int peek(int distance);

    /// One more that may look; null when there is no memory for it.
    @Nullable S more();

    /// Looks through a piece. Called by any thread, by one at a time for each scout.
    void lookThrough(S scout, int piece);
  }

  /// @param threads null when nobody else may look
  LookAhead(Pieces<S> pieces, @Nullable Executor threads) {
    this.pieces = pieces;
    this.threads = threads;
  }

  /// Who has looked through the next piece; null when nobody was asked to and the cursor must.
  ///
  /// @param done looked through the piece before; unless this returns null it may look through
  ///   another one from now on
  /// @param worthwhile true when others may look through the pieces behind it
  /// @throws RuntimeException as looking through it did
  @Nullable S next(int piece, S done, boolean worthwhile) {
    Look<S> next = ahead.poll();
    if (next != null) {
      assert next.piece == piece : "the scan goes elsewhere";
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

  /// Has the next pieces looked through, by whoever has time first.
  private void ask(Executor others) {
    while (ahead.size() < AHEAD_MAX) {
      int piece = pieces.peek(ahead.size());
      if (piece == Pieces.END) {
        return;
      }
      S scout = idle.isEmpty() ? pieces.more() : idle.pop();
      if (scout == null) {
        return;
      }
      Look<S> look = new Look<>(pieces, scout, piece);
      ahead.add(look);
      others.execute(look);
    }
  }

  @Override
  public void close() {
    ahead.forEach(Look::abandon);
    ahead.clear();
  }

  /// A piece that somebody looks through, once.
  private static final class Look<S> implements Runnable {
    private final Pieces<S> pieces;
    private final S scout;
    private final int piece;
    private final AtomicBoolean begun = new AtomicBoolean();
    private final CountDownLatch over = new CountDownLatch(1);
    private @Nullable Throwable failure; // before `over`

    Look(Pieces<S> pieces, S scout, int piece) {
      this.pieces = pieces;
      this.scout = scout;
      this.piece = piece;
    }

    /// Does nothing when somebody has begun.
    @Override
    public void run() {
      if (begun.compareAndSet(false, true)) {
        try {
          pieces.lookThrough(scout, piece);
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

    S result() {
      awaitOver();
      switch (failure) {
        case null -> {
          return scout;
        }
        case RuntimeException known -> throw known;
        case Error error -> throw error;
        case Throwable other ->
            throw new IllegalStateException("looking through a piece throws nothing else", other);
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
          interrupted = true; // what is looked at must stay until it is done
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
