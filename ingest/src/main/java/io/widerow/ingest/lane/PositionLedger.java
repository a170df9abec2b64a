package io.widerow.ingest.lane;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The newest position of each partition of the sources that a lane writes, and the group of its
/// note. Positions never expire, but notes do: the lane drops those of old groups once their keys
/// are forgotten. So it writes a position once more before the group of its note is dropped.
///
/// ```
///   note of   p0@10   p1@7                         p0@20      p1@7
///   group       3       4      ...                  90         91
///   dropped  <-------------------- before 90 ------->          carried, committed; only then
///                                                              are notes before 90 dropped
/// ```
///
/// A restart tells each lane the notes of all lanes. Each carries all of them: it is not known
/// which lane will drop which note, and of several notes of one position the greatest counts.
///
/// - Threads: the lane's; another may create it.
public final class PositionLedger {
  /// So many positions a store has at most. They are never forgotten: an id that is not found may
  /// be that of a topic of brokers which are not read at present, and all its records would be
  /// stored again. This many take 10 MB in each lane.
  public static final int POSITIONS_MAX = 100_000;

  /// A restored position is carried before the first notes are dropped, whichever its group: that
  /// is a number of the lane that wrote it.
  private static final long RESTORED = 0;

  /// What a lane does with a batch of a source.
  public enum Turn {
    /// It is stored.
    NOW,
    /// It is stored already.
    PAST,
    /// The batch before it is not stored: that found no room, and comes again.
    EARLY
  }

  private record Part(SourcePartition of, int number) {}

  /// @param group of the note
  private record Noted(SourcePlace place, long group) {}

  private final Map<Part, Noted> committed = new HashMap<>();
  private final Map<Part, SourcePlace> pending = new LinkedHashMap<>(); // of the current group
  private long oldest = Long.MAX_VALUE; // at most the least group of a note
  private long notes; // since notes were dropped

  private static Part part(SourcePlace place) {
    return new Part(place.of(), place.part());
  }

  /// Takes in a note from before the start. Ignores notes of other kinds.
  void restore(byte[] note) {
    SourcePlace place = SourcePlace.read(note);
    if (place != null) {
      committed.merge(
          part(place),
          new Noted(place, RESTORED),
          (before, now) -> now.place.isAfter(before.place) ? now : before);
      oldest = RESTORED;
      notes++;
    }
  }

  /// Ends the restoring: leaves out parts that are covered by the position of their partition.
  void restored() {
    committed.entrySet().removeIf(each -> isCovered(each.getValue().place));
  }

  private boolean isCovered(SourcePlace place) {
    Noted whole = committed.get(new Part(place.of(), 0));
    return place.part() != 0
        && whole != null
        && (whole.place.term() > place.term()
            || (whole.place.term() == place.term() && whole.place.complete() >= place.next()));
  }

  private @Nullable SourcePlace newest(Part part) {
    SourcePlace now = pending.get(part);
    Noted noted = committed.get(part);
    return now != null || noted == null ? now : noted.place;
  }

  /// What to do with a batch. The first one of a partition, and of each term, has no offsets:
  /// without a position before it, nothing else would tell that a batch before it found no room.
  Turn turn(SourcePlace place) {
    SourcePlace newest = newest(part(place));
    boolean isEmpty = place.first() == place.next();
    if (newest == null || place.term() > newest.term()) {
      return isEmpty || place.part() != 0 ? Turn.NOW : Turn.EARLY;
    }
    boolean isStored = isEmpty ? place.next() < newest.next() : place.next() <= newest.next();
    if (place.term() < newest.term() || isStored) {
      return Turn.PAST;
    }
    if (place.part() != 0) {
      return Turn.NOW;
    }
    if (place.first() < newest.next()) {
      throw new IllegalStateException(place + " overlaps " + newest);
    }
    return place.first() > newest.next() ? Turn.EARLY : Turn.NOW;
  }

  /// Adds the place of a batch that was appended to the current group.
  void add(SourcePlace place) {
    pending.put(part(place), place);
  }

  /// Whether the current group has places.
  boolean isPending() {
    return !pending.isEmpty();
  }

  /// Writes the notes of the current group, one for each partition and part.
  void note(Consumer<byte[]> writer) {
    pending.values().forEach(place -> writer.accept(place.note()));
    notes += pending.size();
  }

  /// The current group is committed, at a level that survives a power cut.
  void committed(long group) {
    pending.forEach((part, place) -> committed.put(part, new Noted(place, group)));
    oldest = pending.isEmpty() ? oldest : Math.min(oldest, group);
    pending.clear();
  }

  /// The current group is dropped.
  void forgetUncommitted() {
    pending.clear();
  }

  /// Number of notes since some were dropped.
  long notes() {
    return notes;
  }

  /// Number of positions, those of parts included.
  int count() {
    return committed.size();
  }

  /// Adds each position whose note is in a group before `limit` to the current group.
  ///
  /// @return true when there was none: the notes before `limit` can be dropped now
  boolean carry(long limit) {
    if (limit > oldest) {
      oldest = Long.MAX_VALUE;
      committed.forEach((part, noted) -> {
        oldest = Math.min(oldest, noted.group);
        if (noted.group < limit) {
          pending.putIfAbsent(part, noted.place);
        }
      });
    }
    if (pending.isEmpty()) {
      notes = committed.size();
      return true;
    }
    return false;
  }

  /// The restored parts of batches that were split among another number of lanes.
  List<SourcePlace> otherLanes(int lanesNow) {
    return committed.values().stream()
        .map(Noted::place)
        .filter(place -> place.part() != 0 && BatchSplit.lanes(place.part()) != lanesNow)
        .toList();
  }

  /// Where a source continues in each partition.
  Map<SourcePartition, SourcePosition> positions() {
    Map<SourcePartition, List<SourcePlace>> parts = new HashMap<>();
    committed
        .values()
        .forEach(noted ->
            parts.computeIfAbsent(noted.place.of(), _ -> new ArrayList<>()).add(noted.place));
    Map<SourcePartition, SourcePosition> positions = new HashMap<>();
    parts.forEach((of, places) -> positions.put(of, position(places)));
    return positions;
  }

  private static SourcePosition position(List<SourcePlace> parts) {
    int term = parts.stream().mapToInt(SourcePlace::term).max().orElseThrow();
    List<SourcePlace> now = parts.stream().filter(place -> place.term() == term).toList();
    long complete = now.stream().mapToLong(SourcePlace::complete).max().orElseThrow();
    long until = now.stream().mapToLong(SourcePlace::next).max().orElseThrow();
    int epoch = now.stream().mapToInt(SourcePlace::leaderEpoch).max().orElseThrow();
    // a gap that only an older term has is found again: the position it led to is not durable
    SourcePlace whole =
        parts.stream().filter(place -> place.part() == 0).findFirst().orElse(parts.getFirst());
    SortedSet<Long> owed = new TreeSet<>();
    parts.forEach(place -> owed.addAll(place.owed()));
    return new SourcePosition(term, complete, until, epoch, whole.gaps(), List.copyOf(owed));
  }
}
