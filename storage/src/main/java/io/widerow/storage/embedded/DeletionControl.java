package io.widerow.storage.embedded;

import io.widerow.event.PartitionKey;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreView;
import io.widerow.storage.digest.EventDigest;
import io.widerow.storage.live.DeletionTarget;
import io.widerow.storage.live.LiveDeletions;
import io.widerow.storage.live.LiveFigures;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.live.SegmentFiles;
import io.widerow.storage.live.SegmentReplacement;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.live.StoreMoment;
import io.widerow.storage.maintenance.DeletedFigures;
import io.widerow.storage.maintenance.DeletionWork;
import io.widerow.storage.maintenance.Merger;
import io.widerow.storage.manifest.Deletion;
import io.widerow.storage.manifest.Deletion.Proof;
import io.widerow.storage.manifest.Deletion.State;
import io.widerow.storage.manifest.DeletionSection;
import io.widerow.storage.manifest.SegmentEntry;
import io.widerow.storage.rows.OpenRows;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The deletions of an open store: plans, begins and proves them.
///
/// A deletion that begins hides its events at once, and they stay hidden after a kill. Then rows
/// are sealed, segments that hold any of the events are rewritten without them, and the journal
/// files that had them are discarded. [#goOn] does the work; a reopened store continues where the
/// deletion was. While a damaged segment may hold some of the events, the deletion waits for its
/// repair and keeps them hidden.
///
/// - Threads: any. Work is done by the merging thread.
public final class DeletionControl {
  /// Older plans that were not run are forgotten.
  private static final int PLANNED_MAX = 64;

  private static final int ATTEMPTS = 100;

  private final StoreContents contents;
  private final SegmentFiles files;
  private final Merger merger;
  private final Supplier<List<EmbeddedLane>> lanes;
  private final Runnable requireOpen;
  private @Nullable DeletionWork working; // guarded by this

  /// By id of a deletion, the damaged segments for which its work ended.
  private final Map<Integer, Set<Long>> waits = new ConcurrentHashMap<>();

  /// @param requireOpen throws while the store may not be changed yet
  DeletionControl(
      StoreContents contents,
      SegmentFiles files,
      Merger merger,
      Supplier<List<EmbeddedLane>> lanes,
      Runnable requireOpen) {
    this.contents = contents;
    this.files = files;
    this.merger = merger;
    this.lanes = lanes;
    this.requireOpen = requireOpen;
  }

  /// A request for a deletion.
  ///
  /// @param globs types, by name or glob; none for all
  /// @param where the filter as it was written
  public record Asked(
      List<String> globs, long fromNanos, long untilNanos, String where, Filter filter) {
    public Asked {
      globs = List.copyOf(globs);
    }
  }

  /// The events and aggregates that a deletion would remove.
  ///
  /// @param ahead number of these events whose time is in the future
  /// @param figures partitions of aggregates that are deleted as a whole: their events are gone, so
  ///   the share of the deleted events cannot be subtracted
  /// @param figureEvents events that these aggregates count
  public record Plan(
      int id, long events, long ahead, int partitions, int figures, long figureEvents) {}

  /// The progress of a deletion, and its proof.
  ///
  /// @param fromNanos first time, nanoseconds since the Unix epoch; the least long for no limit
  /// @param untilNanos first time after; the greatest long for no limit
  /// @param state `planned`, `running`, `waiting` for the damaged files while nothing else is left,
  ///   or `done`
  /// @param endedNanos when it was done, nanoseconds since the Unix epoch; 0 before
  /// @param removed events that were removed, each once
  /// @param partitions partitions from which some were
  /// @param kept digest of the events in the written files
  /// @param keptBefore digest of the events of their sources without the removed events
  /// @param filesRemoved names of segment files that were removed
  /// @param filesWritten names of segment files that were written
  /// @param journalsGoneTo by lane, the LSN up to which the journal is gone
  /// @param journals lanes whose journal may still hold removed events
  /// @param damaged damaged segment files that may hold it
  public record Standing(
      int id,
      long fromNanos,
      long untilNanos,
      String where,
      String state,
      long endedNanos,
      long removed,
      int partitions,
      Digest kept,
      Digest keptBefore,
      List<String> filesRemoved,
      List<String> filesWritten,
      Map<Integer, Long> journalsGoneTo,
      List<Integer> journals,
      List<String> damaged) {
    public Standing {
      filesRemoved = List.copyOf(filesRemoved);
      filesWritten = List.copyOf(filesWritten);
      journals = List.copyOf(journals);
      damaged = List.copyOf(damaged);
    }
  }

  /// A digest of events, in 32 hexadecimal digits.
  public record Digest(long events, String digest) {
    private static Digest of(EventDigest digest) {
      return new Digest(digest.events(), digest.text());
    }
  }

  /// Counts what a deletion would remove.
  public Plan count(Asked asked, StoreView view) {
    return count(draft(asked, 0), view);
  }

  /// Counts what a deletion would remove, and remembers it. Hides nothing.
  ///
  /// @throws IllegalArgumentException when nothing matches, the filter has a part that a store
  ///   cannot keep, or there are too many deletions
  public Plan plan(Asked asked, StoreView view) {
    requireOpen.run();
    if (contents.isDrained()) {
      throw new IllegalStateException("a drained store deletes released events");
    }
    Plan found = count(asked, view);
    if (found.events == 0) {
      throw new IllegalArgumentException("where: nothing matches %s".formatted(text(asked)));
    }
    contents
        .deletions()
        .change(
            now -> {
              List<Deletion> all = new ArrayList<>(now.deletions());
              List<Deletion> planned =
                  all.stream().filter(each -> each.state() == State.PLANNED).toList();
              all.removeAll(planned.subList(0, Math.max(0, planned.size() - PLANNED_MAX)));
              if (all.size() >= DeletionSection.COUNT_MAX) {
                throw new IllegalArgumentException(
                    "where: the store remembers %d deletions, and at most %d can be"
                        .formatted(all.size(), DeletionSection.COUNT_MAX));
              }
              all.add(draft(asked, now.next()));
              return new DeletionSection(now.next() + 1, all);
            },
            List.of(),
            List.of());
    return new Plan(
        contents.deletions().section().deletions().getLast().id(),
        found.events,
        found.ahead,
        found.partitions,
        found.figures,
        found.figureEvents);
  }

  private static Deletion draft(Asked asked, int id) {
    return new Deletion(
        id,
        asked.globs,
        asked.fromNanos,
        asked.untilNanos,
        asked.where,
        asked.filter,
        State.PLANNED,
        0,
        0,
        Proof.NONE);
  }

  private static String text(Asked asked) {
    return asked.where.isEmpty() ? "types " + String.join(", ", asked.globs) : asked.where;
  }

  private Plan count(Deletion deletion, StoreView view) {
    Predicate<String> types = LiveDeletions.typesOf(deletion.globs());
    List<PartitionKey> keys =
        view.partitions(types, deletion.fromNanos(), deletion.untilNanos(), null).stream()
            .map(PartitionInfo::key)
            .toList();
    Scan scan = Scan.all().withFilter(LiveDeletions.filterOf(deletion)).withColumns(Set.of());
    long now = contents.clock().nowNanos();
    long events = 0;
    long ahead = 0;
    try (EventCursor cursor = view.open(keys, scan)) {
      while (EventCursor.nextLocal(cursor)) {
        events++;
        ahead += cursor.event().timeNanos() > now ? 1 : 0;
      }
    }
    int partitions = 0;
    for (PartitionKey key : events == 0 ? List.<PartitionKey>of() : keys) {
      try (EventCursor cursor = view.open(List.of(key), scan)) {
        partitions += EventCursor.nextLocal(cursor) ? 1 : 0;
      }
    }
    DeletedFigures figures = DeletedFigures.of(deletion, contents.state().segments().figures());
    return new Plan(
        deletion.id(), events, ahead, partitions, figures.partitions(), figures.events());
  }

  /// Begins a deletion that was planned: its events are hidden when this returns, durably.
  ///
  /// @throws IllegalArgumentException when there is none of this id, or it has begun
  public Standing run(int id) {
    requireOpen.run();
    for (int attempt = 0; !begin(id); attempt++) {
      if (attempt == ATTEMPTS) {
        throw new IllegalStateException("d-%d: the kept aggregates keep changing".formatted(id));
      }
    }
    lanes.get().forEach(lane -> lane.requestSealAndDiscard(lane.committedLsn()));
    goOn();
    return standing(get(id));
  }

  /// Hides the events and removes the stored aggregates that may count some of them, in one edit of
  /// the manifest.
  ///
  /// @return false when other aggregates were stored concurrently
  private boolean begin(int id) {
    StoreMoment moment = contents.moment();
    try {
      return begin(id, moment.segments().figures());
    } finally {
      moment.segments().release(Runnable::run);
    }
  }

  private boolean begin(int id, List<LiveFigures> there) {
    SegmentReplacement swap = DeletedFigures.of(get(id), there).swap(files, contents);
    try {
      boolean done =
          contents
              .deletions()
              .change(
                  now -> {
                    Deletion planned = get(id);
                    if (planned.state() != State.PLANNED) {
                      throw new IllegalArgumentException(
                          "id: d-%d is %s already"
                              .formatted(id, planned.state() == State.DONE ? "done" : "running"));
                    }
                    return now.with(
                        planned.with(State.RUNNING, contents.arrivals().get(), 0, Proof.NONE));
                  },
                  swap,
                  () -> contents.state().segments().figures().equals(there));
      if (!done) {
        contents.abandon(swap, new IllegalStateException("aggregates changed"));
      }
      return done;
    } catch (Throwable failed) {
      contents.abandon(swap, failed);
      throw failed;
    }
  }

  /// How far a deletion is.
  ///
  /// @throws IllegalArgumentException when there is none of this id
  public Standing standing(int id) {
    return standing(get(id));
  }

  private Standing standing(Deletion deletion) {
    Proof proof = deletion.proof();
    Map<Integer, Long> gone = new TreeMap<>(proof.journals());
    List<Integer> left = journals(deletion);
    left.forEach(gone::remove);
    return new Standing(
        deletion.id(),
        deletion.fromNanos(),
        deletion.untilNanos(),
        deletion.where(),
        isWaiting(deletion) ? "waiting" : deletion.state().name().toLowerCase(Locale.ROOT),
        deletion.endedNanos(),
        proof.removed(),
        proof.partitions(),
        Digest.of(proof.kept()),
        Digest.of(proof.keptBefore()),
        proof.filesRemoved().stream().map(SegmentEntry::fileName).toList(),
        proof.filesWritten().stream().map(SegmentEntry::fileName).toList(),
        gone,
        left,
        damaged(deletion));
  }

  /// A deletion as it is written down.
  Deletion get(int id) {
    Deletion found = contents.deletions().section().get(id);
    if (found == null) {
      List<String> ids =
          contents.deletions().section().deletions().stream()
              .map(each -> "d-" + each.id())
              .toList();
      throw new IllegalArgumentException(
          "id: there is no d-%d; %s"
              .formatted(
                  id, ids.isEmpty() ? "none was planned" : "there are " + String.join(", ", ids)));
    }
    return found;
  }

  /// All deletions, in the order of their ids.
  public List<Standing> all() {
    return contents.deletions().section().deletions().stream().map(this::standing).toList();
  }

  /// Continues the running deletions in the background. The owner calls it from time to time.
  synchronized void goOn() {
    discardJournals();
    DeletionWork before = working;
    if (before != null) {
      if (!before.isEnded()) {
        return;
      }
      waits.put(before.id(), before.waitsFor());
    }
    working = null;
    for (Deletion each : contents.deletions().running()) {
      if (isWaiting(each)) {
        continue;
      }
      if (isSealed(each)) {
        working = new DeletionWork(each.id());
        merger.begin(working);
        return;
      }
      lanes.get().forEach(EmbeddedLane::requestSeal);
    }
  }

  /// Discards the journal files that held removed events. Groups that were in progress when a
  /// deletion began are in later files than the deletion requested.
  private void discardJournals() {
    List<EmbeddedLane> all = lanes.get();
    for (Deletion each : contents.deletions().section().deletions()) {
      each.proof()
          .journals()
          .forEach((lane, lsn) -> {
            if (has(all, lane, lsn)) {
              all.get(lane).requestSealAndDiscard(lsn);
            }
          });
    }
  }

  /// True when no open row has an event that goes.
  private boolean isSealed(Deletion deletion) {
    return contents.state().rows().stream()
        .mapToLong(OpenRows::arrivalFirst)
        .allMatch(first -> first >= deletion.arrivedBefore());
  }

  /// Reads every file again.
  ///
  /// @return how many writes there are that should be gone
  /// @throws IllegalArgumentException when there is none of this id, or it has not begun
  public long verify(int id) {
    Deletion deletion = get(id);
    if (deletion.state() == State.PLANNED) {
      throw new IllegalArgumentException("id: d-%d was planned and not run".formatted(id));
    }
    return DeletionWork.left(deletion, contents);
  }

  /// Lanes whose journal may still hold removed events; it is discarded with the next events.
  private List<Integer> journals(Deletion deletion) {
    Map<Integer, Long> to = new TreeMap<>(deletion.proof().journals());
    List<Integer> left = new ArrayList<>();
    List<EmbeddedLane> all = lanes.get();
    to.forEach((lane, lsn) -> {
      if (has(all, lane, lsn)) {
        left.add(lane);
      }
    });
    return left;
  }

  private static boolean has(List<EmbeddedLane> lanes, int lane, long lsn) {
    return lane < lanes.size() && lanes.get(lane).journalFrom() <= lsn;
  }

  /// True when all was removed but what damaged segments may hold, and these are still the same.
  private boolean isWaiting(Deletion deletion) {
    Set<Long> known = waits.getOrDefault(deletion.id(), Set.of());
    return deletion.state() == State.RUNNING
        && !known.isEmpty()
        && known.equals(LiveSegment.ids(new DeletionTarget(deletion).damaged(contents)));
  }

  /// Damaged segments that may hold what should be gone.
  private List<String> damaged(Deletion deletion) {
    return new DeletionTarget(deletion)
        .damaged(contents).stream().map(live -> live.entry().fileName()).toList();
  }
}
