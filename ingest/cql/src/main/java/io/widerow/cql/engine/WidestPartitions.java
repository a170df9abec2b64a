package io.widerow.cql.engine;

import io.widerow.cql.fragment.FragmentEncoder;
import io.widerow.cql.fragment.Keys;
import io.widerow.cql.fragment.TombstonePolicy;
import io.widerow.cql.store.WidePartition;
import io.widerow.cql.store.Widest;
import io.widerow.cql.tablestats.Partition;
import io.widerow.cql.tablestats.WidthCounter;
import io.widerow.cql.tablestats.Widths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Finds the widest partitions of one table in a view.
///
/// ```
///   in one file alone      what the file keeps is right
///   in few rows            all of them are counted
///   else                   candidates, greatest upper bound first: a partition that only
///                          one file has is right as that has it; the others are read
/// ```
///
/// Memory is counted each time, which takes less than a second. Expired rows make a number that a
/// file keeps one that is too great, so such a partition is read, too.
///
/// - Threads: one.
final class WidestPartitions {
  private static final Comparator<Counted> WIDEST_FIRST =
      Comparator.comparingLong(Counted::rows)
          .reversed()
          .thenComparing(Counted::key, Arrays::compareUnsigned);

  private final LeasedView view;
  private final byte[] table;
  private final boolean onlyLive;
  private final long nowSeconds;
  private final List<Source> sources = new ArrayList<>();
  private long read;

  /// A file or memory that has keys of the table.
  ///
  /// @param file null for memory
  private record Source(@Nullable TableFile file, Widths.OfTable widths) {}

  /// A partition with the number of its rows, or the most that it can be.
  ///
  /// - Threads: one.
  private static final class Counted {
    private final byte[] key;
    private final long rows;
    private final boolean exact;

    Counted(byte[] key, long rows, boolean exact) {
      this.key = key;
      this.rows = rows;
      this.exact = exact;
    }

    byte[] key() {
      return key;
    }

    long rows() {
      return rows;
    }
  }

  WidestPartitions(LeasedView view, byte[] table, boolean onlyLive, long nowSeconds) {
    this.view = view;
    this.table = table.clone();
    this.onlyLive = onlyLive;
    this.nowSeconds = nowSeconds;
    KeyRange all = range(table);
    for (TableFile file : view.files(all)) {
      Widths.OfTable widths = file.widths().of(table);
      if (widths != null) {
        sources.add(new Source(file, widths));
      }
    }
    Widths.OfTable inMemory = count(view.memory(all, false)).of(table);
    if (inMemory != null) {
      sources.add(new Source(null, inMemory));
    }
  }

  /// Counts all rows of sources, which it closes.
  static Widths count(List<Fragments> all) {
    var counter = new WidthCounter();
    var last = new LastKey();
    try (var rows = new MergedRows(all, false)) {
      TableFiles.copy(
          rows,
          (key, keyBytes, partition, _, told) ->
              counter.add(
                  key,
                  partition,
                  last.shared(key, keyBytes),
                  told.showsRow(),
                  (told.flags() & FragmentEncoder.LIVE) != 0,
                  told.firstExpiry()),
          TombstonePolicy.NOTHING,
          ObsoleteKeys.NOTHING.sweep());
    }
    return counter.end();
  }

  /// The key that came last.
  ///
  /// - Threads: one.
  private static final class LastKey {
    private byte[] last = new byte[0];

    /// The number of bytes that it shares with the partition that replaces it.
    int shared(byte[] key, int keyBytes) {
      int shared = Keys.common(last, last.length, key, keyBytes);
      last = Arrays.copyOf(key, keyBytes);
      return shared;
    }
  }

  /// The keys that begin with some bytes.
  private static KeyRange range(byte[] first) {
    byte[] until = first.clone();
    int at = until.length - 1;
    while (at >= 0 && ++until[at] == 0) {
      at--;
    }
    return new KeyRange(first, at < 0 ? null : Arrays.copyOf(until, at + 1));
  }

  /// The widest partitions.
  ///
  /// @param most of them
  /// @param readMost the most rows of files that are read
  Widest find(int most, long readMost) {
    List<Counted> counted;
    long rows = sources.stream().mapToLong(source -> source.widths.rows()).sum();
    if (sources.size() == 1 && sources.getFirst().widths.widest().stream().allMatch(this::ranks)) {
      counted = sources.getFirst().widths.widest().stream().map(this::known).toList();
    } else if (rows <= readMost) {
      counted = readAll(most);
    } else {
      counted = candidates(most, readMost);
    }
    List<WidePartition> found =
        counted.stream()
            .filter(each -> each.rows > 0)
            .sorted(WIDEST_FIRST)
            .limit(most)
            .map(each -> new WidePartition(each.key, each.rows, each.exact, bytes(each.key)))
            .toList();
    return new Widest(found, read);
  }

  /// Whether what a source keeps of a partition is right as long as no other one has it.
  private boolean lasts(Partition partition) {
    return nowSeconds < partition.expiry();
  }

  /// Whether none of the partitions that a source does not keep can have more rows.
  private boolean ranks(Partition partition) {
    return lasts(partition) && (!onlyLive || partition.marked() == partition.rows());
  }

  private Counted known(Partition partition) {
    return new Counted(partition.key(), onlyLive ? partition.marked() : partition.rows(), true);
  }

  private long bytes(byte[] partition) {
    KeyRange range = range(partition);
    return view.files(range).stream().mapToLong(file -> file.bytesOf(range)).sum();
  }

  /// Counts the rows of all partitions.
  private List<Counted> readAll(int most) {
    var widest = new PriorityQueue<>(WIDEST_FIRST.reversed());
    try (TableScan rows = view.open(range(table), false, nowSeconds)) {
      byte[] partition = null;
      long count = 0;
      boolean more = rows.next();
      while (more) {
        if (partition == null || !rows.isIn(partition)) {
          partition = rows.partition();
          count = 0;
        }
        count += isCounted(rows) ? 1 : 0;
        more = rows.next();
        if (!more || !rows.isIn(partition)) {
          widest.add(new Counted(partition, count, true));
          if (widest.size() > most) {
            widest.remove();
          }
        }
      }
    }
    return List.copyOf(widest);
  }

  private boolean isCounted(TableScan rows) {
    if (rows.isHeader()) {
      return false;
    }
    read++;
    return !onlyLive || rows.isLive();
  }

  private long readRows(byte[] partition) {
    long count = 0;
    try (TableScan rows = view.open(range(partition), false, nowSeconds)) {
      while (rows.next()) {
        count += isCounted(rows) ? 1 : 0;
      }
    }
    return count;
  }

  private List<Counted> candidates(int most, long readMost) {
    var keys = new TreeMap<byte[], Counted>(Arrays::compareUnsigned);
    for (Source source : sources) {
      for (Partition each : source.widths.widest()) {
        keys.computeIfAbsent(each.key(), this::atMost);
      }
    }
    List<Counted> bounds = keys.values().stream().sorted(WIDEST_FIRST).toList();
    var widest = new PriorityQueue<>(WIDEST_FIRST.reversed());
    for (Counted bound : bounds) {
      if (widest.size() == most && widest.element().rows >= bound.rows) {
        break;
      }
      boolean isRead = !bound.exact && bound.rows <= readMost - read;
      widest.add(isRead ? new Counted(bound.key, readRows(bound.key), true) : bound);
      if (widest.size() > most) {
        widest.remove();
      }
    }
    return List.copyOf(widest);
  }

  /// Upper bound of the width of a partition, without a look at its rows.
  private Counted atMost(byte[] key) {
    KeyRange range = range(key);
    List<TableFile> files = view.files(range);
    long most = 0;
    Counted only = null;
    int having = 0;
    for (Source source : sources) {
      if (source.file != null && !files.contains(source.file)) {
        continue;
      }
      Partition listed = source.widths.find(key);
      if (listed == null && source.file == null && isNotInMemory(range)) {
        continue;
      }
      having++;
      most += listed == null ? source.widths.rest() : listed.rows();
      only = listed != null && lasts(listed) ? known(listed) : null;
    }
    return having == 1 && only != null ? only : new Counted(key, most, false);
  }

  private boolean isNotInMemory(KeyRange range) {
    try (var rows = new MergedRows(view.memory(range, false), false)) {
      return !rows.next();
    }
  }
}
