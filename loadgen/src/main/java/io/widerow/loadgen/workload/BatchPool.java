package io.widerow.loadgen.workload;

import java.util.ArrayList;
import java.util.List;

/// All prepared batches of a run.
///
/// - Threads: any may read the pool; a batch belongs to one connection.
///
/// @param key what the batches were made from, in one line
public record BatchPool(String key, List<PreparedBatch> batches) {
  public BatchPool {
    batches = List.copyOf(batches);
  }

  /// @throws IllegalArgumentException when the target cannot carry such events
  public static BatchPool prepare(Workload workload, Target target, int connections) {
    target.requireCarries(workload);
    SamplePool samples = new SamplePool(workload);
    int slots = workload.slots(connections);
    List<PreparedBatch> batches = new ArrayList<>(slots);
    for (int slot = 0; slot < slots; slot++) {
      List<Sample> batch = samples.nextBatch();
      long[] shiftsNanos = batch.stream().mapToLong(Sample::shiftNanos).toArray();
      batches.add(Encoder.encode(target, batch).prepared(batch.get(0).type(), shiftsNanos));
    }
    return new BatchPool(key(workload, target), batches);
  }

  /// Everything that determines the prepared bytes; times and numbers are stamped later.
  static String key(Workload w, Target target) {
    return "%s %s seed=%d batch=%d distinct=%d types=%d skew=%s series=%d late=%s/%d equal=%s/%d%s"
        .formatted(
            target,
            w.scenario(),
            w.seed(),
            w.batchEvents(),
            w.distinct(),
            w.types(),
            w.skew(),
            w.series(),
            w.lateShare(),
            w.lateNanosMax(),
            w.equalShare(),
            w.equalShare() == 0 ? 0 : w.stepNanos(),
            w.lines() == null ? "" : " lines=" + w.lines());
  }

  public long bytes() {
    return batches.stream().mapToLong(b -> b.bytes().capacity()).sum();
  }
}
