package io.widerow.storage.segment;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.widerow.event.EventId;
import io.widerow.event.PartitionKey;
import io.widerow.event.Utf8;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.RandomAccess;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Table of a segment's partitions in ascending key order, in native memory. A store has a
/// partition for each hour, type and shard, and keeps all of them in memory while it is open.
///
/// ```
///   a record, 7 longs:
///   bucketMinutes, widthMinutes | number of the type, shard | events, ownIds |
///   time and tail of the least id | time and tail of the greatest id
///   types:  the names, each once, in the order of UTF-8
/// ```
///
/// - Threads: any; immutable.
/// - Memory: 56 bytes a partition, and up to 16 a type once a table of many types was searched,
///   until the table is unreachable.
public final class PartitionTable extends AbstractList<SegmentSummary.Partition>
    implements RandomAccess {
  private static final int LONGS = 7;
  private static final int SHIFT = 32;

  /// Number of types from which a table is searched by hash.
  private static final int TYPES_MANY = 64;

  private final String[] types;
  private final MemorySegment records;
  private final int count;
  private volatile int @Nullable [] hashed; // made by the first search

  private PartitionTable(String[] types, long[] records) {
    this.types = types;
    this.count = records.length / LONGS;
    MemorySegment copy = Arena.ofAuto().allocate(records.length * 8L, Long.BYTES);
    MemorySegment.copy(records, 0, copy, JAVA_LONG, 0, records.length);
    this.records = copy.asReadOnly();
  }

  /// @throws IllegalArgumentException when keys do not ascend, or a number of events is not
  ///   positive
  public static PartitionTable of(Collection<SegmentSummary.Partition> partitions) {
    if (partitions instanceof PartitionTable table) {
      return table;
    }
    String[] types = typesOf(partitions);
    long[] records = new long[LONGS * partitions.size()];
    int at = 0;
    int type = 0;
    PartitionKey before = null;
    for (SegmentSummary.Partition partition : partitions) {
      PartitionKey key = partition.key();
      if (!key.type().equals(types[type])) { // else it is the type of the previous shard
        type = numberOf(types, key.type());
      }
      if (before != null && before.compareTo(key) >= 0) {
        throw new IllegalArgumentException("partition %s after %s".formatted(key, before));
      }
      if (partition.events() < 0 || partition.events() > Long.MAX_VALUE >> 1) {
        throw new IllegalArgumentException("%s: %d events".formatted(key, partition.events()));
      }
      before = key;
      records[at++] = bucketWord(key);
      records[at++] = placeWord(type, key.shard());
      records[at++] = partition.events() << 1 | (partition.ownIds() ? 1 : 0);
      records[at++] = partition.least().time();
      records[at++] = partition.least().tail();
      records[at++] = partition.greatest().time();
      records[at++] = partition.greatest().tail();
    }
    return new PartitionTable(types, records);
  }

  /// Distinct type names in order. Tables of thousands of segments share the strings.
  private static String[] typesOf(Collection<SegmentSummary.Partition> partitions) {
    List<String> inTurn = new ArrayList<>();
    for (SegmentSummary.Partition partition : partitions) {
      String type = partition.key().type();
      if (inTurn.isEmpty() || !inTurn.getLast().equals(type)) {
        inTurn.add(type);
      }
    }
    TreeSet<String> names = new TreeSet<>(Utf8::compare);
    names.addAll(inTurn);
    return names.stream().map(String::intern).toArray(String[]::new);
  }

  private static long bucketWord(PartitionKey key) {
    return (long) key.bucketMinutes() << SHIFT | key.widthMinutes();
  }

  private static long placeWord(int type, int shard) {
    return (long) type << SHIFT | shard;
  }

  private static int numberOf(String[] types, String type) {
    return Arrays.binarySearch(types, type, Utf8::compare);
  }

  /// Number of a type; negative when absent. A query of all types calls this for each of them in
  /// each segment, so tables of many types are searched by hash.
  private int numberOf(String type) {
    if (types.length < TYPES_MANY) {
      return numberOf(types, type);
    }
    int[] table = hashed;
    if (table == null) {
      table = hashed(types);
      hashed = table;
    }
    int mask = table.length - 1;
    for (int at = place(type, mask); table[at] != 0; at = (at + 1) & mask) {
      int number = table[at] - 1;
      if (types[number].equals(type)) {
        return number;
      }
    }
    return -1;
  }

  /// Numbers of the types, plus one, open-addressed by hash; 0 for a free place.
  private static int[] hashed(String[] types) {
    int[] table = new int[Integer.highestOneBit(types.length) * 4];
    int mask = table.length - 1;
    for (int number = 0; number < types.length; number++) {
      int at = place(types[number], mask);
      while (table[at] != 0) {
        at = (at + 1) & mask;
      }
      table[at] = number + 1;
    }
    return table;
  }

  private static int place(String type, int mask) {
    int hash = type.hashCode();
    return (hash ^ hash >>> 16) & mask;
  }

  private long word(int partition, int word) {
    return records.get(JAVA_LONG, 8L * (LONGS * (long) partition + word));
  }

  @Override
  public int size() {
    return count;
  }

  /// The distinct type names.
  public List<String> types() {
    return List.of(types);
  }

  PartitionKey key(int partition) {
    long bucket = word(partition, 0);
    long place = word(partition, 1);
    return new PartitionKey(
        (int) (bucket >> SHIFT), (int) bucket, types[(int) (place >> SHIFT)], (int) place);
  }

  @Override
  public SegmentSummary.Partition get(int partition) {
    if (partition < 0 || partition >= count) {
      throw new IndexOutOfBoundsException("partition %d of %d".formatted(partition, count));
    }
    long events = word(partition, 2);
    return new SegmentSummary.Partition(
        key(partition),
        events >>> 1,
        new EventId(word(partition, 3), word(partition, 4)),
        new EventId(word(partition, 5), word(partition, 6)),
        (events & 1) != 0);
  }

  /// The number of events of a partition.
  public long events(int partition) {
    return word(partition, 2) >>> 1;
  }

  /// The number of a partition; negative when absent.
  public int find(PartitionKey key) {
    int type = numberOf(key.type());
    if (type < 0) {
      return -1;
    }
    long bucket = bucketWord(key);
    long place = placeWord(type, key.shard());
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      int order = Long.compare(word(middle, 0), bucket);
      if (order == 0) {
        order = Long.compare(word(middle, 1), place);
      }
      if (order == 0) {
        return middle;
      }
      low = order < 0 ? middle + 1 : low;
      high = order < 0 ? high : middle;
    }
    return -1;
  }

  /// Hands over the partitions of types in ascending key order. Each type is tested once.
  public void forEach(Predicate<String> wanted, Consumer<SegmentSummary.Partition> each) {
    BitSet numbers = new BitSet(types.length);
    for (int number = 0; number < types.length; number++) {
      numbers.set(number, wanted.test(types[number]));
    }
    for (int partition = 0; partition < count && !numbers.isEmpty(); partition++) {
      if (numbers.get((int) (word(partition, 1) >> SHIFT))) {
        each.accept(get(partition));
      }
    }
  }

  /// The entry of a partition; null when absent.
  public SegmentSummary.@Nullable Partition of(PartitionKey key) {
    int found = find(key);
    return found < 0 ? null : get(found);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof PartitionTable table
        ? Arrays.equals(types, table.types) && records.mismatch(table.records) < 0
        : super.equals(other);
  }

  @Override
  public int hashCode() {
    return super.hashCode();
  }
}
