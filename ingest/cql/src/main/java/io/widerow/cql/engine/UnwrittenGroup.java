package io.widerow.cql.engine;

import io.widerow.cql.fragment.FragmentEncoder;
import io.widerow.cql.fragment.Keys;
import io.widerow.cql.fragment.MutationGroup;
import io.widerow.cql.fragment.RowMerge;
import io.widerow.storage.journal.MutationRecord;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.IntPredicate;

/// The records of a group that is in no memory yet, in the order of their keys. Records that are
/// added to the group later are not in it.
///
/// - Threads: the one that writes.
/// - Memory: bytes of the group, until that is cleared.
final class UnwrittenGroup {
  private static final Path PLACE = Path.of("memory");

  private final MemorySegment records;
  private final int[] sorted; // where the records begin
  private final boolean hidesRows;

  /// @param group that was ended
  UnwrittenGroup(MutationGroup group) {
    this.records = group.records();
    Integer[] starts = new Integer[group.count()];
    boolean hides = false;
    for (int i = 0; i < starts.length; i++) {
      int start = i == 0 ? 0 : group.limit(i - 1);
      starts[i] = start;
      byte flags = records.get(ValueLayout.JAVA_BYTE, fragmentAt(start));
      hides |= (flags & FragmentEncoder.HIDES_ROWS) != 0;
    }
    Arrays.sort(starts, this::compare);
    this.sorted = Arrays.stream(starts).mapToInt(Integer::intValue).toArray();
    this.hidesRows = hides;
  }

  private int compare(int one, int other) {
    return Keys.compare(
        records,
        keyAt(one),
        MutationRecord.keyBytes(records, one),
        records,
        keyAt(other),
        MutationRecord.keyBytes(records, other));
  }

  private static long keyAt(long record) {
    return record + MutationRecord.HEADER_BYTES;
  }

  private long fragmentAt(long record) {
    return keyAt(record) + MutationRecord.keyBytes(records, record);
  }

  /// True when it has deletions of partitions or ranges.
  boolean hidesRows() {
    return hidesRows;
  }

  /// Its fragments in a range of keys.
  Fragments fragments(KeyRange range, boolean descending) {
    return new Records(range, descending);
  }

  /// The number of records before the first one, in the order of keys, that meets a condition which
  /// all records after it meet.
  private int search(IntPredicate condition) {
    int low = 0;
    int high = sorted.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (condition.test(sorted[middle])) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  private int keyBytes(int record) {
    return MutationRecord.keyBytes(records, record);
  }

  /// Its keys in one direction.
  private final class Records extends Fragments {
    private final boolean descending;
    private final int first; // of the range, in the order of keys
    private final int last; // the one after its last one
    private int from; // of the records of the present key
    private int until;

    Records(KeyRange range, boolean descending) {
      this.descending = descending;
      this.first =
          search(
              record -> range.isFromStart(records, UnwrittenGroup.keyAt(record), keyBytes(record)));
      this.last =
          search(record ->
              !range.isBeforeEnd(records, UnwrittenGroup.keyAt(record), keyBytes(record)));
      this.from = descending ? last : first;
      this.until = from;
    }

    @Override
    boolean next() {
      if (descending ? from <= first : until >= last) {
        return false;
      }
      if (descending) {
        until = from;
        from--;
        while (from > first && compare(sorted[from - 1], sorted[from]) == 0) {
          from--;
        }
      } else {
        from = until;
        until++;
        while (until < last && compare(sorted[until], sorted[from]) == 0) {
          until++;
        }
      }
      stand(sorted[from]);
      return true;
    }

    private void stand(int record) {
      memory = records;
      keyAt = UnwrittenGroup.keyAt(record);
      keyBytes = MutationRecord.keyBytes(records, record);
      partition = MutationRecord.partition(records, record);
    }

    @Override
    void addTo(RowMerge merge) {
      for (int i = from; i < until; i++) {
        long at = sorted[i];
        merge.add(records, fragmentAt(at), at + MutationRecord.length(records, at), PLACE);
      }
    }
  }
}
