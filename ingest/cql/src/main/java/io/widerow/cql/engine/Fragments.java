package io.widerow.cql.engine;

import io.widerow.cql.fragment.Keys;
import io.widerow.cql.fragment.RowMerge;
import java.lang.foreign.MemorySegment;

/// The fragments of one source, a memtable or a file, key by key in one direction.
///
/// - Threads: one.
abstract class Fragments implements AutoCloseable {
  MemorySegment memory = MemorySegment.NULL; // of the present key
  long keyAt;
  int keyBytes;
  int partition;

  /// Moves to the next key. Fragments added to a merge are not valid afterwards.
  abstract boolean next();

  /// Adds what the source has about the present key.
  abstract void addTo(RowMerge merge);

  @Override
  public void close() {}

  /// Compares the present keys of two sources.
  int compareKey(Fragments other) {
    return Keys.compare(memory, keyAt, keyBytes, other.memory, other.keyAt, other.keyBytes);
  }
}
