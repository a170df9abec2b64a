package io.widerow.storage.rows;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// The native memory of all open rows of a store: pieces of one size, taken and given back whole,
/// so that freeing rows costs nothing and memory is bounded.
///
/// A piece whose rows are sealed but still read is *retired*: another may be taken in its place, so
/// that a slow reader does not stop writers, until as many are retired as there are pieces. Then
/// writers do wait for readers.
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

  public RowMemory(long pieceBytes, int pieces) {
    this.pieceBytes = pieceBytes;
    this.pieces = pieces;
  }

  long pieceBytes() {
    return pieceBytes;
  }

  /// A piece, or null when all are in use.
  synchronized @Nullable MemorySegment tryTake() {
    if (!hasPiece()) {
      return null;
    }
    live++;
    MemorySegment piece = free.poll();
    return piece != null ? piece : NativeMemory.allocate(pieceBytes, arena);
  }

  /// The rows in a piece are sealed; whoever reads them may go on.
  synchronized void retire() {
    live--;
    retired++;
    notifyAll();
  }

  /// Nobody reads a retired piece any more.
  synchronized void giveBack(MemorySegment piece) {
    retired--;
    free.push(piece);
    notifyAll();
  }

  /// True when a writer would have to wait.
  public synchronized boolean isUsedUp() {
    return !hasPiece();
  }

  /// Bytes that are in use now.
  public synchronized long usedBytes() {
    return (live + retired) * pieceBytes;
  }

  /// Waits until a piece can be taken, `millis` at most.
  ///
  /// @throws IllegalStateException when the thread is interrupted: nobody interrupts a writer
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
    return live < pieces && live + retired < 2 * pieces;
  }

  @Override
  public void close() {
    arena.close();
  }
}
