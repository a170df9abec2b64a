package io.widerow.loadgen.workload;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/// Draws a workload's events, batch by batch and in order: the values of metrics continue from one
/// batch to the next.
///
/// - Threads: one.
public final class SamplePool {
  private final Workload workload;
  private final SplittableRandom random;
  private final SampleSource source;
  private final Zipf type;

  public SamplePool(Workload workload) {
    this.workload = workload;
    this.random = new SplittableRandom(workload.seed());
    this.source = workload.scenario().samples(workload, random.split());
    this.type = new Zipf(workload.types(), workload.skew());
  }

  /// The events of all slots.
  public static List<List<Sample>> all(Workload workload, int slots) {
    SamplePool pool = new SamplePool(workload);
    List<List<Sample>> batches = new ArrayList<>(slots);
    for (int slot = 0; slot < slots; slot++) {
      batches.add(pool.nextBatch());
    }
    return batches;
  }

  /// The events of the next batch, all of one type.
  public List<Sample> nextBatch() {
    String name = typeName(type.draw(random));
    List<Sample> batch = new ArrayList<>(workload.batchEvents());
    long equalShift = 0;
    for (int i = 0; i < workload.batchEvents(); i++) {
      boolean equal = i > 0 && random.nextDouble() < workload.equalShare();
      equalShift = equal ? equalShift - workload.stepNanos() : 0;
      long late =
          random.nextDouble() < workload.lateShare()
              ? random.nextLong(workload.lateNanosMax() + 1)
              : 0;
      batch.add(source.next(name).shifted(equalShift - late));
    }
    return batch;
  }

  private String typeName(int number) {
    String base = workload.scenario().type;
    return workload.types() == 1 ? base : base + "." + number;
  }
}
