package io.widerow.loadgen.run;

import io.widerow.loadgen.wire.Reply;
import io.widerow.loadgen.workload.Workload;
import java.util.concurrent.atomic.AtomicLong;

/// Remembers the newest event that was acknowledged, for those who read the newest minutes, and
/// passes everything on.
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

  /// The time behind the newest event, nanoseconds since the epoch; that of the first before any
  /// was acknowledged.
  public long limitNanos() {
    return workload.timeNanos(sequenceLimit.get(), 0);
  }
}
