package io.widerow.storage.cassandra.maintenance;

import io.widerow.storage.cassandra.keyspace.Directory;
import io.widerow.storage.cassandra.keyspace.DirectoryRow;
import io.widerow.storage.cassandra.keyspace.SegmentKey;
import io.widerow.storage.cassandra.keyspace.Stamp;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;

/// The segments that one merge of a partition reads: the merged ones in force, and applied ones of
/// whole rounds up to a stamp for each daemon.
///
/// Segments that overlap in their ids are open at once. When all together would be too many, the
/// merge takes fewer rounds, and the next merge continues with the others.
///
/// @param rows in ascending order of their first ids
/// @param covered by daemon, the stamp up to which rounds are merged when these segments are
/// @param whole true when no applied segment of the view was left for another merge
record MergeSources(List<DirectoryRow> rows, Map<Integer, Long> covered, boolean whole) {
  /// Segments that may be open at once.
  static final int OPEN_MAX = 512;

  /// An estimate of the memory of the segments that are open at once, in bytes.
  static final long OPEN_BYTES_MAX = 32L << 20;

  /// Decoded blocks are so much larger than values, up to the most that one block holds.
  private static final int DECODED = 8;

  private static final long BLOCK_BYTES = 4L << 20;
  private static final long CURSOR_BYTES = 16L << 10;

  /// Ascending by first id.
  static final Comparator<DirectoryRow> BY_FIRST =
      Comparator.comparing(DirectoryRow::first).thenComparing(DirectoryRow::last);

  /// The applied segments that a view shows, and that are not merged yet.
  static List<DirectoryRow> applied(Directory directory, Map<Integer, Long> stamps) {
    return directory.rows().stream()
        .filter(row ->
            row.key().tier() == SegmentKey.APPLIED
                && row.key().seq() <= stamps.getOrDefault(row.key().daemon(), Stamp.NONE)
                && directory.isShown(row.key()))
        .toList();
  }

  /// The merged segments in force.
  static List<DirectoryRow> merged(Directory directory) {
    return directory.rows().stream()
        .filter(row -> row.key().tier() == SegmentKey.MERGED && directory.isShown(row.key()))
        .sorted(Comparator.comparingInt(row -> row.key().part()))
        .toList();
  }

  /// @param stamps of the view, which was taken before the directory was read
  static MergeSources of(Directory directory, Map<Integer, Long> stamps) {
    List<List<DirectoryRow>> rounds = rounds(applied(directory, stamps));
    int taken = rounds.size();
    List<DirectoryRow> rows = take(directory, rounds, taken);
    while (taken > 1 && !fits(rows)) {
      taken = (taken + 1) / 2;
      rows = take(directory, rounds, taken);
    }
    Map<Integer, Long> covered = new HashMap<>(directory.covered());
    for (List<DirectoryRow> round : rounds.subList(0, taken)) {
      SegmentKey key = round.getFirst().key();
      covered.merge(key.daemon(), key.seq(), Math::max);
    }
    return new MergeSources(rows, covered, taken == rounds.size());
  }

  /// Segments by daemon and round: first the first rounds of all daemons, then the second ones.
  private static List<List<DirectoryRow>> rounds(List<DirectoryRow> applied) {
    Map<Integer, TreeMap<Long, List<DirectoryRow>>> byDaemon = new TreeMap<>();
    for (DirectoryRow row : applied) {
      byDaemon
          .computeIfAbsent(row.key().daemon(), _ -> new TreeMap<>())
          .computeIfAbsent(row.key().seq(), _ -> new ArrayList<>())
          .add(row);
    }
    record Place(int index, List<DirectoryRow> round) {}
    List<Place> places = new ArrayList<>();
    for (TreeMap<Long, List<DirectoryRow>> ofDaemon : byDaemon.values()) {
      int index = 0;
      for (List<DirectoryRow> round : ofDaemon.values()) {
        places.add(new Place(index++, round));
      }
    }
    places.sort(Comparator.comparingInt(Place::index)); // stable: a daemon's rounds in order
    return places.stream().map(Place::round).toList();
  }

  private static List<DirectoryRow> take(
      Directory directory, List<List<DirectoryRow>> rounds, int count) {
    List<DirectoryRow> rows = new ArrayList<>(merged(directory));
    rounds.subList(0, count).forEach(rows::addAll);
    rows.sort(BY_FIRST);
    return rows;
  }

  /// True when the segments that are open at once are few enough, at any point of the merge.
  private static boolean fits(List<DirectoryRow> byFirst) {
    PriorityQueue<DirectoryRow> open =
        new PriorityQueue<>(Comparator.comparing(DirectoryRow::last));
    long bytes = 0;
    for (DirectoryRow row : byFirst) {
      while (!open.isEmpty() && open.element().last().compareTo(row.first()) < 0) {
        bytes -= decodedBytes(open.remove());
      }
      open.add(row);
      bytes += decodedBytes(row);
      if (open.size() > OPEN_MAX || bytes > OPEN_BYTES_MAX) {
        return false;
      }
    }
    return true;
  }

  private static long decodedBytes(DirectoryRow row) {
    return Math.min((long) row.bytes() * DECODED, BLOCK_BYTES) + CURSOR_BYTES;
  }
}
