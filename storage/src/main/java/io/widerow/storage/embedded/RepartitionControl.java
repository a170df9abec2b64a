package io.widerow.storage.embedded;

import io.widerow.event.PartitionKey;
import io.widerow.event.PartitionWeights;
import io.widerow.storage.StorageException;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.maintenance.Merger;
import io.widerow.storage.maintenance.Repartition;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/// Rewrites closed partitions of an open store into the form that fits their contents, although a
/// merge wrote them before.
///
/// - Threads: any. [#run] waits until all is done, and merges and seals go first.
public final class RepartitionControl {
  private final StoreContents contents;
  private final Merger merger;
  private final Runnable requireOpen;

  /// @param requireOpen throws while the store may not be changed yet
  RepartitionControl(StoreContents contents, Merger merger, Runnable requireOpen) {
    this.contents = contents;
    this.merger = merger;
    this.requireOpen = requireOpen;
  }

  /// Which partitions are asked for.
  ///
  /// @param fromNanos only partitions whose bucket ends after this, nanoseconds since the Unix
  ///   epoch
  /// @param untilNanos only partitions whose bucket begins before this
  /// @param weights the target size of a partition
  public record Asked(
      Predicate<String> types, long fromNanos, long untilNanos, PartitionWeights weights) {
    private Repartition work() {
      return new Repartition(types, fromNanos, untilNanos, weights);
    }
  }

  /// The result of a repartition, or of its plan.
  ///
  /// @param partitions partitions that weighed too much or too little and get other keys
  /// @param before all partitions that get other keys
  /// @param after partitions that these become
  /// @param events events in the files that are written again
  public record Report(int partitions, int before, int after, long events) {
    private static Report of(Repartition.Report report) {
      return new Report(report.partitions(), report.before(), report.after(), report.events());
    }
  }

  /// A partition that weighs too much or too little, and would not any more.
  ///
  /// @param bytes bytes in sealed files
  public record Misfit(PartitionKey key, long events, long bytes, double weight) {}

  /// The planned work.
  public record Plan(Report report, List<Misfit> misfits) {}

  /// The work that [#run] would do now. Changes nothing.
  public Plan plan(Asked asked) {
    List<Repartition.Misfit> found = new ArrayList<>();
    Report report = Report.of(asked.work().plan(contents, found));
    return new Plan(
        report,
        found.stream()
            .map(each -> new Misfit(each.key(), each.events(), each.bytes(), each.weight()))
            .toList());
  }

  /// Writes partitions that weigh too much or too little again under other keys. Each step is
  /// durable or changes nothing, and ends with the digest that it began with.
  ///
  /// @throws StorageException when a step failed; those before it stay done
  /// @throws InterruptedException when the thread was interrupted while it waited
  public Report run(Asked asked) throws InterruptedException {
    requireOpen.run();
    contents.requireWriting();
    if (contents.isDrained()) {
      throw new IllegalStateException("a store that is drained merges nothing");
    }
    return Report.of(merger.rewrite(asked.work()));
  }
}
