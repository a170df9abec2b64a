package io.widerow.storage.cassandra.apply;

import io.widerow.storage.LaneArrivals;
import io.widerow.storage.SourceRange;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/// The ranges of sources that are not claimed yet, and the partitions in which another daemon was
/// first. Each range is journaled with its group as a note, big-endian:
///
/// ```
///   0      1       17          21       25      33         37     45     49     57           61
///  +------+-------+-----------+--------+-------+----------+------+------+------+------------+
///  | 0xC3 | topic | partition | daemon | stamp | fromTerm | from | term | next | leaderEpoch|
///  +------+-------+-----------+--------+-------+----------+------+------+------+------------+
///  then counterFrom (8), count (4), groupFrom (8), lane (1), lanes - 1 (1)
/// ```
///
/// A range is in the round that has its group, also when it has no events: `groupFrom` is the
/// arrival number of the last batch with events up to the group's end.
///
/// - Threads: any.
/// - Memory: about 150 bytes a range. Sources stop at [#RANGES_MAX] of them, see [#isFull]; batches
///   that lanes have already may add more.
public final class SourceRanges {
  /// With so many ranges no source should hand over more.
  private static final int RANGES_MAX = 1 << 17;

  private static final byte NOTE = (byte) 0xC3;
  private static final int NOTE_BYTES = 1 + 16 + 6 * Integer.BYTES + 5 * Long.BYTES + 2;
  private static final int NOT_AGAIN = -1;

  /// A partition of a topic.
  record Partition(UUID topic, int number) {
    static Partition of(SourceRange range) {
      return new Partition(range.topic(), range.partition());
    }
  }

  /// A range that is not applied.
  ///
  /// @param lane that took it
  /// @param lanes how many there were then
  /// @param counterFrom arrival number of its first event
  /// @param count of its events, refused ones included; 0 when it has none
  /// @param groupFrom arrival number of the last batch with events in its group or before
  public record Pending(
      SourceRange range, int lane, int lanes, long counterFrom, int count, long groupFrom) {
    /// True when its group arrived before a position.
    boolean isBefore(LaneArrivals position) {
      return groupFrom < position.limitOfLane(lane, lanes);
    }

    boolean hasEvents() {
      return count > 0;
    }

    boolean has(long counter) {
      return counter >= counterFrom && counter - counterFrom < count;
    }

    /// The note that is journaled with its group.
    public byte[] note() {
      SourceRange.Released again = range.again();
      return ByteBuffer.allocate(NOTE_BYTES)
          .put(NOTE)
          .putLong(range.topic().getMostSignificantBits())
          .putLong(range.topic().getLeastSignificantBits())
          .putInt(range.partition())
          .putInt(again == null ? NOT_AGAIN : again.daemon())
          .putLong(again == null ? 0 : again.stamp())
          .putInt(range.fromTerm())
          .putLong(range.from())
          .putInt(range.term())
          .putLong(range.next())
          .putInt(range.leaderEpoch())
          .putLong(counterFrom)
          .putInt(count)
          .putLong(groupFrom)
          .put((byte) lane)
          .put((byte) (lanes - 1))
          .array();
    }
  }

  private final List<Deque<Pending>> queues = new ArrayList<>(); // by lane, in order of groups
  private final List<Pending> recovered = new ArrayList<>();
  private final Map<Partition, Integer> counts = new HashMap<>();
  private final Set<Partition> refused = new HashSet<>();
  private int size;

  public SourceRanges(int lanes) {
    for (int lane = 0; lane < lanes; lane++) {
      queues.add(new ArrayDeque<>());
    }
  }

  /// True for a note that [Pending#note] made.
  public static boolean isNote(byte[] note) {
    return note.length == NOTE_BYTES && note[0] == NOTE;
  }

  /// Adds a range from its note, after a restart.
  public synchronized void recover(byte[] note) {
    ByteBuffer in = ByteBuffer.wrap(note);
    in.get();
    UUID topic = new UUID(in.getLong(), in.getLong());
    int partition = in.getInt();
    var again = new SourceRange.Released(in.getInt(), in.getLong());
    var range =
        new SourceRange(
            topic,
            partition,
            again.daemon() == NOT_AGAIN ? null : again,
            in.getInt(),
            in.getLong(),
            in.getInt(),
            in.getLong(),
            in.getInt());
    long counterFrom = in.getLong();
    int count = in.getInt();
    long groupFrom = in.getLong();
    int lane = Byte.toUnsignedInt(in.get());
    int lanes = Byte.toUnsignedInt(in.get()) + 1;
    recovered.add(new Pending(range, lane, lanes, counterFrom, count, groupFrom));
    count(range, 1);
  }

  /// Ends the recovery: sorts the ranges of each partition, which come from any lane.
  public synchronized void recovered() {
    recovered.sort(
        Comparator.comparingInt((Pending one) -> one.range().fromTerm())
            .thenComparingLong(one -> one.range().from())
            .thenComparingInt(one -> one.range().term())
            .thenComparingLong(one -> one.range().next()));
  }

  /// Forgets ranges with events that are applied.
  synchronized void forgetBefore(LaneArrivals applied) {
    recovered.removeIf(one -> {
      boolean isApplied = one.hasEvents() && one.isBefore(applied);
      if (isApplied) {
        count(one.range(), -1);
      }
      return isApplied;
    });
  }

  /// Adds the ranges of a lane's group: before the commit when it has events, else after.
  public synchronized void add(int lane, List<Pending> group) {
    group.forEach(one -> {
      queues.get(lane).add(one);
      count(one.range(), 1);
    });
  }

  /// Takes the last ranges of a lane out again: their group was dropped.
  public synchronized void removeLast(int lane, int many) {
    for (int left = many; left > 0; left--) {
      count(queues.get(lane).removeLast().range(), -1);
    }
  }

  private void count(SourceRange range, int more) {
    size += more;
    counts.merge(
        Partition.of(range),
        more,
        (before, change) -> before + change == 0 ? null : before + change);
  }

  /// The ranges whose groups arrived before a position, those of a partition in their order.
  synchronized List<Pending> before(LaneArrivals position) {
    List<Pending> found = new ArrayList<>();
    for (Pending one : recovered) {
      if (one.isBefore(position)) {
        found.add(one);
      }
    }
    for (Deque<Pending> queue : queues) {
      for (Pending one : queue) {
        if (!one.isBefore(position)) {
          break;
        }
        found.add(one);
      }
    }
    return found;
  }

  /// Forgets ranges that are applied or left out.
  ///
  /// @param done as [#before] returned them
  /// @param leftOut those of them whose position was elsewhere
  synchronized void settled(List<Pending> done, List<Pending> leftOut) {
    Set<Pending> all = Set.copyOf(done);
    recovered.removeIf(all::contains);
    queues.forEach(queue -> {
      while (!queue.isEmpty() && all.contains(queue.getFirst())) {
        queue.removeFirst();
      }
    });
    done.forEach(one -> count(one.range(), -1));
    leftOut.forEach(one -> refused.add(Partition.of(one.range())));
  }

  public synchronized boolean isPending(UUID topic, int partition) {
    return counts.containsKey(new Partition(topic, partition));
  }

  public synchronized boolean isRefused(UUID topic, int partition) {
    return refused.contains(new Partition(topic, partition));
  }

  /// Begins a chain of ranges in a partition of which none is pending.
  public synchronized void begin(UUID topic, int partition) {
    refused.remove(new Partition(topic, partition));
  }

  public synchronized boolean isFull() {
    return size >= RANGES_MAX;
  }
}
