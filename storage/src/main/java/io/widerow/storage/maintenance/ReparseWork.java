package io.widerow.storage.maintenance;

import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.storage.EventChange;
import io.widerow.storage.Scan;
import io.widerow.storage.digest.EventDigest;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.live.SegmentSet;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.segment.SegmentSummary;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Rewrites the segments that hold events which a change makes others, one bucket in each step. A
/// change that makes nothing of its own results leaves what a killed run has done as it is, so that
/// another run goes on.
///
/// Damaged segments are left out, and with them whatever overlaps one with earlier writes of an id.
///
/// - Threads: the merging one.
public final class ReparseWork extends SegmentRewrite<ReparseWork.Report> {
  private final Asked asked;
  private final Set<Long> looked = new HashSet<>(); // segments without such events
  private Report report = Report.NONE;

  /// Which events may change.
  ///
  /// @param fromNanos first time, nanoseconds since the Unix epoch
  /// @param untilNanos first time after
  /// @param change of an event of these types and times
  public record Asked(
      Predicate<String> types, long fromNanos, long untilNanos, EventChange change) {
    private boolean mayBeIn(PartitionKey key) {
      return types.test(key.type()) && key.untilNanos() > fromNanos && key.fromNanos() < untilNanos;
    }

    private @Nullable EventView of(EventView event) {
      long nanos = event.timeNanos();
      return nanos >= fromNanos && nanos < untilNanos && types.test(event.type())
          ? change.of(event)
          : event;
    }
  }

  /// What was done.
  ///
  /// @param events that were changed
  /// @param partitions with such events
  /// @param files that were written again
  /// @param before digest of all events of these files before
  /// @param after the same after
  /// @param damaged segments that were left out and may hold such events
  public record Report(
      long events, int partitions, int files, EventDigest before, EventDigest after, int damaged) {
    static final Report NONE = new Report(0, 0, 0, EventDigest.NONE, EventDigest.NONE, 0);
  }

  public ReparseWork(Asked asked) {
    this.asked = asked;
  }

  @Override
  boolean step(Tools tools) {
    StoreContents contents = tools.contents();
    for (List<LiveSegment> unit : units(contents, this::mayBeIn)) {
      if (unit.stream().anyMatch(live -> !looked.contains(live.entry().id()) && mayBeIn(live))
          && write(unit, ReparseStep::new, tools)) {
        return true;
      }
      unit.forEach(live -> looked.add(live.entry().id()));
    }
    int damaged =
        (int)
            contents.state().segments().all().stream()
                .filter(live -> !live.isWhole() && mayBeIn(live))
                .count();
    report =
        new Report(
            report.events, report.partitions, report.files, report.before, report.after, damaged);
    return false;
  }

  private boolean mayBeIn(LiveSegment live) {
    return SegmentSet.bucketOf(live).overlaps(asked.fromNanos, asked.untilNanos)
        && live.partitions().types().stream().anyMatch(asked.types);
  }

  private final class ReparseStep implements Step {
    @Override
    public boolean mayBeIn(PartitionKey key) {
      return asked.mayBeIn(key);
    }

    @Override
    public Scan scan(SegmentSummary.Partition partition) {
      return Scan.all();
    }

    @Override
    public @Nullable EventView of(EventView event) {
      return asked.of(event);
    }
  }

  @Override
  void commit(Done done, Tools tools) {
    if (tools.writer().commit(done.written(), done.sources(), () -> true)) {
      done.written().forEach(live -> looked.add(live.entry().id()));
      report =
          new Report(
              report.events + done.changed(),
              report.partitions + done.partitions(),
              report.files + done.sources().size(),
              report.before.and(done.before()),
              report.after.and(done.expected()),
              report.damaged);
    }
  }

  @Override
  Report result() {
    return report;
  }
}
