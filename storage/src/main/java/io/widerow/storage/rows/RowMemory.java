package io.widerow.storage.rows;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// Pool of the native memory of a store's open rows. All pieces have one size and are taken and
/// given back whole, so freeing rows costs nothing and memory is bounded.
///
/// A piece is *retired* when its rows are sealed but still being read. Another piece may then be
/// taken for it, so a slow reader does not stop writers. Once as many pieces are retired as the
/// pool has, writers wait for readers.
///
/// - Threads: any.
/// - Memory: owns `pieces` pieces, and up to as many again while readers hold retired ones, until
///   [#close].
public final class RowMemory implements AutoCloseable {
  private final Arena arena = Arena.ofShared();
  private final long pieceBytes;
  private final int pieces;
  private final ArrayDeque<MemorySegment> free = new ArrayDeque<>();
  private int live; // taken and not retired
  private int retired;
  private boolean ended;

  public RowMemory(long pieceBytes, int pieces) {
    this.pieceBytes = pieceBytes;
    this.pieces = pieces;
  }

  /// Takes a piece; null when all are in use.
  synchronized @Nullable MemorySegment tryTake() {
    if (!hasPiece()) {
      return null;
    }
    live++;
    MemorySegment piece = free.poll();
    return piece != null ? piece : NativeMemory.allocate(pieceBytes, arena);
  }

  /// Retires a piece whose rows are sealed. Its readers may go on.
  synchronized void retire() {
    live--;
    retired++;
    notifyAll();
  }

  /// Gives back a retired piece that no reader uses any more.
  synchronized void giveBack(MemorySegment piece) {
    retired--;
    free.push(piece);
    notifyAll();
    freeIfEnded();
  }

  /// Frees all memory once no rows and no reader use it. No piece can be taken from now on.
  public synchronized void end() {
    ended = true;
    freeIfEnded();
  }

  private void freeIfEnded() {
    if (ended && live + retired == 0 && arena.scope().isAlive()) {
      arena.close();
    }
  }

  /// True when a writer would have to wait.
  public synchronized boolean isUsedUp() {
    return !hasPiece();
  }

  /// Bytes in use now.
  public synchronized long usedBytes() {
    return (live + retired) * pieceBytes;
  }

  /// Waits until a piece can be taken, for at most `millis`.
  ///
  /// @throws IllegalStateException when the thread is interrupted, which never happens to a writer
  public synchronized void awaitPiece(long millis) {
    long deadline = System.nanoTime() + millis * 1_000_000;
    try {
      while (!hasPiece()) {
        long left = (deadline - System.nanoTime()) / 1_000_000;
        if (left <= 0) {
          return;
        }
        wait(left);
      }
    } catch (InterruptedException interrupt) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("writer interrupted while waiting for memory", interrupt);
    }
  }

  private boolean hasPiece() {
    return !ended && live < pieces && live + retired < 2 * pieces;
  }

  @Override
  public void close() {
    if (arena.scope().isAlive()) {
      arena.close();
    }
  }
}
