package io.widerow.storage.cassandra.apply;

import io.widerow.storage.LaneArrivals;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Positions before the last committed event at which a round may end, so that a backlog is applied
/// in rounds of a bounded size. After about a quarter of a round's bytes, each lane marks the end
/// of a group; a round ends where each lane has one of its marks:
///
/// ```
///   lane 0   group | group     | group   | group | ...
///                  ^ mark                ^ mark
///   lane 1   group     | group | group         | ...
///                              ^ mark
///   a round ends at    lane 0: ^ lane 1: ^
/// ```
///
/// The requirements for an end of a round:
///
/// - Between groups, in each lane. A group is shown whole or not at all, a batch is claimed whole
///   or left out, and a caller that waits for a group is notified when all of it is applied. Lanes
///   need not agree on a moment: all writes of one id come to one lane.
/// - Never before the end before it, in any lane, and in the same lanes. Between two numbers of
///   lanes, and so at each start, a round ends where everything before the start ends: with other
///   shards a later write of an id may be elsewhere, and needs a later round.
/// - The same after a restart. A round that is begun is in the [RoundsFile]. A mark is journaled
///   with its group, so that a backlog of several starts is cut as well as one of this start.
/// - Exact: a view that ends there shows the last write of an id before it, although a later one is
///   here by now. The store on this machine keeps both, see `EmbeddedStore.viewBefore`.
///
/// - Threads: any.
/// - Memory: about 64 bytes a mark.
public final class Marks {
  /// First byte of the note with which a mark is journaled.
  private static final byte NOTE = (byte) 0xC2;

  private static final int NOTE_BYTES = 3 + 3 * Long.BYTES;

  /// Marks of a lane in the bytes of a round.
  private static final int PER_ROUND = 4;

  private final int lanes;
  private final long bytesPerRound;
  private final List<Mark> marks = new ArrayList<>(); // of this start
  private final TreeMap<Long, Start> earlier = new TreeMap<>(); // by where they began
  private LaneArrivals from = new LaneArrivals(0, List.of(0L));
  private long[] groupsBefore;

  /// The end of a group.
  ///
  /// @param limit events of the lane that arrived before are in this group or in earlier ones
  /// @param group number of the group; 0 when it is one of an earlier start
  /// @param bytes of the lane's records since its mark before
  private record Mark(int lane, long limit, long group, long bytes) {}

  /// The remaining marks of an earlier start.
  private record Start(int lanes, List<Mark> marks) {}

  /// Where a round ends.
  ///
  /// @param groups of each lane the last one that is in this round or in earlier ones, 0 for none;
  ///   empty when all are of earlier starts
  record End(LaneArrivals to, List<Long> groups) {
    End {
      groups = List.copyOf(groups);
    }
  }

  /// @param lanes of this start
  /// @param bytesPerRound see [ApplyOptions#roundBytes]
  public Marks(int lanes, long bytesPerRound) {
    this.lanes = lanes;
    this.bytesPerRound = bytesPerRound;
    this.groupsBefore = new long[lanes];
  }

  /// Bytes of a lane's records after which it marks the end of a group.
  public long bytesPerMark() {
    return Math.ceilDiv(bytesPerRound, PER_ROUND);
  }

  /// The note that is journaled with the last group before a mark.
  ///
  /// @param limit arrival number after the last event of the group
  /// @param bytes of the lane's records since its mark before
  public synchronized byte[] note(int lane, long limit, long bytes) {
    return ByteBuffer.allocate(NOTE_BYTES)
        .put(NOTE)
        .put((byte) lane)
        .put((byte) (lanes - 1))
        .putLong(from.limitMax())
        .putLong(limit)
        .putLong(bytes)
        .array();
  }

  /// True for a note that [#note] made.
  public static boolean isNote(byte[] note) {
    return note.length == NOTE_BYTES && note[0] == NOTE;
  }

  /// Adds a mark from its note, after a restart.
  public synchronized void recover(byte[] note) {
    ByteBuffer in = ByteBuffer.wrap(note);
    in.get();
    int lane = Byte.toUnsignedInt(in.get());
    int then = Byte.toUnsignedInt(in.get()) + 1;
    earlier
        .computeIfAbsent(in.getLong(), _ -> new Start(then, new ArrayList<>()))
        .marks
        .add(new Mark(lane, in.getLong(), 0, in.getLong()));
  }

  /// Marks the end of a group that is committed.
  public synchronized void add(int lane, long limit, long group, long bytes) {
    marks.add(new Mark(lane, limit, group, bytes));
  }

  /// Sets the position of this start; call it before the first [#add].
  ///
  /// @param newFrom everything that came before this start, and nothing else, arrived before
  /// @param groups the last ones of earlier starts, by lane
  synchronized void start(LaneArrivals newFrom, List<Long> groups) {
    from = newFrom;
    groupsBefore = groups.stream().mapToLong(Long::longValue).toArray();
  }

  /// The first end after `last` that makes a whole round, or that ends what came before a start.
  ///
  /// @param last where the round before ends
  /// @return null when the next round is to end where everything committed does
  synchronized @Nullable End next(LaneArrivals last) {
    for (var start : earlier.entrySet()) {
      End end = next(last, start.getKey(), start.getValue());
      if (end != null) {
        return end;
      }
    }
    if (isBefore(last, from)) {
      return new End(from, list(groupsBefore));
    }
    return cut(last, new Start(lanes, marks), from.limitMax(), groupsBefore.clone());
  }

  private static LaneArrivals uniform(int ofLanes, long limit, LaneArrivals last) {
    return new LaneArrivals(last.segmentLimit(), Collections.nCopies(ofLanes, limit));
  }

  /// True when something that arrived before a start may be after a position.
  private static boolean isBefore(LaneArrivals position, LaneArrivals start) {
    return position.limitMax() < start.limitMax()
        || (position.limitMax() == start.limitMax()
            && !position.laneLimits().equals(start.laneLimits()));
  }

  private @Nullable End next(LaneArrivals last, long began, Start start) {
    LaneArrivals end = uniform(start.lanes, began, last);
    return isBefore(last, end) ? new End(end, List.of()) : cut(last, start, began, null);
  }

  private static List<Long> list(long @Nullable [] groups) {
    return groups == null ? List.of() : Arrays.stream(groups).boxed().toList();
  }

  private @Nullable End cut(LaneArrivals last, Start start, long began, long @Nullable [] groups) {
    boolean alike = last.laneLimits().size() == start.lanes;
    if (!alike && last.limitMax() > began) {
      return null; // all of that start is in earlier rounds
    }
    Long[] limits = new Long[start.lanes];
    Arrays.setAll(limits, lane -> alike ? last.laneLimits().get(lane) : (Long) began);
    start.marks.sort(Comparator.comparingLong(Mark::limit));
    long bytes = 0;
    for (Mark mark : start.marks) {
      if (groups != null) {
        groups[mark.lane] = Math.max(groups[mark.lane], mark.group);
      }
      if (mark.limit > limits[mark.lane]) {
        limits[mark.lane] = mark.limit;
        bytes += mark.bytes;
      }
      if (bytes >= bytesPerRound) {
        return new End(new LaneArrivals(last.segmentLimit(), List.of(limits)), list(groups));
      }
    }
    return null;
  }

  /// Forgets the marks that are not needed any more: no later round ends before a position.
  synchronized void forgetBefore(LaneArrivals position) {
    if (position.limitMax() >= from.limitMax()) {
      earlier.clear();
    }
    if (position.laneLimits().size() == lanes) {
      for (Mark mark : marks) {
        if (mark.limit <= position.laneLimits().get(mark.lane)) {
          groupsBefore[mark.lane] = Math.max(groupsBefore[mark.lane], mark.group);
        }
      }
      marks.removeIf(mark -> mark.limit <= position.laneLimits().get(mark.lane));
    }
  }
}
