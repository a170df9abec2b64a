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

/// Prefilter for one piece of a run: it evaluates a filter on the piece's entries and remembers
/// which it keeps. It copies texts out of native memory before searching them, which takes at most
/// two thirds of the time of the filter's own search there (`RunPrefilterBench`).
///
/// - Threads: one at a time.
/// - Memory: borrows the rows' memory. Keeps a buffer of at most [#TEXT_BYTES_MAX] that no query
///   budget counts, though each run of each partition may have a prefilter.
final class RunPrefilter extends FilterSearch {
  /// The filter itself searches longer texts.
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

  /// Evaluates the filter on the entries `[newFirst, newLimit)` and forgets the previous piece.
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

  /// The first kept entry at or after `entry`; negative when there is none.
  int next(int entry) {
    int row = kept.nextSetBit(entry - first);
    return row < 0 ? row : first + row;
  }

  /// The last kept entry at or before `entry`; negative when there is none.
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
