package io.widerow.storage.rows;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.RecordView;
import io.widerow.storage.Filter;
import io.widerow.storage.FilterEvaluation;
import io.widerow.storage.codec.ByteSource;
import io.widerow.storage.codec.Needle;
import io.widerow.storage.cursor.FilterSearch;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;

/// Some entries of a run, and which of them a filter keeps. Texts are copied out of native memory
/// before they are searched: that takes two thirds of the time of the filter's own search there, or
/// less (`RunScoutBench`).
///
/// - Threads: one at a time.
/// - Memory: borrows that of the rows; keeps a buffer of [#TEXT_BYTES_MAX] at most, which no query
///   is charged for: there may be a prefilter for each run of each partition.
final class RunPrefilter extends FilterSearch {
  /// Longer texts are left to the filter.
  private static final int TEXT_BYTES_MAX = 1 << 13;

  private final MemorySegment memory;
  private final Run run;
  private final Filter filter;
  private final RecordView view = new RecordView();
  private final AttributeValue value = new AttributeValue();
  private byte[] text = new byte[0];
  private BitSet kept = new BitSet();
  private int first;
  private int limit;

  RunPrefilter(MemorySegment memory, Run run, Filter filter) {
    this.memory = memory;
    this.run = run;
    this.filter = filter;
  }

  /// Looks through the entries `[newFirst, newLimit)`, and forgets those before.
  void lookThrough(int newFirst, int newLimit) {
    first = newFirst;
    limit = newLimit;
    BitSet candidates = rows(filter);
    if (candidates == null) {
      candidates = new BitSet();
      candidates.set(0, limit - first);
    }
    for (int row = candidates.nextSetBit(0); row >= 0; row = candidates.nextSetBit(row + 1)) {
      view.show(memory, run.eventOffset(first + row));
      if (!FilterEvaluation.keeps(filter, view, value)) {
        candidates.clear(row);
      }
    }
    kept = candidates;
  }

  /// The first entry from `entry` on that the filter keeps; negative when there is none.
  int next(int entry) {
    int row = kept.nextSetBit(entry - first);
    return row < 0 ? row : first + row;
  }

  /// The last entry up to `entry` that the filter keeps; negative when there is none.
  int previous(int entry) {
    int row = kept.previousSetBit(entry - first);
    return row < 0 ? row : first + row;
  }

  @Override
  public BitSet holding(AttributeName name, Needle needle) {
    BitSet rows = new BitSet();
    for (int entry = first; entry < limit; entry++) {
      view.show(memory, run.eventOffset(entry));
      if (view.find(name, value)
          && value.kind() == AttributeKind.STRING
          && mayHave(value.length(), needle)) {
        rows.set(entry - first);
      }
    }
    return rows;
  }

  private boolean mayHave(int length, Needle needle) {
    int bytes = length + ByteSource.SLACK;
    if (bytes > TEXT_BYTES_MAX) {
      return true;
    }
    if (bytes > text.length) {
      text = new byte[Math.min(TEXT_BYTES_MAX, 2 * bytes)];
    }
    value.copyTo(text, 0);
    return needle.isWithin(text, 0, length);
  }
}
