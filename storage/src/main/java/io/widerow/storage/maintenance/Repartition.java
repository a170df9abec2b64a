package io.widerow.storage.maintenance;

import io.widerow.event.LayoutOverride;
import io.widerow.event.PartitionKey;
import io.widerow.event.PartitionWeights;
import io.widerow.storage.EventCursor;
import io.widerow.storage.StorageException;
import io.widerow.storage.digest.EventDigest;
import io.widerow.storage.digest.EventHash;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.live.RetentionSnapshot;
import io.widerow.storage.live.Retentions;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.live.StoreMoment;
import io.widerow.storage.maintenance.RepartitionPlan.Step;
import io.widerow.storage.maintenance.RepartitionPlan.Unit;
import io.widerow.storage.segment.SegmentSummary;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Rewrites closed final partitions that weigh too much or too little under other keys, a bucket or
/// a day in each step:
///
/// ```
///   read      the events of the sources: their digest
///   written   the same events under other keys, in files that nothing lists yet
///   read back the digest must be the same
///   swapped   one edit of the manifest; readers in progress keep the old files
/// ```
///
/// A step that is ended before the edit has changed nothing: the next start deletes its files.
///
/// - Threads: the merging one.
public final class Repartition extends Rewrite<Repartition.Report> {
  private static final Report NOTHING = new Report(0, 0, 0, 0);

  private final Predicate<String> types;
  private final long fromNanos;
  private final long untilNanos;
  private final PartitionWeights weights;
  private @Nullable RepartitionPlan plan; // used by the merging thread, as is the rest
  private final Deque<Unit> left = new ArrayDeque<>();
  private Report report = NOTHING;

  /// The result of a repartition.
  ///
  /// @param partitions partitions that weighed too much or too little and have other keys now
  /// @param before all partitions that have other keys now
  /// @param after partitions that replaced them
  /// @param events events in the files that were written again; the digest of each step was the
  ///   same before and after
  public record Report(int partitions, int before, int after, long events) {
    Report and(Report other) {
      return new Report(
          partitions + other.partitions,
          before + other.before,
          after + other.after,
          events + other.events);
    }
  }

  /// A partition that would get another key.
  public record Misfit(PartitionKey key, long events, long bytes, double weight) {}

  /// @param fromNanos only partitions whose bucket ends after this, nanoseconds since the Unix
  ///   epoch
  /// @param untilNanos only partitions whose bucket begins before this
  /// @param weights the target size of a partition
  public Repartition(
      Predicate<String> types, long fromNanos, long untilNanos, PartitionWeights weights) {
    this.types = types;
    this.fromNanos = fromNanos;
    this.untilNanos = untilNanos;
    this.weights = weights;
  }

  /// The work that would be done now. Changes nothing.
  ///
  /// @param misfits gets the partitions that weigh too much or too little and would not any more
  public Report plan(StoreContents contents, List<Misfit> misfits) {
    RepartitionPlan planned = planOf(contents);
    Deque<Unit> units = new ArrayDeque<>(planned.units(contents.state().segments()));
    Report sum = NOTHING;
    while (!units.isEmpty()) {
      Unit unit = units.pop();
      Step step = planned.of(contents.state().segments(), contents.retentions(), unit);
      if (step != null && !isDivided(planned, unit, step, units)) {
        sum = sum.and(reportOf(step, step.keysAfter().size()));
        misfits.addAll(misfits(step));
      }
    }
    return sum;
  }

  private static boolean isDivided(RepartitionPlan plan, Unit unit, Step step, Deque<Unit> units) {
    List<Unit> narrower = plan.narrower(unit, step);
    narrower.reversed().forEach(units::push);
    return !narrower.isEmpty();
  }

  private static Report reportOf(Step step, int after) {
    long events = step.sources().stream().mapToLong(live -> live.entry().events()).sum();
    return new Report(step.misfits().size(), step.keysBefore().size(), after, events);
  }

  private static List<Misfit> misfits(Step step) {
    Map<PartitionKey, Misfit> found = new TreeMap<>();
    for (LiveSegment live : step.sources()) {
      long[] bytes = live.partitionBytes();
      int at = 0;
      for (SegmentSummary.Partition partition : live.partitions()) {
        long own = bytes[at++];
        Double weight = step.misfits().get(partition.key());
        if (weight != null) {
          found.merge(
              partition.key(),
              new Misfit(partition.key(), partition.events(), own, weight),
              (a, b) -> new Misfit(a.key, a.events + b.events, a.bytes + b.bytes, weight));
        }
      }
    }
    return List.copyOf(found.values());
  }

  private RepartitionPlan planOf(StoreContents contents) {
    StoreMoment moment = contents.moment();
    moment.segments().release(Runnable::run);
    int lanes = contents.config().lanes();
    int lanesMost =
        moment.manifest().sealedLsns().keySet().stream().reduce(lanes - 1, Math::max) + 1;
    return new RepartitionPlan(
        new RepartitionPlan.Wanted(types, fromNanos, untilNanos, weights, apart(lanesMost)),
        new SmallBucketMerge(contents),
        contents.segmentArrivals(),
        lanes,
        contents.clock().wallNanos() - contents.config().mergeAfter().toNanos());
  }

  /// The least distance of shards that a position takes for one lane, however many lanes up to a
  /// number the store had when it gave the position.
  static int apart(int lanesMost) {
    long apart = 1;
    for (int lanes = 2; lanes <= lanesMost && apart < LayoutOverride.SHARDS_MAX; lanes++) {
      apart = apart / gcd(apart, lanes) * lanes;
    }
    return (int) Math.min(apart, LayoutOverride.SHARDS_MAX);
  }

  private static long gcd(long a, long b) {
    return b == 0 ? a : gcd(b, a % b);
  }

  @Override
  boolean step(Tools tools) {
    StoreContents contents = tools.contents();
    RepartitionPlan now = plan;
    if (now == null) {
      now = planOf(contents);
      plan = now;
      left.addAll(now.units(contents.state().segments()));
    }
    while (!left.isEmpty()) {
      Unit unit = left.pop();
      Step step = now.of(contents.state().segments(), contents.retentions(), unit);
      if (step != null && !isDivided(now, unit, step, left)) {
        write(step, tools);
        return true;
      }
    }
    return false;
  }

  @Override
  Report result() {
    return report;
  }

  private void write(Step step, Tools tools) {
    if (!tools.expiry().take(step.sources())) {
      return; // retention dropped one of them just now
    }
    try {
      EventDigest before = digest(kept(step), tools);
      List<MergeOutput> outputs =
          step.outputs().stream().filter(output -> output.hasEvents(tools.readers())).toList();
      List<LiveSegment> written = tools.writer().write(step.sources(), outputs, tools.readers());
      requireSame(before, written, tools);
      Set<PartitionKey> keys = new HashSet<>();
      written.forEach(live -> live.partitions().forEach(partition -> keys.add(partition.key())));
      keys.retainAll(step.keysAfter());
      if (tools.writer().commit(written, step.sources(), () -> mayGo(step, tools.contents()))) {
        report = report.and(reportOf(step, keys.size()));
      }
    } finally {
      tools.expiry().giveBack();
    }
  }

  /// The partitions that a step keeps of its sources.
  private static List<MergeOutput.Source> kept(Step step) {
    List<MergeOutput.Source> kept = new ArrayList<>();
    for (LiveSegment live : step.sources()) {
      live.partitions().stream()
          .filter(partition -> !step.left().contains(partition.key()))
          .forEach(partition -> kept.add(new MergeOutput.Source(live, partition)));
    }
    return kept;
  }

  /// False when the retention has changed: events that were left out are retained again, or events
  /// are hidden that a wider bucket would show.
  private static boolean mayGo(Step step, StoreContents contents) {
    Retentions.OnDisk now = contents.retentions().onDisk();
    RetentionSnapshot shown = contents.retentions().shown();
    return step.left().stream().allMatch(key -> now.mayGoWhole(key.type(), key.untilNanos()))
        && step.keysBefore().stream().noneMatch(key -> shown.isPast(key.type(), key.untilNanos()));
  }

  /// Reads back the written segments and compares them.
  private static void requireSame(EventDigest before, List<LiveSegment> written, Tools tools) {
    try {
      if (written.isEmpty()) {
        throw closing(new IllegalStateException("writing was given up"));
      }
      List<MergeOutput.Source> all = new ArrayList<>();
      written.forEach(
          live -> live.partitions().forEach(each -> all.add(new MergeOutput.Source(live, each))));
      EventDigest after = digest(all, tools);
      if (!after.equals(before)) {
        String differs =
            "the written segments have %d events with digest %s, their sources %d with %s"
                .formatted(after.events(), after.text(), before.events(), before.text());
        throw new StorageException.Failed(
            differs + "; nothing was changed", new IllegalStateException(differs));
      }
    } catch (Throwable failed) {
      tools.writer().abandon(written, failed);
      throw failed;
    }
  }

  /// The digest of all events, each once, whichever partitions of its type they are in.
  private static EventDigest digest(List<MergeOutput.Source> sources, Tools tools) {
    Map<String, List<MergeOutput.Source>> types = new TreeMap<>();
    for (MergeOutput.Source source : sources) {
      types.computeIfAbsent(source.partition().key().type(), _ -> new ArrayList<>()).add(source);
    }
    EventHash hash = EventHash.asWritten();
    var sum = new EventDigest.Sum();
    int count = 0;
    for (List<MergeOutput.Source> ofType : types.values()) {
      try (EventCursor events = MergeOutput.Target.all(ofType).open(tools.readers())) {
        while (EventCursor.nextLocal(events)) {
          sum.add(hash, events.event());
          if (++count % MergeWriter.PACE_EVENTS == 0 && !tools.writer().isTime()) {
            throw closing(new IllegalStateException("reading was given up"));
          }
        }
      }
    }
    return sum.digest();
  }
}
