package io.widerow.loadgen.run;

import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.wire.Connection;
import io.widerow.loadgen.wire.Endpoint;
import io.widerow.loadgen.wire.Failure;
import io.widerow.loadgen.wire.Reply;
import io.widerow.loadgen.workload.PreparedBatch;
import io.widerow.loadgen.workload.Stamper;
import io.widerow.loadgen.workload.Workload;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// One connection's thread: takes the next batch of the schedule, waits for its time, sends it and
/// records the response. Latency counts from the intended time, so a stalled target shows in every
/// batch that had to wait for it.
///
/// - Threads: one, its own; [#closeIfStuck] is the watcher's.
final class Sender implements Runnable {
  /// Waiting ends in a spin, because a parked thread wakes late.
  private static final long SPIN_NANOS = 60 * Quantity.MICRO;

  private static final long DOWN_PAUSE_NANOS = 50 * Quantity.MILLI;

  /// A batch and the bytes that precede it on the wire.
  record Outgoing(int slot, ByteBuffer head, PreparedBatch batch) {}

  private final Endpoint endpoint;
  private final Workload workload;
  private final Schedule schedule;
  private final RunCounters counters;
  private final AckListener acks;
  private final List<Outgoing> batches;
  private final long sequenceBase;
  private final long timeoutNanos;
  private final Stamper stamper = new Stamper();

  private int turn; // which of `batches` is next
  private volatile @Nullable Connection connection;
  private volatile boolean stuck; // the watcher closed the connection
  private volatile long busySinceNanos = Long.MAX_VALUE;

  Sender(
      Endpoint endpoint,
      Workload workload,
      Schedule schedule,
      RunCounters counters,
      AckListener acks,
      List<Outgoing> batches,
      long sequenceBase,
      long timeoutNanos) {
    this.endpoint = endpoint;
    this.workload = workload;
    this.schedule = schedule;
    this.counters = counters;
    this.acks = acks;
    this.batches = batches;
    this.sequenceBase = sequenceBase;
    this.timeoutNanos = timeoutNanos;
  }

  @Override
  public void run() {
    if (schedule.isOpen()) {
      TimerSlack.none();
    }
    try {
      awaitTime(schedule.startNanos);
      for (long batch = schedule.take(); batch != Schedule.OVER; batch = schedule.take()) {
        long nowNanos = System.nanoTime();
        long intendedNanos = schedule.intendedNanos(batch, nowNanos);
        if (schedule.isOver(nowNanos, timeoutNanos)) {
          if (!schedule.isOpen()) {
            break;
          }
          unsent(intendedNanos, nowNanos);
          continue;
        }
        send(batch, intendedNanos, nowNanos);
      }
    } finally {
      disconnect();
    }
  }

  /// A batch that was never sent waited at least this long.
  private void unsent(long intendedNanos, long nowNanos) {
    counters.failed(Failure.UNSENT, "");
    if (schedule.isMeasured(intendedNanos)) {
      RunCounters.record(counters.response, nowNanos - intendedNanos);
    }
  }

  private void send(long batch, long intendedNanos, long takenNanos) {
    Outgoing outgoing = batches.get(turn);
    turn = (turn + 1) % batches.size();
    long sequenceFirst = sequenceBase + batch * workload.batchEvents();
    outgoing.batch().stamp(stamper, workload, sequenceFirst);
    awaitTime(intendedNanos);

    long sentNanos = System.nanoTime();
    boolean measured = schedule.isMeasured(intendedNanos);
    if (measured && schedule.isOpen()) {
      if (takenNanos - intendedNanos <= 0) {
        RunCounters.record(counters.slip, sentNanos - intendedNanos);
      } else {
        counters.queuedBatches.increment();
      }
    }
    busySinceNanos = sentNanos;
    Reply reply = exchange(outgoing);
    busySinceNanos = Long.MAX_VALUE;
    long doneNanos = System.nanoTime();
    count(outgoing, reply, measured, doneNanos);
    if (measured && (reply.accepted() > 0 || reply.failure() == Failure.SLOW)) {
      RunCounters.record(counters.response, doneNanos - intendedNanos);
      RunCounters.record(counters.service, doneNanos - sentNanos);
    }
    acks.answered(sequenceFirst, outgoing.slot(), outgoing.batch().events(), reply);
    if (reply.failure() == Failure.DOWN || reply.failure() == Failure.OVERLOADED) {
      LockSupport.parkNanos(DOWN_PAUSE_NANOS);
    }
  }

  private void count(Outgoing outgoing, Reply reply, boolean measured, long doneNanos) {
    if (reply.failure() != null) {
      counters.failed(reply.failure(), reply.body());
    }
    long sent = outgoing.batch().bytes().capacity();
    long bytes = sent * reply.accepted() / outgoing.batch().events(); // rounded down
    counters.acceptedEvents.add(reply.accepted());
    counters.acceptedBytes.add(bytes);
    if (measured) {
      counters.measuredBatches.increment();
      counters.measuredEvents.add(reply.accepted());
      counters.measuredBytes.add(bytes);
      counters.lastDoneNanos.accumulateAndGet(doneNanos, Math::max);
    }
  }

  private static void awaitTime(long intendedNanos) {
    while (true) {
      long leftNanos = intendedNanos - System.nanoTime();
      if (leftNanos <= 0) {
        return;
      }
      if (leftNanos > SPIN_NANOS) {
        LockSupport.parkNanos(leftNanos - SPIN_NANOS);
      } else {
        Thread.onSpinWait();
      }
    }
  }

  private Reply exchange(Outgoing outgoing) {
    Connection open = connection;
    try {
      if (open == null) {
        open = endpoint.connect();
        connection = open;
      }
      return open.exchange(outgoing.head(), outgoing.batch().bytes(), outgoing.batch().events());
    } catch (NumberFormatException garbled) { // of a status or a length
      disconnect();
      return Reply.failed(Failure.GARBLED, String.valueOf(garbled));
    } catch (IOException failure) {
      boolean connected = open != null;
      disconnect();
      Failure kind = kind(failure, connected);
      return Reply.failed(
          kind,
          kind == Failure.SLOW
              ? "no response within " + Quantity.time(timeoutNanos)
              : String.valueOf(failure));
    }
  }

  private Failure kind(IOException failure, boolean connected) {
    if (!connected) {
      return Failure.DOWN;
    }
    if (stuck) {
      stuck = false;
      return Failure.SLOW;
    }
    return failure instanceof ProtocolException ? Failure.GARBLED : Failure.CLOSED;
  }

  /// Ends an exchange that has lasted longer than the timeout.
  void closeIfStuck(long nowNanos) {
    long sinceNanos = busySinceNanos;
    Connection open = connection;
    if (open != null && sinceNanos != Long.MAX_VALUE && nowNanos - sinceNanos > timeoutNanos) {
      stuck = true;
      open.close();
    }
  }

  private void disconnect() {
    Connection open = connection;
    if (open != null) {
      open.close();
      connection = null;
    }
  }
}
