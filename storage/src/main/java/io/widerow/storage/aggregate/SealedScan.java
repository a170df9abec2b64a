package io.widerow.storage.aggregate;

import io.widerow.event.AttributeName;
import io.widerow.event.Bucket;
import io.widerow.event.PartitionKey;
import io.widerow.storage.EventCursor;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreView;
import io.widerow.storage.cursor.ChainCursor;
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
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The values in the sealed blocks of a view. A partition counts when all of it is in the range and
/// no event of its type brought its own id: then none replaces another, wherever they lie. When
/// more than half of the partitions of a segment count, these are one part; else each of them is
/// one.
///
/// ```
///   range              |------------------------------|
///   segment 7     [ a 10:00 ]  [ a 11:00 ]  [ b 11:00 ]        part: a 11:00 and b 11:00
///   segment 8                  [ a 11:00 ]  [ b 12:00 ]        part: all of it
///   others        a 10:00
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
    for (List<PartitionKey> of : buckets.values()) {
      for (LiveSegment segment : view.segmentsOf(of.getFirst())) {
        made.forEach(segment, of, number -> made.look(segment, number));
      }
    }
    made.lookAtRows();
    keys.stream().filter(key -> made.ownTypes.contains(key.type())).forEach(made.others::add);
    for (List<PartitionKey> of : buckets.values()) {
      for (LiveSegment segment : view.segmentsOf(of.getFirst())) {
        made.addParts(segment, of);
      }
    }
    return made;
  }

  /// Hands over the numbers of the partitions of a segment that are asked for.
  private void forEach(LiveSegment segment, List<PartitionKey> ofBucket, IntConsumer each) {
    PartitionTable table = segment.partitions();
    if (table.size() / SPARSE > ofBucket.size()) {
      for (PartitionKey key : ofBucket) {
        int number = table.find(key);
        if (number >= 0) {
          each.accept(number);
        }
      }
      return;
    }
    for (int number = 0; number < table.size(); number++) {
      if (keys.contains(table.get(number).key())) {
        each.accept(number);
      }
    }
  }

  private void look(LiveSegment segment, int number) {
    SegmentSummary.Partition of = segment.partitions().get(number);
    boolean inside =
        of.least().compareTo(scan.from()) >= 0 && of.greatest().compareTo(scan.until()) < 0;
    boolean whole = view.kept(of.key(), scan).from().equals(scan.from());
    if (of.ownIds()) {
      ownTypes.add(of.key().type());
    }
    if (!inside || !whole || segment.file() == null) {
      others.add(of.key());
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

  private void addParts(LiveSegment segment, List<PartitionKey> ofBucket) {
    Segment file = segment.file();
    if (file == null) {
      return;
    }
    List<Integer> numbers = new ArrayList<>();
    PartitionTable table = segment.partitions();
    forEach(
        segment,
        ofBucket,
        number -> {
          if (!others.contains(table.get(number).key())) {
            numbers.add(number);
          }
        });
    if (numbers.isEmpty()) {
      return;
    }
    SegmentIndexes indexes = file.indexes();
    long id = file.segmentId();
    files.put(id, file);
    if (numbers.size() == table.size() && numbers.size() > 1) {
      SegmentIndex end = indexes.get(table.size() - 1);
      long events = 0;
      for (int number : numbers) {
        events += table.get(number).events();
      }
      parts.add(new StoreView.Part(id, -1, null, end.blocksBefore + end.blocks, events));
      return;
    }
    if (numbers.size() > table.size() / 2 && numbers.size() > 1) {
      parts.add(several(id, numbers, table, indexes));
      return;
    }
    for (int number : numbers) {
      int blocks = indexes.get(number).blocks;
      parts.add(new StoreView.Part(id, number, null, blocks, table.get(number).events()));
    }
  }

  /// Most of the partitions of a segment: what hides a few does not make thousands of parts.
  private static StoreView.Part several(
      long id, List<Integer> numbers, PartitionTable table, SegmentIndexes indexes) {
    BitSet several = new BitSet(table.size());
    int blocks = 0;
    long events = 0;
    for (int number : numbers) {
      several.set(number);
      blocks += indexes.get(number).blocks;
      events += table.get(number).events();
    }
    return new StoreView.Part(id, -1, several, blocks, events);
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
          Scan kept = view.kept(row.key, of);
          cursors.addAll(open.open(row, kept, kept.filter(), view.readers().searchers()));
        }
      }
    }
    return cursors.isEmpty() ? null : new ChainCursor(cursors);
  }

  @Override
  public void read(
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
      values.read(file, indexes.get(part.partition()), block, wanted, visitor);
      return;
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
    values.read(file, index, block - partitionFirst, wanted, visitor);
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
