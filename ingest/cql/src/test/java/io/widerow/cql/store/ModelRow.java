package io.widerow.cql.store;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The live content of a row at an instant.
///
/// @param isLive true when the row itself is live
/// @param liveExpiry time from which it is not live, when it is live
/// @param cells the live cells
record ModelRow(boolean isLive, long liveExpiry, TreeMap<ModelCell.Name, ModelCell> cells) {
  /// Merges the fragments of a row.
  ///
  /// @param header the fragments of the header of its partition
  static ModelRow of(List<ModelFragment> fragments, List<ModelFragment> header, long nowSeconds) {
    boolean isHeader = fragments.getFirst().isHeader();
    byte[] key = fragments.getFirst().key;
    long deleted = Long.MIN_VALUE;
    for (ModelFragment fragment : header) {
      for (long timestamp : fragment.partitionDeletions) {
        deleted = Math.max(deleted, timestamp);
      }
      for (ModelFragment.Range range : fragment.ranges) {
        if (!isHeader && range.holds(key)) {
          deleted = Math.max(deleted, range.timestamp);
        }
      }
    }
    Map<Integer, Long> columns = new TreeMap<>();
    Map<ModelCell.Name, ModelCell> merged = new TreeMap<>(ModelCell.Name.ORDER);
    ModelCell liveness = null;
    for (ModelFragment fragment : fragments) {
      for (long timestamp : fragment.rowDeletions) {
        deleted = Math.max(deleted, timestamp);
      }
      fragment.columnDeletions.forEach((column, at) -> columns.merge(column, at, Math::max));
      fragment.cells.forEach((name, cell) -> merged.merge(name, cell, ModelCell::or));
      ModelCell told = fragment.liveness;
      if (told != null) {
        liveness = liveness == null ? told : liveness.or(told);
      }
    }
    TreeMap<ModelCell.Name, ModelCell> live = new TreeMap<>(ModelCell.Name.ORDER);
    for (Map.Entry<ModelCell.Name, ModelCell> cell : merged.entrySet()) {
      long hidden = columns.getOrDefault(cell.getKey().column, Long.MIN_VALUE);
      if (isShown(cell.getValue(), Math.max(hidden, deleted), nowSeconds)) {
        live.put(cell.getKey(), cell.getValue());
      }
    }
    long expiry = liveness == null ? Long.MAX_VALUE : liveness.expiry;
    return new ModelRow(isShown(liveness, deleted, nowSeconds), expiry, live);
  }

  /// @param deleted the latest deletion of it; [Long#MIN_VALUE] for none
  private static boolean isShown(@Nullable ModelCell cell, long deleted, long nowSeconds) {
    return cell != null
        && (cell.timestamp > deleted || deleted == Long.MIN_VALUE)
        && cell.isLive(nowSeconds);
  }

  boolean exists() {
    return isLive || !cells.isEmpty();
  }
}
