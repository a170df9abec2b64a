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

  public static BatchPool prepare(Workload workload, Target target, int connections) {
    SamplePool samples = new SamplePool(workload);
    int slots = workload.slots(connections);
    List<PreparedBatch> batches = new ArrayList<>(slots);
    StringBuilder out = new StringBuilder(512);
    for (int slot = 0; slot < slots; slot++) {
      batches.add(encode(samples.nextBatch(), target, out));
    }
    return new BatchPool(key(workload, target), batches);
  }

  private static PreparedBatch encode(List<Sample> samples, Target target, StringBuilder out) {
    List<String> events = new ArrayList<>(samples.size());
    long[] shiftsNanos = new long[samples.size()];
    for (int i = 0; i < shiftsNanos.length; i++) {
      out.setLength(0);
      Encoder.encode(target, samples.get(i), out);
      events.add(out.toString());
      shiftsNanos[i] = samples.get(i).shiftNanos();
    }
    return PreparedBatch.of(samples.get(0).type(), events, shiftsNanos);
  }

  /// Everything that determines the prepared bytes; times and numbers are stamped later.
  static String key(Workload w, Target target) {
    return "%s %s seed=%d batch=%d distinct=%d types=%d skew=%s series=%d late=%s/%d equal=%s/%d"
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
            w.equalShare() == 0 ? 0 : w.stepNanos());
  }

  public long bytes() {
    return batches.stream().mapToLong(b -> b.bytes().capacity()).sum();
  }
}
