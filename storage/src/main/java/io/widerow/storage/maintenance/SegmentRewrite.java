package io.widerow.storage.maintenance;

import io.widerow.event.Bucket;
import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.storage.EventChange;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.digest.EventDigest;
import io.widerow.storage.digest.EventHash;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.live.SegmentSet;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.scan.BlockReaders;
import io.widerow.storage.scan.Prefetch;
import io.widerow.storage.scan.SegmentCursor;
import io.widerow.storage.segment.SegmentSummary;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/// Rewrites segments with other events, or without some. All segments whose buckets overlap,
/// directly or through other segments, are one step: an id has its time, so all its writes lie in
/// one step.
///
/// What is written is read back and compared with what should be there, before it replaces
/// anything. A step that is killed has done nothing.
///
/// - Threads: the merging one.
abstract class SegmentRewrite<R> extends Rewrite<R> {
  /// What to do with the segments of a step.
  interface Step extends EventChange {
    /// False for partitions of which no event changes or goes.
    boolean mayBeIn(PartitionKey key);

    /// A scan of all events of a partition that may change or go.
    Scan scan(SegmentSummary.Partition partition);
  }

  /// A step that is done and not yet in the manifest.
  ///
  /// @param removed events that go, each once
  /// @param changed events that are written changed
  /// @param partitions with events that go or change
  /// @param before digest of the events of the sources, without those that go
  /// @param expected the same with changed events as they become
  record Done(
      long removed,
      long changed,
      int partitions,
      EventDigest before,
      EventDigest expected,
      List<LiveSegment> sources,
      List<LiveSegment> written) {
    Done {
      sources = List.copyOf(sources);
      written = List.copyOf(written);
    }
  }

  /// Swaps the segments of a step in the manifest.
  abstract void commit(Done done, Tools tools);

  /// The segments of buckets that overlap each other, in the order of time. Fixed widths need not
  /// divide each other: then neighbors of a bucket may overlap buckets that it does not overlap
  /// itself. Damaged segments are left out. All segments wait that overlap a damaged one with
  /// earlier writes, because such writes could not be recognized after the last writes are removed.
  ///
  /// @param earlier true for damaged segments that may hold such writes
  static List<List<LiveSegment>> units(StoreContents contents, Predicate<LiveSegment> earlier) {
    List<LiveSegment> all = new ArrayList<>(contents.state().segments().all());
    all.sort(Comparator.comparing(SegmentSet::bucketOf));
    Set<LiveSegment> damaged =
        all.stream().filter(live -> !live.isWhole()).collect(Collectors.toSet());
    List<List<LiveSegment>> units = new ArrayList<>();
    long untilNanos = Long.MIN_VALUE;
    for (LiveSegment live : all) {
      Bucket bucket = SegmentSet.bucketOf(live);
      if (units.isEmpty() || bucket.fromNanos() >= untilNanos) {
        units.add(new ArrayList<>());
      }
      units.getLast().add(live);
      untilNanos = Math.max(untilNanos, bucket.untilNanos());
    }
    if (!damaged.isEmpty()) {
      units.removeIf(unit -> unit.stream().filter(damaged::contains).anyMatch(earlier));
      units.forEach(unit -> unit.removeAll(damaged));
    }
    return units;
  }

  /// Does one step. False when there is nothing to change.
  final boolean write(List<LiveSegment> unit, Supplier<Step> steps, Tools tools) {
    if (!tools.expiry().take(unit)) {
      return true; // retention dropped one of them just now
    }
    try {
      return writeTaken(unit, steps.get(), tools);
    } finally {
      tools.expiry().giveBack();
    }
  }

  private boolean writeTaken(List<LiveSegment> unit, Step step, Tools tools) {
    List<LiveSegment> sources = new ArrayList<>();
    int partitions = 0;
    for (LiveSegment live : unit) {
      int touched = touched(live, step, tools);
      partitions += touched;
      if (touched > 0) {
        sources.add(live);
      }
    }
    if (sources.isEmpty()) {
      return false;
    }
    var before = new Count(step);
    before.read(sources, tools);
    List<LiveSegment> written = List.of();
    List<MergeOutput> outputs = outputs(sources, step, tools.readers());
    if (!outputs.isEmpty()) {
      written = tools.writer().write(sources, outputs, tools.readers(), step);
    }
    requireSame(before, written, !outputs.isEmpty(), tools);
    commit(before.done(partitions, sources, written), tools);
    return true;
  }

  /// The number of partitions of a segment with events that go or change.
  private static int touched(LiveSegment live, Step step, Tools tools) {
    int touched = 0;
    for (SegmentSummary.Partition partition : live.partitions()) {
      if (step.mayBeIn(partition.key())) {
        requireTime(tools);
        try (EventCursor events = open(live, partition, step.scan(partition), tools.readers())) {
          boolean found = false;
          while (!found && EventCursor.nextLocal(events)) {
            found = isChange(step, events.event());
          }
          touched += found ? 1 : 0;
        }
      }
    }
    return touched;
  }

  @SuppressWarnings("ReferenceEquality") // an event that stays is the same object
  static boolean isChange(EventChange change, EventView event) {
    return change.of(event) != event;
  }

  /// Waits until reading may continue.
  static void requireTime(Tools tools) {
    if (!tools.writer().isTime()) {
      throw closing(new IllegalStateException("reading was given up"));
    }
  }

  static EventCursor open(
      LiveSegment live, SegmentSummary.Partition partition, Scan scan, BlockReaders readers) {
    PartitionKey key = partition.key();
    return SegmentCursor.open(live.fileFor(key), key, scan, readers, Prefetch.OFF);
  }

  /// The outputs of a step, each partition under its key.
  private static List<MergeOutput> outputs(
      List<LiveSegment> sources, EventChange change, BlockReaders readers) {
    Map<Bucket, NavigableMap<PartitionKey, List<MergeOutput.Source>>> buckets =
        new LinkedHashMap<>();
    for (LiveSegment live : sources) {
      for (SegmentSummary.Partition partition : live.partitions()) {
        buckets
            .computeIfAbsent(SegmentSet.bucketOf(live), _ -> new TreeMap<>())
            .computeIfAbsent(partition.key(), _ -> new ArrayList<>())
            .add(new MergeOutput.Source(live, partition));
      }
    }
    return buckets.entrySet().stream()
        .map(each -> MergeOutput.of(each.getKey(), each.getValue()))
        .filter(output ->
            output.targets().values().stream().anyMatch(each -> hasKept(each, change, readers)))
        .toList();
  }

  private static boolean hasKept(
      MergeOutput.Target target, EventChange change, BlockReaders readers) {
    try (EventCursor events = target.open(readers)) {
      while (EventCursor.nextLocal(events)) {
        if (change.of(events.event()) != null) {
          return true;
        }
      }
      return false;
    }
  }

  /// The events of segments, each event once.
  private static final class Count {
    private final EventChange change;
    private final EventHash hash = EventHash.asWritten();
    private final EventDigest.Sum before = new EventDigest.Sum();
    private final EventDigest.Sum after = new EventDigest.Sum();
    private long removed;
    private long changed;

    Count(EventChange change) {
      this.change = change;
    }

    Done done(int partitions, List<LiveSegment> sources, List<LiveSegment> written) {
      return new Done(
          removed, changed, partitions, before.digest(), after.digest(), sources, written);
    }

    @SuppressWarnings("ReferenceEquality") // an event that stays is the same object
    private void add(EventView event) {
      EventView next = change.of(event);
      if (next == null) {
        removed++;
        return;
      }
      before.add(hash, event);
      if (next == event) {
        after.add(hash);
      } else {
        changed++;
        after.add(hash, next);
      }
    }

    void read(List<LiveSegment> segments, Tools tools) {
      Map<String, List<MergeOutput.Source>> types = new TreeMap<>();
      for (LiveSegment live : segments) {
        for (SegmentSummary.Partition partition : live.partitions()) {
          types
              .computeIfAbsent(partition.key().type(), _ -> new ArrayList<>())
              .add(new MergeOutput.Source(live, partition));
        }
      }
      int count = 0;
      for (List<MergeOutput.Source> sources : types.values()) {
        try (EventCursor events = MergeOutput.Target.all(sources).open(tools.readers())) {
          while (EventCursor.nextLocal(events)) {
            add(events.event());
            if (++count % MergeWriter.PACE_EVENTS == 0) {
              requireTime(tools);
            }
          }
        }
      }
    }
  }

  /// Reads back the written segments and compares them.
  private static void requireSame(
      Count before, List<LiveSegment> written, boolean any, Tools tools) {
    try {
      if (any && written.isEmpty()) {
        throw closing(new IllegalStateException("writing was given up"));
      }
      var after = new Count(event -> event);
      after.read(written, tools);
      EventDigest expected = before.after.digest();
      EventDigest has = after.before.digest();
      if (!has.equals(expected)) {
        String differs =
            "the written segments have %d events with digest %s, expected %d with %s"
                .formatted(has.events(), has.text(), expected.events(), expected.text());
        throw new StorageException.Failed(
            differs + "; nothing was changed", new IllegalStateException(differs));
      }
    } catch (Throwable failed) {
      tools.writer().abandon(written, failed);
      throw failed;
    }
  }
}
