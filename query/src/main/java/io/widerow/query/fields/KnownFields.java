package io.widerow.query.fields;

import io.widerow.storage.StoreView;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A cache of the field counts of sealed blocks. Blocks never change, so a query reads only the
/// blocks that no query has read. When a query had too little time, the next one continues.
///
/// - Threads: any.
/// - Memory: a part of the heap; the most recently used parts of segments are kept.
///   [FieldStatisticsWarmer] fills three quarters of it before the first query.
public final class KnownFields {
  private static final int HEAP_SHARE = 32;
  private static final long PART_BYTES = 1 << 10;

  private final long bytesMax;
  private final Map<StoreView.Part, Known> known =
      new LinkedHashMap<>(16, 0.75f, true); // guarded by this, as is the rest
  private long bytes;

  public KnownFields() {
    this(Runtime.getRuntime().maxMemory() / HEAP_SHARE);
  }

  /// @param bytesMax of all tables together
  KnownFields(long bytesMax) {
    this.bytesMax = bytesMax;
  }

  /// The cached counts of a part.
  ///
  /// @param table counts of its blocks, in the first column; never changed when it has all of them
  /// @param blocks number of blocks in it, counted from the first
  /// @param bytes of the table
  record Known(FieldTable table, int blocks, long bytes) {}

  /// The table of a part, all of whose blocks are in it; null when there is none.
  synchronized @Nullable FieldTable whole(StoreView.Part part) {
    Known found = known.get(part);
    return found == null || found.blocks < part.blocks() ? null : found.table;
  }

  /// Removes and returns the counts of a part of which some blocks are missing; null when there are
  /// none. The caller owns them and returns them with [#put].
  synchronized @Nullable Known take(StoreView.Part part) {
    Known found = known.get(part);
    if (found == null || found.blocks == part.blocks()) {
      return null;
    }
    remove(part);
    return found;
  }

  private void remove(StoreView.Part part) {
    Known gone = known.remove(part);
    bytes -= gone == null ? 0 : gone.bytes + PART_BYTES;
  }

  /// Those of some parts that are not whole, in their order. Changes nothing: to look is not to
  /// ask.
  synchronized List<StoreView.Part> missing(List<StoreView.Part> parts) {
    Set<StoreView.Part> whole = new HashSet<>();
    known.forEach((part, of) -> {
      if (of.blocks == part.blocks()) {
        whole.add(part);
      }
    });
    return parts.stream().filter(part -> !whole.contains(part)).toList();
  }

  /// Forgets all segments but some.
  ///
  /// @param segments their numbers
  synchronized void retain(Set<Long> segments) {
    List<StoreView.Part> gone =
        known.keySet().stream().filter(part -> !segments.contains(part.segment())).toList();
    gone.forEach(this::remove);
  }

  /// True while there is room for counts in advance.
  synchronized boolean hasRoom() {
    return bytes < bytesMax / 4 * 3;
  }

  /// Caches the counts of a part, unless the cache has more of it. Returns false when they are too
  /// large and not kept.
  synchronized boolean put(StoreView.Part part, Known of) {
    Known other = known.get(part);
    if (other != null && other.blocks >= of.blocks) {
      return true; // two have read at the same time, and the other came further
    }
    remove(part);
    if (of.bytes > bytesMax / 2) {
      return false;
    }
    known.put(part, of);
    bytes += of.bytes + PART_BYTES;
    Iterator<Known> oldest = known.values().iterator();
    while (bytes > bytesMax && oldest.hasNext()) {
      bytes -= oldest.next().bytes + PART_BYTES;
      oldest.remove();
    }
    return true;
  }
}
