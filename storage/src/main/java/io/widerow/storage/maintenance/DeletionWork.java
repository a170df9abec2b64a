package io.widerow.storage.maintenance;

import io.widerow.storage.EventCursor;
import io.widerow.storage.Scan;
import io.widerow.storage.live.DeletionTarget;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.live.SegmentSet;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.live.StoreMoment;
import io.widerow.storage.manifest.Deletion;
import io.widerow.storage.manifest.Deletion.Proof;
import io.widerow.storage.manifest.Deletion.State;
import io.widerow.storage.scan.BlockReaders;
import io.widerow.storage.segment.SegmentSummary;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/// Rewrites the segments that hold events of a deletion without these events. It removes no event
/// that arrived after the deletion began.
///
/// The progress is written down with the edit that swaps the files of a step, so a start continues
/// where a kill ended it.
///
/// A damaged segment that may hold events of the deletion is not rewritten. The deletion is not
/// done, and hides its events, until a repair or retention has taken such segments away.
///
/// - Threads: the merging one.
public final class DeletionWork extends RemovalWork {
  private final int id;
  private volatile Set<Long> waitsFor = Set.of();
  private final Set<Long> looked = new HashSet<>(); // segments without such events

  /// @param id of a deletion that is running
  public DeletionWork(int id) {
    this.id = id;
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
          && write(unit, target, tools)) {
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

  @Override
  void commit(Done removal, Tools tools) {
    Deletion deletion = Objects.requireNonNull(tools.contents().deletions().section().get(id));
    Proof so = deletion.proof();
    List<Long> removed = new ArrayList<>(so.filesRemoved());
    removal.sources().forEach(live -> removed.add(live.entry().id()));
    List<Long> made = new ArrayList<>(so.filesWritten());
    removal.written().forEach(live -> made.add(live.entry().id()));
    var proof =
        new Proof(
            so.removed() + removal.removed(),
            so.partitions() + removal.partitions(),
            so.kept().and(removal.expected()),
            so.keptBefore().and(removal.before()),
            removed,
            made,
            so.journals());
    Deletion next = deletion.with(State.RUNNING, deletion.arrivedBefore(), 0, proof);
    boolean _ =
        tools
            .writer()
            .commit(
                removal.written(),
                () -> {
                  tools
                      .contents()
                      .deletions()
                      .change(now -> now.with(next), removal.written(), removal.sources());
                  return true;
                });
  }
}
