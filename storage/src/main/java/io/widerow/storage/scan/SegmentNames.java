package io.widerow.storage.scan;

import io.widerow.event.AttributeName;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.StorageException;
import io.widerow.storage.segment.BlockDirectory;
import io.widerow.storage.segment.BlockReader;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentIndex;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The names of the attributes in partitions of segments, from the directories of their blocks.
/// Segments never change, so what was read is kept, the partitions asked for last.
///
/// - Threads: any.
/// - Memory: at most [#NAMES_MAX] names, about six megabytes.
final class SegmentNames {
  static final int NAMES_MAX = 100_000;

  private final Map<Place, List<AttributeName>> known =
      new LinkedHashMap<>(16, 0.75f, true); // guarded by this, as is the rest
  private int names;

  /// A partition of a segment.
  private record Place(long segmentId, int blocksBefore) {}

  /// The names in a partition.
  ///
  /// @param watch told of each block that is opened
  List<AttributeName> of(
      Segment segment, SegmentIndex index, BlockReaders readers, ScanWatch watch) {
    Place place = new Place(segment.segmentId(), index.blocksBefore);
    List<AttributeName> found = get(place);
    if (found == null) {
      found = read(segment, index, readers, watch);
      put(place, found);
    }
    return found;
  }

  private synchronized @Nullable List<AttributeName> get(Place place) {
    return known.get(place);
  }

  private synchronized void put(Place place, List<AttributeName> found) {
    if (known.put(place, found) == null) {
      names += 1 + found.size();
    }
    Iterator<List<AttributeName>> oldest = known.values().iterator();
    while (names > NAMES_MAX && oldest.hasNext()) {
      names -= 1 + oldest.next().size();
      oldest.remove();
    }
  }

  private static List<AttributeName> read(
      Segment segment, SegmentIndex index, BlockReaders readers, ScanWatch watch) {
    Set<AttributeName> found = new TreeSet<>();
    BlockReader reader = readers.take(segment);
    int block = 0;
    try {
      AttributeName[] last = {};
      for (; block < index.blocks; block++) {
        watch.block();
        reader.open(index, block);
        BlockDirectory directory = reader.directory();
        AttributeName[] here = Arrays.copyOf(directory.names, directory.columns);
        if (!Arrays.equals(last, here)) {
          found.addAll(Arrays.asList(here));
          last = here;
        }
      }
    } catch (StorageException.Corrupt damaged) {
      throw segment.damaged(damaged, index.partition.key(), block);
    } finally {
      readers.give(reader);
    }
    return List.copyOf(found);
  }
}
