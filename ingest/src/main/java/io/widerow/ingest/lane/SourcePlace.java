package io.widerow.ingest.lane;

import io.widerow.ingest.decode.Refusals;
import io.widerow.storage.SourceRange;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/// Where a batch of a source lies in its partition: `[first, next)`. The lane writes it into the
/// group that holds the events, so one force makes both durable, and nothing has to be deduplicated
/// after a crash.
///
/// A note in the journal is one entry, big-endian. The version is 3.
///
/// ```
///    0         1       17          21     25     29     37         45            49     50
///   +---------+-------+-----------+------+------+------+----------+-------------+------+----- ~
///   | version | topic | partition | part | term | next | complete | leaderEpoch | gaps | gap
///   +---------+-------+-----------+------+------+------+----------+-------------+------+----- ~
///   a gap: from (8), until (8), why (1), seconds (8); then the number of owed offsets (2), each 8
/// ```
///
/// @param part 0, or the part of a batch with ids of senders, see [BatchSplit]
/// @param term grows when the position goes back or its lists change; the greatest one counts
/// @param first where the batch before ended
/// @param complete all parts of the batches before this offset are durable
/// @param leaderEpoch of the last record; -1 when it is not known
/// @param gaps at most [#GAPS_MAX]; of part 0 only
/// @param owed refused offsets that are not in the dead-letter topic yet, ascending; a part has
///   those that its lane refused
/// @param offsets the offset of an event of the batch, when the offsets of events that the store
///   refuses are owed; null when they are not. Not in the note
/// @param range that the batch claims in a cluster; null for a batch that claims none, and always
///   for a store on one machine. Not in the note
public record SourcePlace(
    SourcePartition of,
    int part,
    int term,
    long first,
    long complete,
    long next,
    int leaderEpoch,
    List<SourceGap> gaps,
    List<Long> owed,
    @Nullable IntToLongFunction offsets,
    @Nullable SourceRange range) {
  public static final int GAPS_MAX = 16;

  /// So many owed offsets of a partition may be there before its next batch.
  public static final int OWED_MAX = 64;

  private static final int NOTE_VERSION = 3;
  private static final int NOTE_BYTES = 1 + 16 + 3 * Integer.BYTES + 2 * Long.BYTES + Integer.BYTES;
  private static final int GAP_BYTES = 3 * Long.BYTES + 1;

  /// A batch that has no event with an id of its sender.
  public static SourcePlace whole(SourcePartition of, int term, long first, long next, int epoch) {
    return new SourcePlace(of, 0, term, first, next, next, epoch, List.of(), List.of(), null, null);
  }

  /// The same, with lists.
  public SourcePlace with(List<SourceGap> newGaps, List<Long> newOwed) {
    return new SourcePlace(
        of,
        part,
        term,
        first,
        complete,
        next,
        leaderEpoch,
        List.copyOf(newGaps),
        newOwed,
        offsets,
        range);
  }

  /// The same, which claims a range in the cluster.
  public SourcePlace claiming(@Nullable SourceRange newRange) {
    return new SourcePlace(
        of, part, term, first, complete, next, leaderEpoch, gaps, owed, offsets, newRange);
  }

  /// The same, whose offsets are owed when the store refuses their events.
  ///
  /// @param newOffsets the offset of each event of the batch
  public SourcePlace owing(IntToLongFunction newOffsets) {
    return new SourcePlace(
        of, part, term, first, complete, next, leaderEpoch, gaps, owed, newOffsets, range);
  }

  /// The same after the store refused events, which are owed from then on.
  SourcePlace refused(Refusals byStore) {
    IntToLongFunction of = offsets;
    if (of == null || byStore.listed() == 0) {
      return this;
    }
    SortedSet<Long> all = new TreeSet<>(owed);
    for (int i = 0; i < byStore.listed(); i++) {
      all.add(of.applyAsLong(byStore.index(i)));
    }
    return with(gaps, List.copyOf(all));
  }

  /// The same for a batch that is split: only what came before it is complete. Its parts may be
  /// applied to a cluster in several rounds, so it cannot claim a range.
  SourcePlace split() {
    if (range != null) {
      throw new IllegalStateException("a batch with ids of clients claims " + range);
    }
    return new SourcePlace(
        of, part, term, first, first, next, leaderEpoch, gaps, owed, offsets, null);
  }

  /// The place of a part of the batch.
  SourcePlace part(int number) {
    return number == 0
        ? this
        : new SourcePlace(
            of,
            number,
            term,
            first,
            complete,
            next,
            leaderEpoch,
            List.of(),
            List.of(),
            offsets,
            null);
  }

  /// Whether this is newer than another place of the partition and part.
  boolean isAfter(SourcePlace other) {
    return term != other.term ? term > other.term : next >= other.next;
  }

  byte[] note() {
    int lists = 1 + Short.BYTES + gaps.size() * GAP_BYTES + owed.size() * Long.BYTES;
    ByteBuffer out = ByteBuffer.allocate(NOTE_BYTES + lists);
    out.put((byte) NOTE_VERSION);
    out.putLong(of.topic().getMostSignificantBits()).putLong(of.topic().getLeastSignificantBits());
    out.putInt(of.partition()).putInt(part).putInt(term);
    out.putLong(next).putLong(complete).putInt(leaderEpoch);
    out.put((byte) gaps.size());
    for (SourceGap gap : gaps) {
      out.putLong(gap.from()).putLong(gap.until());
      out.put((byte) gap.why().number).putLong(gap.epochSeconds());
    }
    out.putShort((short) owed.size());
    owed.forEach(out::putLong);
    return out.array();
  }

  /// Reads a note; null when it is another one.
  static @Nullable SourcePlace read(byte[] note) {
    if (note.length < NOTE_BYTES + 1 + Short.BYTES || note[0] != NOTE_VERSION) {
      return null;
    }
    ByteBuffer in = ByteBuffer.wrap(note);
    in.get();
    var of = new SourcePartition(new UUID(in.getLong(), in.getLong()), in.getInt());
    int part = in.getInt();
    int term = in.getInt();
    long next = in.getLong();
    long complete = in.getLong();
    int leaderEpoch = in.getInt();
    List<SourceGap> gaps = new ArrayList<>();
    for (int left = in.get(); left > 0; left--) {
      gaps.add(new SourceGap(in.getLong(), in.getLong(), SourceGap.Why.of(in.get()), in.getLong()));
    }
    Long[] owed = new Long[Short.toUnsignedInt(in.getShort())];
    Arrays.setAll(owed, _ -> in.getLong());
    return new SourcePlace(
        of, part, term, next, complete, next, leaderEpoch, gaps, List.of(owed), null, null);
  }
}
