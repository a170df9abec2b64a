package io.widerow.ingest.lane;

import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.ExceptionHandler;
import com.lmax.disruptor.InsufficientCapacityException;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.WaitStrategy;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/// One ring (a Disruptor) and the one thread that empties it into the lane's writer.
///
/// ```
///   receivers --offer--> [ slot | slot | slot | ... ] --end of batch--> LaneGroup: append*, commit
/// ```
///
/// The thread takes everything that waits as one group (group commit); while that is forced to
/// disk, the next group forms. No exception of the handler may reach the ring: its thread would
/// die, and senders would wait indefinitely. Instead an exception ends writing, and the thread
/// continues and fails all further batches.
///
/// - Threads: any may call [#offer]; owns the thread `widerow-lane-<number>`.
public final class LaneRing implements AutoCloseable {
  /// Bytes of records after which a group is committed even if more batches wait.
  static final long GROUP_BYTES_MAX = 4L << 20;

  private final Disruptor<Slot> disruptor;
  private final RingBuffer<Slot> ring;
  private final LaneGroup group;

  private static final class Slot {
    @Nullable BatchPart part;
  }

  LaneRing(int number, int slots, WaitStrategy waiting, LaneGroup group) {
    this.group = group;
    ThreadFactory threads =
        work -> Thread.ofPlatform().name("widerow-lane-" + number).unstarted(work);
    disruptor = new Disruptor<>(Slot::new, slots, threads, ProducerType.MULTI, waiting);
    disruptor.setDefaultExceptionHandler(new FailingHandler());
    EventHandler<Slot> handler = this::onSlot;
    disruptor.handleEventsWith(handler);
    ring = disruptor.getRingBuffer();
  }

  void start() {
    disruptor.start();
  }

  /// False when the ring is full.
  boolean offer(BatchPart part) {
    long sequence;
    try {
      sequence = ring.tryNext();
    } catch (InsufficientCapacityException full) { // one shared instance, no stack trace
      return false;
    }
    ring.get(sequence).part = part;
    ring.publish(sequence);
    return true;
  }

  /// Wakes the thread although there is nothing to write: only this thread may notify the store's
  /// writer that time has passed. A full ring needs no waking.
  void tick() {
    long sequence;
    try {
      sequence = ring.tryNext();
    } catch (InsufficientCapacityException busy) {
      return;
    }
    ring.publish(sequence); // the slot is empty: its last part was taken out
  }

  public int slots() {
    return ring.getBufferSize();
  }

  /// Batches in the ring now.
  public long slotsUsed() {
    return ring.getBufferSize() - ring.remainingCapacity();
  }

  private void onSlot(Slot slot, long sequence, boolean endOfBatch) {
    try {
      BatchPart part = slot.part;
      slot.part = null;
      if (part != null) {
        group.take(part);
      } else {
        group.tick();
      }
      if (endOfBatch || group.bytes() >= GROUP_BYTES_MAX) {
        group.commit();
      }
    } catch (Throwable failure) {
      group.fail(failure);
    }
  }

  /// Waits until the ring is empty and each batch is answered, then ends the thread. No [#offer]
  /// may follow.
  @Override
  public void close() {
    disruptor.shutdown();
    group.close();
  }

  /// Handles what [#onSlot] does not catch itself.
  private final class FailingHandler implements ExceptionHandler<Slot> {
    @Override
    public void handleEventException(Throwable failure, long sequence, Slot slot) {
      group.fail(failure);
    }

    @Override
    public void handleOnStartException(Throwable failure) {
      group.fail(failure);
    }

    @Override
    public void handleOnShutdownException(Throwable failure) {
      group.fail(failure);
    }
  }
}
