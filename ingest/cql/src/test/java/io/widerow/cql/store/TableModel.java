package io.widerow.cql.store;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A store of tables that is only rules: a sorted map of keys to the fragments that were written to
/// them. Reading merges the fragments of a row from the beginning each time.
///
/// - Threads: any; a write runs on the caller's.
public final class TableModel implements TableStore {
  private NavigableMap<byte[], List<ModelFragment>> rows = new TreeMap<>(Arrays::compareUnsigned);
  private int views; // open ones of the present map

  @Override
  public synchronized TableView view() {
    views++;
    return new View(rows);
  }

  @Override
  public synchronized <T> CompletableFuture<T> write(TableWrite<T> write) {
    var out = new Collector();
    T answer;
    try (TableView before = view()) {
      answer = write.run(before, out);
      if (write.derives()) {
        try (TableView after = after(out.fragments)) {
          write.derive(before, after, out);
        }
      }
    } catch (RuntimeException refused) {
      return CompletableFuture.failedFuture(refused);
    }
    if (!out.fragments.isEmpty()) {
      add(out.fragments);
    }
    return CompletableFuture.completedFuture(answer);
  }

  private NavigableMap<byte[], List<ModelFragment>> copy() {
    NavigableMap<byte[], List<ModelFragment>> copy = new TreeMap<>(Arrays::compareUnsigned);
    rows.forEach((key, list) -> copy.put(key, new ArrayList<>(list)));
    return copy;
  }

  @Override
  public synchronized void forget(List<KeySpan> spans) {
    NavigableMap<byte[], List<ModelFragment>> left = new TreeMap<>(Arrays::compareUnsigned);
    rows.forEach((key, list) -> {
      if (spans.stream().noneMatch(span -> span.compareKey(key, key.length) == 0)) {
        left.put(key, new ArrayList<>(list));
      }
    });
    rows = left;
    views = 0;
  }

  /// Keys that something was written to and that are not forgotten.
  public synchronized int keys() {
    return rows.size();
  }

  private void add(List<ModelFragment> fragments) {
    if (views > 0) {
      rows = copy();
      views = 0;
    }
    add(fragments, rows);
  }

  private static void add(
      List<ModelFragment> fragments, NavigableMap<byte[], List<ModelFragment>> to) {
    for (ModelFragment fragment : fragments) {
      to.computeIfAbsent(fragment.key, key -> new ArrayList<>()).add(fragment);
    }
  }

  /// A view that includes fragments that are not written yet.
  private TableView after(List<ModelFragment> fragments) {
    NavigableMap<byte[], List<ModelFragment>> copy = copy();
    add(fragments, copy);
    return new View(copy);
  }

  private synchronized void closed(NavigableMap<byte[], List<ModelFragment>> shown) {
    if (isPresent(shown)) {
      views--;
    }
  }

  /// True for the map that writes go to, and not only for an equal one.
  @SuppressWarnings("ReferenceEquality")
  private boolean isPresent(NavigableMap<byte[], List<ModelFragment>> shown) {
    return shown == rows;
  }

  /// The rows of one moment.
  private final class View implements TableView {
    private final NavigableMap<byte[], List<ModelFragment>> shown;
    private boolean open = true;

    @Override
    public long fileBytes(byte[] from, byte[] until) {
      return 0;
    }

    @Override
    public FileReads reads() {
      return new FileReads();
    }

    View(NavigableMap<byte[], List<ModelFragment>> shown) {
      this.shown = shown;
    }

    @Override
    public TableCursor scan(byte[] from, byte[] until, boolean descending, long nowSeconds) {
      if (!open) {
        throw new IllegalStateException("the view is closed");
      }
      NavigableMap<byte[], ModelRow> live = new TreeMap<>(Arrays::compareUnsigned);
      if (Arrays.compareUnsigned(from, until) < 0) {
        for (Map.Entry<byte[], List<ModelFragment>> row :
            shown.subMap(from, true, until, false).entrySet()) {
          ModelRow left = ModelRow.of(row.getValue(), header(row.getValue()), nowSeconds);
          if (left.exists()) {
            live.put(row.getKey(), left);
          }
        }
      }
      return new ModelCursor(descending ? live.descendingMap() : live);
    }

    /// Counts all rows.
    @Override
    public Widest widest(byte[] table, boolean onlyLive, int most, long read, long nowSeconds) {
      NavigableMap<byte[], Long> counts = new TreeMap<>(Arrays::compareUnsigned);
      for (Map.Entry<byte[], List<ModelFragment>> row : shown.entrySet()) {
        ModelFragment first = row.getValue().getFirst();
        byte[] partition = Arrays.copyOf(first.key, first.partition);
        ModelRow left = ModelRow.of(row.getValue(), header(row.getValue()), nowSeconds);
        boolean isCounted = onlyLive ? left.isLive() : left.exists();
        if (!first.isHeader() && isCounted && startsWith(partition, table)) {
          counts.merge(partition, 1L, Long::sum);
        }
      }
      List<WidePartition> all = new ArrayList<>();
      counts.forEach((key, rows) -> all.add(new WidePartition(key, rows, true, 0)));
      all.sort(Comparator.comparingLong(WidePartition::rows).reversed());
      return new Widest(all.subList(0, Math.min(most, all.size())), 0);
    }

    private static boolean startsWith(byte[] partition, byte[] table) {
      int bytes = Math.min(partition.length, table.length);
      return Arrays.equals(partition, 0, bytes, table, 0, table.length);
    }

    /// The fragments of the header of the partition of a row.
    private List<ModelFragment> header(List<ModelFragment> row) {
      ModelFragment first = row.getFirst();
      byte[] from = Arrays.copyOf(first.key, first.partition + 1);
      from[first.partition] = 0;
      byte[] until = from.clone();
      until[first.partition] = 1;
      return shown.subMap(from, true, until, false).values().stream()
          .flatMap(List::stream)
          .toList();
    }

    @Override
    public void close() {
      if (open) {
        open = false;
        closed(shown);
      }
    }
  }

  /// Makes fragments of the mutations of a write.
  private static final class Collector implements Mutations {
    private final List<ModelFragment> fragments = new ArrayList<>();

    private ModelFragment last() {
      if (fragments.isEmpty()) {
        throw new IllegalStateException("no row was begun");
      }
      return fragments.getLast();
    }

    private ModelFragment header() {
      ModelFragment last = last();
      if (last.key[last.partition] != 0) {
        throw new IllegalArgumentException("only a header deletes more than its row");
      }
      return last;
    }

    @Override
    public Mutations row(byte[] key, int partition) {
      if (key.length > MAX_KEY || partition < 0 || partition >= key.length) {
        throw new IllegalArgumentException(
            "a key of %d bytes, %d of them the partition".formatted(key.length, partition));
      }
      fragments.add(new ModelFragment(key.clone(), partition));
      return this;
    }

    @Override
    public Mutations live(long timestamp, int ttl, long expiry) {
      last().live(ModelCell.of(timestamp, ttl, expiry, new byte[0]));
      return this;
    }

    @Override
    public Mutations deleteRow(long timestamp) {
      last().rowDeletions.add(timestamp);
      return this;
    }

    @Override
    public Mutations cell(
        int column, byte @Nullable [] path, byte[] value, long timestamp, int ttl, long expiry) {
      last().cell(column, path, ModelCell.of(timestamp, ttl, expiry, value.clone()));
      return this;
    }

    @Override
    public Mutations deleteCell(int column, byte @Nullable [] path, long timestamp) {
      last().cell(column, path, ModelCell.tombstone(timestamp));
      return this;
    }

    @Override
    public Mutations deleteCells(int column, long timestamp) {
      last().columnDeletions.merge(column, timestamp, Math::max);
      return this;
    }

    @Override
    public Mutations deletePartition(long timestamp) {
      header().partitionDeletions.add(timestamp);
      return this;
    }

    @Override
    public Mutations deleteRange(byte[] from, byte[] until, long timestamp) {
      header().ranges.add(new ModelFragment.Range(from.clone(), until.clone(), timestamp));
      return this;
    }
  }
}
