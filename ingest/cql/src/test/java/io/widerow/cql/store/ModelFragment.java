package io.widerow.cql.store;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What one write says about one key.
final class ModelFragment {
  /// Deletion of a range of the partition.
  static final class Range {
    final byte[] from;
    final byte[] until; // the key behind the greatest
    final long timestamp;

    Range(byte[] from, byte[] until, long timestamp) {
      this.from = from;
      this.until = until;
      this.timestamp = timestamp;
    }

    boolean holds(byte[] key) {
      return Arrays.compareUnsigned(from, key) <= 0 && Arrays.compareUnsigned(key, until) < 0;
    }
  }

  final byte[] key;
  final int partition;
  final List<Long> rowDeletions = new ArrayList<>();
  final List<Long> partitionDeletions = new ArrayList<>();
  final List<Range> ranges = new ArrayList<>();
  final Map<Integer, Long> columnDeletions = new TreeMap<>();
  final Map<ModelCell.Name, ModelCell> cells = new TreeMap<>(ModelCell.Name.ORDER);
  @Nullable ModelCell liveness;

  ModelFragment(byte[] key, int partition) {
    this.key = key;
    this.partition = partition;
  }

  boolean isHeader() {
    return key[partition] == 0;
  }

  void live(ModelCell told) {
    liveness = liveness == null ? told : liveness.or(told);
  }

  void cell(int column, byte @Nullable [] path, ModelCell told) {
    byte[] kept = path == null ? null : path.clone();
    cells.merge(new ModelCell.Name(column, kept), told, ModelCell::or);
  }
}
