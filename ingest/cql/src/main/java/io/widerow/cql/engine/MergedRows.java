package io.widerow.cql.engine;

import io.widerow.cql.fragment.RowMerge;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Several sources as one: key by key, with all fragments of a key in one merge.
///
/// - Threads: one.
/// - Memory: owns the sources.
final class MergedRows implements AutoCloseable {
  private final List<Fragments> all;
  private final List<Fragments> sources; // that have a present key
  private final List<Fragments> used = new ArrayList<>(); // have to move
  private final boolean descending;
  private final RowMerge merge = new RowMerge();
  private byte[] key = new byte[64];
  private int keyBytes;
  private int partition;

  MergedRows(List<Fragments> sources, boolean descending) {
    this.all = List.copyOf(sources);
    this.sources = new ArrayList<>(sources);
    this.used.addAll(sources);
    this.descending = descending;
  }

  /// Moves to the next key and merges its fragments.
  boolean next() {
    for (Fragments source : used) {
      if (!source.next()) {
        sources.remove(source);
      }
    }
    used.clear();
    if (sources.isEmpty()) {
      return false;
    }
    used.add(sources.getFirst());
    for (int i = 1; i < sources.size(); i++) {
      Fragments source = sources.get(i);
      int order = source.compareKey(used.getFirst());
      if (order == 0) {
        used.add(source);
      } else if (descending ? order > 0 : order < 0) {
        used.clear();
        used.add(source);
      }
    }
    Fragments first = used.getFirst();
    keyBytes = first.keyBytes;
    partition = first.partition;
    if (key.length < keyBytes) {
      key = new byte[2 * keyBytes];
    }
    MemorySegment.copy(first.memory, ValueLayout.JAVA_BYTE, first.keyAt, key, 0, keyBytes);
    merge.begin();
    for (Fragments source : used) {
      source.addTo(merge);
    }
    return true;
  }

  /// The present key, in the first [#keyBytes] bytes; they change with it.
  byte[] key() {
    return key;
  }

  int keyBytes() {
    return keyBytes;
  }

  int partition() {
    return partition;
  }

  boolean isHeader() {
    return partition < keyBytes && key[partition] == 0;
  }

  /// The kind of the row is after its partition: whether it begins with the same bytes as another.
  boolean isIn(byte[] otherPartition) {
    return partition == otherPartition.length
        && Arrays.equals(key, 0, partition, otherPartition, 0, partition);
  }

  RowMerge merge() {
    return merge;
  }

  @Override
  public void close() {
    all.forEach(Fragments::close);
  }
}
