package io.widerow.storage.aggregate;

import io.widerow.event.AttributeName;
import io.widerow.event.Bucket;
import io.widerow.event.EventId;
import io.widerow.event.PartitionKey;
import io.widerow.storage.Damage;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.Filters;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreView;
import io.widerow.storage.cursor.ChainCursor;
import io.widerow.storage.cursor.LazyCursor;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.rows.OpenRow;
import io.widerow.storage.rows.OpenRows;
import io.widerow.storage.scan.SegmentValues;
import io.widerow.storage.segment.PartitionTable;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentIndex;
import io.widerow.storage.segment.SegmentIndexes;
import io.widerow.storage.segment.SegmentSummary;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The values in the sealed blocks of a view. A partition counts when no event of its type brought
/// its own id: then none replaces another, wherever they lie. A partition that the range cuts is a
/// part; when more than half of the partitions of a segment are not cut, these are one part, and
/// else each of them is one.
///
/// ```
///   range              |------------------------------|
///   segment 7     [ a 10:00 ]  [ a 11:00 ]  [ b 11:00 ]      parts: a 10:00; a 11:00 and b 11:00
///   segment 8                  [ a 11:00 ]  [ b 12:00 ]      part: all of it
/// ```
///
/// - Threads: one.
public final class SealedScan implements StoreView.SealedValues {
  /// A table of so many more partitions than are wanted is searched for each of these.
  private static final int SPARSE = 8;

  private final CellView view;
  private final Scan scan;
  private final Set<PartitionKey> keys;
  private final Set<PartitionKey> others = new HashSet<>();
  private final Set<PartitionKey> cut = new HashSet<>();
  private final Set<String> ownTypes = new HashSet<>(); // types with events that brought their ids
  private final List<StoreView.Part> parts = new ArrayList<>();
  private final Map<Long, Segment> files = new HashMap<>();
  private final SegmentValues values;
  private int partition; // of the last block that was read of several, and its first block
  private int partitionFirst;
  private StoreView.@Nullable Part last;

  private SealedScan(CellView view, List<PartitionKey> keys, Scan scan) {
    this.view = view;
    this.scan = scan;
    this.keys = new HashSet<>(keys);
    this.values = new SegmentValues(view.readers());
  }

  /// @param keys partitions that are kept
  public static SealedScan of(CellView view, List<PartitionKey> keys, Scan scan) {
    SealedScan made = new SealedScan(view, keys, scan);
    Map<Bucket, List<PartitionKey>> buckets = new LinkedHashMap<>();
    keys.forEach(key -> buckets.computeIfAbsent(Bucket.of(key), _ -> new ArrayList<>()).add(key));
    Map<LiveSegment, BitSet> wanted = new LinkedHashMap<>();
    for (List<PartitionKey> of : buckets.values()) {
      for (LiveSegment segment : view.segmentsOf(of.getFirst())) {
        wanted.put(segment, made.find(segment, of));
      }
    }
    made.lookAtRows();
    keys.stream().filter(key -> made.ownTypes.contains(key.type())).forEach(made.others::add);
    wanted.forEach(made::addParts);
    return made;
  }

  /// Returns the numbers of the partitions of a segment that are asked for.
  private BitSet find(LiveSegment segment, List<PartitionKey> ofBucket) {
    PartitionTable table = segment.partitions();
    BitSet found = new BitSet(table.size());
    if (table.size() / SPARSE > ofBucket.size()) {
      for (PartitionKey key : ofBucket) {
        int number = table.find(key);
        if (number >= 0) {
          found.set(number);
          look(segment, table.get(number));
        }
      }
      return found;
    }
    for (int number = 0; number < table.size(); number++) {
      SegmentSummary.Partition of = table.get(number);
      if (keys.contains(of.key())) {
        found.set(number);
        look(segment, of);
      }
    }
    return found;
  }

  private void look(LiveSegment segment, SegmentSummary.Partition of) {
    boolean inside =
        of.least().compareTo(scan.from()) >= 0 && of.greatest().compareTo(scan.until()) < 0;
    boolean whole = view.kept(of.key(), scan).from().equals(scan.from());
    if (of.ownIds()) {
      ownTypes.add(of.key().type());
    }
    if (segment.file() == null) {
      others.add(of.key());
    } else if (!inside || !whole || view.shownFromNanos(of.key()) > of.key().fromNanos()) {
      cut.add(of.key());
    }
  }

  private void lookAtRows() {
    for (OpenRows.View open : view.rows()) {
      for (OpenRow row : open.rows()) {
        if (row.hasOwnIds() && keys.contains(row.key)) {
          ownTypes.add(row.key.type());
        }
      }
    }
  }

  /// @param numbers of the partitions that are asked for
  private void addParts(LiveSegment segment, BitSet numbers) {
    Segment file = segment.file();
    PartitionTable table = segment.partitions();
    BitSet cuts = new BitSet();
    if (!others.isEmpty() || !cut.isEmpty()) {
      for (int number : numbers.stream().toArray()) {
        PartitionKey key = table.get(number).key();
        if (others.contains(key)) {
          numbers.clear(number);
        } else if (cut.contains(key)) {
          numbers.clear(number);
          cuts.set(number);
        }
      }
    }
    if (file == null || (numbers.isEmpty() && cuts.isEmpty())) {
      return;
    }
    SegmentIndexes indexes = file.indexes();
    long id = file.segmentId();
    files.put(id, file);
    addEach(id, indexes, table, cuts, false);
    boolean whole = scan.filter() instanceof Filter.Everything && !segment.isCold();
    int count = numbers.cardinality();
    if (count > 1 && count == table.size()) {
      SegmentIndex end = indexes.get(count - 1);
      long events = numbers.stream().mapToLong(table::events).sum();
      parts.add(new StoreView.Part(id, -1, null, end.blocksBefore + end.blocks, events, whole));
    } else if (count > 1 && count > table.size() / 2) {
      // A filter that hides a few partitions must not split the others into thousands of parts.
      int blocks = numbers.stream().map(number -> indexes.get(number).blocks).sum();
      long events = numbers.stream().mapToLong(table::events).sum();
      parts.add(new StoreView.Part(id, -1, numbers, blocks, events, whole));
    } else {
      addEach(id, indexes, table, numbers, whole);
    }
  }

  private void addEach(
      long segment, SegmentIndexes indexes, PartitionTable table, BitSet numbers, boolean whole) {
    for (int number : numbers.stream().toArray()) {
      int blocks = indexes.get(number).blocks;
      parts.add(new StoreView.Part(segment, number, null, blocks, table.events(number), whole));
    }
  }

  @Override
  public List<StoreView.Part> parts() {
    return List.copyOf(parts);
  }

  @Override
  public Set<PartitionKey> others() {
    return Collections.unmodifiableSet(others);
  }

  @Override
  public @Nullable EventCursor openRows(Scan of) {
    List<EventCursor> cursors = new ArrayList<>();
    for (OpenRows.View open : view.rows()) {
      for (OpenRow row : open.rows()) {
        PartitionInfo info = open.info(row);
        if (info.events() > 0 && keys.contains(row.key) && !others.contains(row.key)) {
          Scan kept = CellView.and(view.kept(row.key, of), view.shownOf(List.of(row.key)));
          Filter filter = Filters.ofType(kept.filter(), row.key.type());
          cursors.add( // a cursor takes a kilobyte, and there may be a row for each of many types
              new LazyCursor(
                  EventId.LEAST,
                  () -> new ChainCursor(open.open(row, kept, filter, view.readers().searchers()))));
        }
      }
    }
    return cursors.isEmpty() ? null : new ChainCursor(cursors);
  }

  @Override
  public long read(
      StoreView.Part part,
      int block,
      Predicate<AttributeName> wanted,
      StoreView.ValueVisitor visitor) {
    Segment file = files.get(part.segment());
    if (file == null || block < 0 || block >= part.blocks()) {
      throw new IllegalArgumentException("block %d of %s".formatted(block, part));
    }
    SegmentIndexes indexes = file.indexes();
    if (part.partition() >= 0) {
      return read(file, indexes.get(part.partition()), block, wanted, visitor);
    }
    BitSet several = part.several();
    if (!part.equals(last) || block < partitionFirst) {
      last = part;
      partition = several == null ? 0 : several.nextSetBit(0);
      partitionFirst = 0;
    }
    SegmentIndex index = indexes.get(partition);
    while (block >= partitionFirst + index.blocks) {
      partitionFirst += index.blocks;
      partition = several == null ? partition + 1 : several.nextSetBit(partition + 1);
      index = indexes.get(partition);
    }
    return read(file, index, block - partitionFirst, wanted, visitor);
  }

  private long read(
      Segment file,
      SegmentIndex index,
      int block,
      Predicate<AttributeName> wanted,
      StoreView.ValueVisitor visitor) {
    try {
      values.read(file, index, block, of(index), wanted, visitor);
      return index.events(block);
    } catch (StorageException.Corrupt told) {
      return passOver(told, told, index.info(block));
    } catch (StorageException.Unreachable away) {
      return passOver(away.unread(file.path(), index.offset(block)), away, index.info(block));
    }
  }

  private long passOver(
      StorageException.Corrupt told, StorageException failure, PartitionInfo lost) {
    if (scan.watch().passesOver(ScanWatch.Unread.of(told, Damage.Kind.BLOCK, lost))) {
      return -1;
    }
    throw failure;
  }

  /// The scan of a partition.
  private Scan of(SegmentIndex index) {
    PartitionKey key = index.partition.key();
    Scan shown = CellView.and(view.kept(key, scan), view.shownOf(List.of(key)));
    return shown.withFilter(Filters.ofType(shown.filter(), key.type()));
  }

  @Override
  public long heldBytes() {
    return values.heldBytes();
  }

  @Override
  public void close() {
    values.close();
  }
}
