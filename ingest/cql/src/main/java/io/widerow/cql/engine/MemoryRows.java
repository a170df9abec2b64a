package io.widerow.cql.engine;

import io.widerow.cql.fragment.RowMerge;
import io.widerow.storage.journal.MutationRecord;

/// The fragments of a memtable in a range of keys, as a view of an LSN sees them, from the least
/// key to the greatest.
///
/// - Threads: one; the writer may go on.
class MemoryRows extends Fragments {
  final TableMemory from;
  final KeyRange range;
  private final long lsnMost;
  long node; // the first of the present key; 0 for none
  boolean begun;

  MemoryRows(TableMemory from, KeyRange range, long lsnMost) {
    this.from = from;
    this.range = range;
    this.lsnMost = lsnMost;
  }

  @Override
  boolean next() {
    node = begun ? after() : from.find(range.from(), 0, range.fromBytes());
    begun = true;
    while (node != 0) {
      stand();
      if (!range.isBeforeEnd(memory, keyAt, keyBytes)) {
        node = 0;
      } else if (isShown()) {
        return true;
      } else {
        node = after();
      }
    }
    return false;
  }

  void stand() {
    long record = from.recordOf(node);
    memory = from.memory();
    keyAt = record + MutationRecord.HEADER_BYTES;
    keyBytes = MutationRecord.keyBytes(memory, record);
    partition = MutationRecord.partition(memory, record);
  }

  /// True when a fragment of the key is in the view.
  boolean isShown() {
    for (long at = node; at != 0 && from.isOneKey(at, node); at = from.next(at, 0)) {
      if (from.lsnOf(at) <= lsnMost) {
        return true;
      }
    }
    return false;
  }

  /// The first node of the key after the present one. A key may have very many nodes, so that only
  /// the first one after it is tried before it is searched for.
  private long after() {
    if (node == 0) {
      return 0;
    }
    long at = from.next(node, 0);
    return at == 0 || !from.isOneKey(at, node) ? at : from.findAfter(memory, keyAt, keyBytes);
  }

  @Override
  void addTo(RowMerge merge) {
    int _ = from.addTo(merge, node, lsnMost);
  }

  /// From the greatest key to the least.
  static final class Down extends MemoryRows {
    Down(TableMemory from, KeyRange range, long lsnMost) {
      super(from, range, lsnMost);
    }

    @Override
    boolean next() {
      long last =
          begun
              ? node == 0 ? 0 : from.findLast(memory, keyAt, keyBytes)
              : from.findLast(range.until(), 0, range.untilBytes());
      begun = true;
      while (last != 0) {
        node = last;
        stand();
        node = from.find(memory, keyAt, keyBytes);
        stand();
        if (!range.isFromStart(memory, keyAt, keyBytes)) {
          break;
        }
        if (isShown()) {
          return true;
        }
        last = from.findLast(memory, keyAt, keyBytes);
      }
      node = 0;
      return false;
    }
  }
}
