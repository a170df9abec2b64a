package io.widerow.storage.cassandra.apply;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.widerow.storage.LaneArrivals;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;

/// The batches with keys that are not applied yet, of one number of lanes. During an outage there
/// are many, so they lie in native memory:
///
/// ```
///   a batch, 32 bytes:  key, 16 | counterFrom, 8 | count, 4 | seconds since 1970, 4
/// ```
///
/// - Threads: any.
/// - Memory: 32 bytes a batch, in pieces of 64 KiB, freed when the batches are applied.
public final class Batches {
  /// First byte of the note with which a batch is journaled.
  private static final byte NOTE = (byte) 0xC1;

  private static final int NOTE_BYTES = 1 + 16 + 8 + 4 + 1 + 1 + 4;
  private static final int BYTES = 32;
  private static final int PIECE = 2_048; // batches
  private static final long SECONDS_MASK = 0xffff_ffffL;

  /// Batches in the order in which they came.
  private static final class Queue {
    final Deque<MemorySegment> pieces = new ArrayDeque<>();
    int first; // of the first piece
    int limit; // of the last piece
  }

  private final int lanes;
  private final List<Queue> queues = new ArrayList<>();
  private final List<PendingBatch> recovered = new ArrayList<>();

  public Batches(int lanes) {
    this.lanes = lanes;
    for (int lane = 0; lane < lanes; lane++) {
      queues.add(new Queue());
    }
  }

  public int lanes() {
    return lanes;
  }

  /// The note that is journaled with a batch.
  public byte[] note(byte[] key, int lane, long counterFrom, int count, long seconds) {
    return ByteBuffer.allocate(NOTE_BYTES)
        .put(NOTE)
        .put(key, 0, 16)
        .putLong(counterFrom)
        .putInt(count)
        .put((byte) lane)
        .put((byte) (lanes - 1))
        .putInt((int) seconds)
        .array();
  }

  /// True for a note that [#note] made.
  public static boolean isNote(byte[] note) {
    return note.length == NOTE_BYTES && note[0] == NOTE;
  }

  /// Adds a batch from its note, after a restart.
  public synchronized void recover(byte[] note) {
    ByteBuffer in = ByteBuffer.wrap(note);
    in.get();
    byte[] key = new byte[16];
    in.get(key);
    long counterFrom = in.getLong();
    int count = in.getInt();
    int lane = Byte.toUnsignedInt(in.get());
    int then = Byte.toUnsignedInt(in.get()) + 1;
    long seconds = in.getInt() & SECONDS_MASK;
    recovered.add(
        new PendingBatch(HexFormat.of().formatHex(key), lane, then, counterFrom, count, seconds));
  }

  /// Adds a batch. Call it before the batch's group is committed.
  public synchronized void add(byte[] key, int lane, long counterFrom, int count, long seconds) {
    Queue queue = queues.get(lane);
    if (queue.pieces.isEmpty() || queue.limit == PIECE) {
      queue.pieces.add(Arena.ofAuto().allocate((long) PIECE * BYTES, Long.BYTES));
      queue.limit = 0;
    }
    MemorySegment piece = queue.pieces.getLast();
    long at = (long) queue.limit * BYTES;
    MemorySegment.copy(key, 0, piece, ValueLayout.JAVA_BYTE, at, 16);
    piece.set(JAVA_LONG, at + 16, counterFrom);
    piece.set(JAVA_INT, at + 24, count);
    piece.set(JAVA_INT, at + 28, (int) seconds);
    queue.limit++;
  }

  /// Takes the last batches of a lane out again: their group was dropped.
  public synchronized void removeLast(int lane, int count) {
    Queue queue = queues.get(lane);
    for (int left = count; left > 0; left--) {
      queue.limit--;
      if (queue.limit == (queue.pieces.size() == 1 ? queue.first : 0)) {
        queue.pieces.removeLast();
        queue.limit = PIECE;
        queue.first = queue.pieces.isEmpty() ? 0 : queue.first;
      }
    }
  }

  /// The batches that arrived from one position up to another.
  synchronized List<PendingBatch> between(LaneArrivals from, LaneArrivals to) {
    List<PendingBatch> found = new ArrayList<>();
    for (PendingBatch batch : recovered) {
      if (!batch.isBefore(from) && batch.isBefore(to)) {
        found.add(batch);
      }
    }
    for (int lane = 0; lane < lanes; lane++) {
      addBetween(lane, from, to, found);
    }
    return found;
  }

  private void addBetween(int lane, LaneArrivals from, LaneArrivals to, List<PendingBatch> found) {
    Queue queue = queues.get(lane);
    int at = queue.first;
    int left = queue.pieces.size();
    for (MemorySegment piece : queue.pieces) {
      left--;
      int limit = left == 0 ? queue.limit : PIECE;
      for (; at < limit; at++) {
        PendingBatch batch = batch(piece, at, lane);
        if (!batch.isBefore(to)) {
          return;
        }
        if (!batch.isBefore(from)) {
          found.add(batch);
        }
      }
      at = 0;
    }
  }

  private PendingBatch batch(MemorySegment piece, int index, int lane) {
    long at = (long) index * BYTES;
    byte[] key = piece.asSlice(at, 16).toArray(ValueLayout.JAVA_BYTE);
    return new PendingBatch(
        HexFormat.of().formatHex(key),
        lane,
        lanes,
        piece.get(JAVA_LONG, at + 16),
        piece.get(JAVA_INT, at + 24),
        piece.get(JAVA_INT, at + 28) & SECONDS_MASK);
  }

  /// Forgets the batches that arrived before a position.
  synchronized void forgetBefore(LaneArrivals position) {
    recovered.removeIf(batch -> batch.isBefore(position));
    for (int lane = 0; lane < lanes; lane++) {
      Queue queue = queues.get(lane);
      long limit = position.limitOfLane(lane, lanes);
      while (!queue.pieces.isEmpty()) {
        MemorySegment piece = queue.pieces.getFirst();
        int end = queue.pieces.size() == 1 ? queue.limit : PIECE;
        while (queue.first < end && piece.get(JAVA_LONG, (long) queue.first * BYTES + 16) < limit) {
          queue.first++;
        }
        if (queue.first < end) {
          break;
        }
        queue.pieces.removeFirst();
        queue.first = 0;
      }
    }
  }

  /// The number of batches.
  public synchronized long size() {
    long sum = recovered.size();
    for (Queue queue : queues) {
      if (!queue.pieces.isEmpty()) {
        sum += (queue.pieces.size() - 1L) * PIECE + queue.limit - queue.first;
      }
    }
    return sum;
  }
}
