package io.widerow.storage.maintenance;

import io.widerow.event.Bucket;
import io.widerow.event.EventId;
import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filters;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.digest.EventDigest;
import io.widerow.storage.digest.EventHash;
import io.widerow.storage.live.DeletionTarget;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.live.SegmentSet;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.live.StoreMoment;
import io.widerow.storage.manifest.Deletion;
import io.widerow.storage.manifest.Deletion.Proof;
import io.widerow.storage.manifest.Deletion.State;
import io.widerow.storage.scan.BlockReaders;
import io.widerow.storage.scan.Prefetch;
import io.widerow.storage.scan.SegmentCursor;
import io.widerow.storage.segment.SegmentSummary;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/// Rewrites the segments that hold events of a deletion without these events. All segments whose
/// buckets overlap, directly or through other segments, are one step: an id has its time, so all
/// its writes lie in one step.
///
/// A deletion removes each write that the filter selects. When it removes the last write of an id,
/// it removes the earlier writes of that id too, which would be visible again otherwise. It removes
/// no event that arrived after the deletion began.
///
/// The progress is written down with the edit that swaps the files of a step, so a start continues
/// where a kill ended it.
///
/// A damaged segment that may hold events of the deletion is not rewritten. The deletion is not
/// done, and hides its events, until a repair or retention has taken such segments away.
///
/// - Threads: the merging one.
public final class DeletionWork extends Rewrite<Boolean> {
  private final int id;
  private volatile Set<Long> waitsFor = Set.of();
  private final Set<Long> looked = new HashSet<>(); // segments without such events

  /// @param id of a deletion that is running
  public DeletionWork(int id) {
    this.id = id;
  }

  /// True when a write goes.
  ///
  /// @param ids by type, see [#idsThatGo]
  private static boolean goes(
      EventView event, DeletionTarget target, Map<String, Set<EventId>> ids) {
    return target.isMatch(event)
        || (!ids.isEmpty()
            && target.isEarlier(event)
            && ids.getOrDefault(event.type(), Set.of()).contains(event.id()));
  }

  @Override
  boolean step(Tools tools) {
    StoreContents contents = tools.contents();
    Deletion deletion = contents.deletions().section().get(id);
    if (deletion == null || deletion.state() != State.RUNNING) {
      return false;
    }
    var target = new DeletionTarget(deletion);
    Set<LiveSegment> damaged = new HashSet<>(target.damaged(contents));
    for (List<LiveSegment> unit : units(target, contents)) {
      if (unit.stream().anyMatch(live -> !looked.contains(live.entry().id()))
          && write(unit, deletion, target, tools)) {
        return true;
      }
      unit.forEach(live -> looked.add(live.entry().id()));
    }
    damaged.addAll(target.damaged(contents)); // including segments found damaged, or removed, since
    end(deletion, damaged, contents);
    return false;
  }

  /// Nothing is left to write. While a damaged segment may hold some events, the deletion
  /// continues: they stay hidden, and are removed when a repair has recovered them.
  private void end(Deletion deletion, Set<LiveSegment> damaged, StoreContents contents) {
    waitsFor = LiveSegment.ids(damaged);
    long before = deletion.arrivedBefore();
    Proof proof = deletion.proof();
    boolean isFirst = proof.journals().isEmpty(); // rows have had none of the events since
    Proof gone = isFirst ? proof.goneFrom(sealed(contents)) : proof;
    if (damaged.isEmpty()) {
      Deletion done = deletion.with(State.DONE, before, contents.clock().wallNanos(), gone);
      contents.deletions().change(now -> now.with(done), List.of(), List.of());
    } else if (!gone.equals(proof)) {
      Deletion waits = deletion.with(State.RUNNING, before, 0, gone);
      contents.deletions().change(now -> now.with(waits), List.of(), List.of());
    }
  }

  /// By lane, the LSN up to which the events of the journal are in segments now.
  private static Map<Integer, Long> sealed(StoreContents contents) {
    StoreMoment moment = contents.moment();
    moment.segments().release(Runnable::run);
    Map<Integer, Long> sealed = new TreeMap<>(moment.manifest().sealedLsns());
    sealed.keySet().removeIf(lane -> lane >= contents.config().lanes());
    return sealed;
  }

  /// The deletion.
  public int id() {
    return id;
  }

  /// Ids of damaged segments that must be repaired before the deletion can be done; none while the
  /// deletion is in progress, or when it is done.
  public Set<Long> waitsFor() {
    return waitsFor;
  }

  @Override
  Boolean result() {
    return true;
  }

  /// The segments of buckets that overlap each other, in the order of time. Fixed widths need not
  /// divide each other: then neighbors of a bucket may overlap buckets that it does not overlap
  /// itself. Damaged segments are left out. All segments wait that overlap a damaged one with
  /// earlier writes, because such writes could not be recognized after the last writes are removed.
  private static List<List<LiveSegment>> units(DeletionTarget target, StoreContents contents) {
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
      units.removeIf(unit ->
          unit.stream()
              .filter(damaged::contains)
              .anyMatch(live -> target.mayHoldEarlierWrites(live, contents)));
      units.forEach(unit -> unit.removeAll(damaged));
    }
    return units;
  }

  /// Does one step. False when there is nothing to remove.
  private static boolean write(
      List<LiveSegment> unit, Deletion deletion, DeletionTarget target, Tools tools) {
    if (!tools.expiry().take(unit)) {
      return true; // retention dropped one of them just now
    }
    try {
      return writeTaken(unit, deletion, target, tools);
    } finally {
      tools.expiry().giveBack();
    }
  }

  private static boolean writeTaken(
      List<LiveSegment> unit, Deletion deletion, DeletionTarget target, Tools tools) {
    Map<String, Set<EventId>> ids = idsThatGo(unit, target, tools);
    List<LiveSegment> sources = new ArrayList<>();
    int partitions = 0;
    for (LiveSegment live : unit) {
      int touched = touched(live, target, ids, tools);
      partitions += touched;
      if (touched > 0) {
        sources.add(live);
      }
    }
    if (sources.isEmpty()) {
      return false;
    }
    Predicate<EventView> kept = event -> !goes(event, target, ids);
    var before = new Count(kept);
    before.read(sources, tools);
    List<LiveSegment> written = List.of();
    List<MergeOutput> outputs = outputs(sources, kept, tools.readers());
    if (!outputs.isEmpty()) {
      written = tools.writer().write(sources, outputs, tools.readers(), kept);
    }
    EventDigest after = requireSame(before, written, !outputs.isEmpty(), tools);
    commit(deletion, before, after, partitions, sources, written, tools);
    return true;
  }

  /// Ids that clients brought and whose last write goes, by type: two types may have the same id.
  private static Map<String, Set<EventId>> idsThatGo(
      List<LiveSegment> unit, DeletionTarget target, Tools tools) {
    Map<String, List<MergeOutput.Source>> types = new TreeMap<>();
    for (LiveSegment live : unit) {
      for (SegmentSummary.Partition partition : live.partitions()) {
        if (partition.ownIds() && target.mayBeIn(partition.key())) {
          types
              .computeIfAbsent(partition.key().type(), _ -> new ArrayList<>())
              .add(new MergeOutput.Source(live, partition));
        }
      }
    }
    Map<String, Set<EventId>> ids = new HashMap<>();
    types.forEach((type, sources) -> {
      try (EventCursor events = MergeOutput.Target.all(sources).open(tools.readers())) {
        while (EventCursor.nextLocal(events)) {
          if (events.event().version() != 0 && target.isMatch(events.event())) {
            ids.computeIfAbsent(type, _ -> new HashSet<>()).add(events.event().id());
          }
        }
      }
    });
    return ids;
  }

  /// The number of partitions of a segment with events to remove.
  private static int touched(
      LiveSegment live, DeletionTarget target, Map<String, Set<EventId>> ids, Tools tools) {
    int touched = 0;
    for (SegmentSummary.Partition partition : live.partitions()) {
      if (target.mayBeIn(partition.key())) {
        requireTime(tools);
        String type = partition.key().type();
        boolean all = partition.ownIds() && ids.containsKey(type);
        Scan scan = all ? Scan.all() : Scan.all().withFilter(Filters.ofType(target.filter(), type));
        try (EventCursor events = open(live, partition, scan, tools.readers())) {
          boolean found = false;
          while (!found && EventCursor.nextLocal(events)) {
            found = goes(events.event(), target, ids);
          }
          touched += found ? 1 : 0;
        }
      }
    }
    return touched;
  }

  /// Waits until reading may continue.
  private static void requireTime(Tools tools) {
    if (!tools.writer().isTime()) {
      throw closing(new IllegalStateException("reading was given up"));
    }
  }

  private static EventCursor open(
      LiveSegment live, SegmentSummary.Partition partition, Scan scan, BlockReaders readers) {
    PartitionKey key = partition.key();
    return SegmentCursor.open(live.fileFor(key), key, scan, readers, Prefetch.OFF);
  }

  /// The number of writes of a deletion that the segments of a store still have.
  public static long left(Deletion deletion, StoreContents contents) {
    var target = new DeletionTarget(deletion);
    long left = 0;
    SegmentSet segments = contents.moment().segments();
    try {
      for (LiveSegment live : segments.all()) {
        for (SegmentSummary.Partition partition : live.partitions()) {
          if (live.isWhole() && target.mayBeIn(partition.key())) {
            try (EventCursor events = open(live, partition, Scan.all(), BlockReaders.NONE)) {
              while (EventCursor.nextLocal(events)) {
                left += target.isMatch(events.event()) ? 1 : 0;
              }
            }
          }
        }
      }
    } finally {
      segments.release(Runnable::run);
    }
    return left;
  }

  /// The outputs of a step, each partition under its key.
  private static List<MergeOutput> outputs(
      List<LiveSegment> sources, Predicate<EventView> kept, BlockReaders readers) {
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
            output.targets().values().stream().anyMatch(each -> hasKept(each, kept, readers)))
        .toList();
  }

  private static boolean hasKept(
      MergeOutput.Target target, Predicate<EventView> kept, BlockReaders readers) {
    try (EventCursor events = target.open(readers)) {
      while (EventCursor.nextLocal(events)) {
        if (kept.test(events.event())) {
          return true;
        }
      }
      return false;
    }
  }

  /// The events of segments, each event once.
  private static final class Count {
    private final Predicate<EventView> kept;
    private final EventHash hash = EventHash.asWritten();
    private final EventDigest.Sum sum = new EventDigest.Sum();
    private long removed;

    Count(Predicate<EventView> kept) {
      this.kept = kept;
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
            if (kept.test(events.event())) {
              sum.add(hash, events.event());
            } else {
              removed++;
            }
            if (++count % MergeWriter.PACE_EVENTS == 0) {
              requireTime(tools);
            }
          }
        }
      }
    }
  }

  /// Reads back the written segments and compares them.
  private static EventDigest requireSame(
      Count before, List<LiveSegment> written, boolean any, Tools tools) {
    try {
      if (any && written.isEmpty()) {
        throw closing(new IllegalStateException("writing was given up"));
      }
      var after = new Count(_ -> true);
      after.read(written, tools);
      EventDigest had = before.sum.digest();
      EventDigest has = after.sum.digest();
      if (!has.equals(had)) {
        String differs =
            "the written segments have %d events with digest %s, expected %d with %s"
                .formatted(has.events(), has.text(), had.events(), had.text());
        throw new StorageException.Failed(
            differs + "; nothing was changed", new IllegalStateException(differs));
      }
      return has;
    } catch (Throwable failed) {
      tools.writer().abandon(written, failed);
      throw failed;
    }
  }

  private static void commit(
      Deletion deletion,
      Count before,
      EventDigest after,
      int partitions,
      List<LiveSegment> sources,
      List<LiveSegment> written,
      Tools tools) {
    Proof so = deletion.proof();
    List<Long> removed = new ArrayList<>(so.filesRemoved());
    sources.forEach(live -> removed.add(live.entry().id()));
    List<Long> made = new ArrayList<>(so.filesWritten());
    written.forEach(live -> made.add(live.entry().id()));
    var proof =
        new Proof(
            so.removed() + before.removed,
            so.partitions() + partitions,
            so.kept().and(after),
            so.keptBefore().and(before.sum.digest()),
            removed,
            made,
            so.journals());
    Deletion next = deletion.with(State.RUNNING, deletion.arrivedBefore(), 0, proof);
    boolean _ =
        tools
            .writer()
            .commit(
                written,
                () -> {
                  tools.contents().deletions().change(now -> now.with(next), written, sources);
                  return true;
                });
  }
}
