package io.widerow.loadgen.run;

import io.widerow.loadgen.wire.Reply;
import io.widerow.loadgen.workload.Workload;
import java.util.concurrent.atomic.AtomicLong;

/// Remembers the newest acknowledged event, for queries over the newest minutes, and passes every
/// outcome on.
///
/// - Threads: any.
public final class NewestEvent implements AckListener {
  private final Workload workload;
  private final AckListener next;
  private final AtomicLong sequenceLimit = new AtomicLong();

  public NewestEvent(Workload workload, AckListener next) {
    this.workload = workload;
    this.next = next;
  }

  @Override
  public void answered(long sequenceFirst, int slot, int events, Reply reply) {
    if (reply.accepted() > 0) {
      sequenceLimit.accumulateAndGet(sequenceFirst + events, Math::max);
    }
    next.answered(sequenceFirst, slot, events, reply);
  }

  /// The time just after the newest event, nanoseconds since the epoch; the time of the first event
  /// before any was acknowledged.
  public long limitNanos() {
    return workload.timeNanos(sequenceLimit.get(), 0);
  }
}
