package io.widerow.storage.embedded;

import io.widerow.event.PartitionKey;
import io.widerow.storage.Deletion;
import io.widerow.storage.Deletion.Proof;
import io.widerow.storage.Deletion.State;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreView;
import io.widerow.storage.live.LiveDeletions;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.manifest.DeletionSection;
import io.widerow.storage.rows.OpenRows;
import io.widerow.storage.upkeep.DeletionWork;
import io.widerow.storage.upkeep.Merger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The deletions of an open store: plans, begins and proves them.
///
/// A deletion that begins hides its events at once, and that outlives a kill. Then rows are sealed,
/// segments that hold any of the events are written again without them, and the journal files that
/// had them go. [#goOn] does the work; a store that is opened goes on where it was.
///
/// - Threads: any. Work is done by the merging thread.
public final class DeletionControl {
  /// Older plans that were not run are forgotten.
  private static final int PLANNED_MAX = 64;

  private final StoreContents contents;
  private final Merger merger;
  private final Supplier<List<EmbeddedLane>> lanes;
  private final Runnable requireOpen;
  private @Nullable DeletionWork working; // guarded by this

  /// @param requireOpen throws while the store may not be changed yet
  DeletionControl(
      StoreContents contents,
      Merger merger,
      Supplier<List<EmbeddedLane>> lanes,
      Runnable requireOpen) {
    this.contents = contents;
    this.merger = merger;
    this.lanes = lanes;
    this.requireOpen = requireOpen;
  }

  /// What is to go.
  ///
  /// @param globs types, by name or glob; none for all
  /// @param where the filter as it was written
  public record Asked(
      List<String> globs, long fromNanos, long untilNanos, String where, Filter filter) {
    public Asked {
      globs = List.copyOf(globs);
    }
  }

  /// What a deletion would remove.
  public record Plan(Deletion deletion, long events, int partitions) {}

  /// Counts what a deletion would remove, and remembers it. Hides nothing.
  ///
  /// @throws IllegalArgumentException when nothing matches, the filter has a part that a store
  ///   cannot keep, or there are too many deletions
  public Plan plan(Asked asked, StoreView view) {
    requireOpen.run();
    if (contents.isDrained()) {
      throw new IllegalStateException("a store that is drained deletes what is released");
    }
    Deletion draft = draft(asked, 0);
    Plan found = count(draft, view);
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
        contents.deletions().section().deletions().getLast(), found.events, found.partitions);
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

  private static Plan count(Deletion deletion, StoreView view) {
    Predicate<String> types = LiveDeletions.typesOf(deletion.globs());
    List<PartitionKey> keys =
        view.partitions(types, deletion.fromNanos(), deletion.untilNanos(), null).stream()
            .map(PartitionInfo::key)
            .toList();
    Scan scan = Scan.all().withFilter(LiveDeletions.filterOf(deletion)).withColumns(Set.of());
    long events = 0;
    try (EventCursor cursor = view.open(keys, scan)) {
      while (EventCursor.nextLocal(cursor)) {
        events++;
      }
    }
    int partitions = 0;
    for (PartitionKey key : events == 0 ? List.<PartitionKey>of() : keys) {
      try (EventCursor cursor = view.open(List.of(key), scan)) {
        partitions += EventCursor.nextLocal(cursor) ? 1 : 0;
      }
    }
    return new Plan(deletion, events, partitions);
  }

  /// Begins a deletion that was planned: its events are hidden when this returns, durably.
  ///
  /// @throws IllegalArgumentException when there is none of this id, or it has begun
  public Deletion run(int id) {
    requireOpen.run();
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
            List.of(),
            List.of());
    lanes.get().forEach(EmbeddedLane::requestSealAndFile);
    goOn();
    return get(id);
  }

  /// A deletion, and how far it is.
  ///
  /// @throws IllegalArgumentException when there is none of this id
  public Deletion get(int id) {
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
  public List<Deletion> all() {
    return contents.deletions().section().deletions();
  }

  /// Does what is to be done for deletions that are running, in the background. Call it now and
  /// then.
  synchronized void goOn() {
    DeletionWork before = working;
    if (before != null && !before.isEnded()) {
      return;
    }
    working = null;
    for (Deletion each : contents.deletions().running()) {
      if (isSealed(each)) {
        working = new DeletionWork(each.id());
        merger.begin(working);
        return;
      }
      lanes.get().forEach(EmbeddedLane::requestSeal);
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

  /// Lanes whose journal may still hold what was removed: it goes with the next events.
  public List<Integer> journals(Deletion deletion) {
    Map<Integer, Long> to = new TreeMap<>(deletion.proof().journals());
    List<Integer> left = new ArrayList<>();
    List<EmbeddedLane> all = lanes.get();
    to.forEach((lane, lsn) -> {
      if (lane < all.size() && all.get(lane).journalFrom() <= lsn) {
        left.add(lane);
      }
    });
    return left;
  }

  /// Damaged segments that may hold what should be gone.
  public List<String> damaged(Deletion deletion) {
    Predicate<String> types = LiveDeletions.typesOf(deletion.globs());
    return contents.state().segments().all().stream()
        .filter(live -> !live.isWhole())
        .filter(live -> live.partitions().types().stream().anyMatch(types))
        .map(live -> live.entry().fileName())
        .toList();
  }
}
