package io.widerow.storage.scan;

import io.widerow.event.AttributeName;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.StorageException;
import io.widerow.storage.segment.BlockDirectory;
import io.widerow.storage.segment.BlockReader;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentIndex;
import io.widerow.storage.segment.SegmentIndexes;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/// The names of the attributes in segments and in partitions of segments, from the directories of
/// their blocks. Segments never change, so the names are cached, and the most recently requested
/// ones stay. A reader that reads the blocks of a segment for another reason adds the names as
/// well.
///
/// - Threads: any.
/// - Memory: at most [#NAMES_MAX] names and places, about six megabytes.
final class SegmentNames {
  static final int NAMES_MAX = 100_000;

  /// Instead of a number of blocks: all partitions of a segment.
  private static final int ALL = -1;

  private static final Names NONE = new Names(Set.of(), 0, 1);

  private final Map<Place, Names> known =
      new LinkedHashMap<>(16, 0.75f, true); // guarded by this, as is the rest
  private Set<AttributeName> last = Set.of();
  private int weight;

  /// A partition of a segment, or all of them.
  private record Place(long segmentId, int blocksBefore) {}

  /// The names in the first blocks of a place. Partitions that are alike share them.
  ///
  /// @param weight the place, and its names unless they are those of the place before
  private record Names(Set<AttributeName> names, int blocks, int weight) {}

  /// The names in a partition.
  ///
  /// @param watch notified of each block that is opened
  Set<AttributeName> of(
      Segment segment, SegmentIndex index, BlockReaders readers, ScanWatch watch) {
    Place place = new Place(segment.segmentId(), index.blocksBefore);
    Names found = get(place);
    if (found.blocks < index.blocks) {
      Set<AttributeName> names = new HashSet<>();
      read(segment, index, 0, names, readers, watch);
      return put(place, names, index.blocks);
    }
    return found.names;
  }

  /// The names in all partitions of a segment.
  ///
  /// @param watch notified of each block that is opened
  Set<AttributeName> ofAll(Segment segment, BlockReaders readers, ScanWatch watch) {
    SegmentIndexes indexes = segment.indexes();
    int blocks = indexes.getLast().blocksBefore + indexes.getLast().blocks;
    Place place = new Place(segment.segmentId(), ALL);
    Names found = get(place);
    if (found.blocks < blocks) {
      Set<AttributeName> names = new HashSet<>(found.names);
      for (SegmentIndex index : indexes) {
        int from = Math.max(0, found.blocks - index.blocksBefore);
        if (from < index.blocks) {
          read(segment, index, from, names, readers, watch);
        }
      }
      return put(place, names, blocks);
    }
    return found.names;
  }

  /// Adds the names of a block that a reader has read. They count only when the block follows the
  /// blocks whose names are known.
  ///
  /// @param block its number in the segment, from 0
  synchronized void tell(Segment segment, int block, BlockDirectory directory) {
    Place place = new Place(segment.segmentId(), ALL);
    Names before = get(place);
    if (before.blocks == block) {
      Set<AttributeName> names = new HashSet<>(before.names);
      boolean more = names.addAll(Arrays.asList(directory.names).subList(0, directory.columns));
      var _ = put(place, more ? names : before.names, block + 1);
    }
  }

  private synchronized Names get(Place place) {
    return known.getOrDefault(place, NONE);
  }

  private synchronized Set<AttributeName> put(Place place, Set<AttributeName> found, int blocks) {
    boolean shared = found.equals(last);
    if (!shared) {
      last = Set.copyOf(found);
    }
    Names now = new Names(last, blocks, shared ? 1 : 1 + last.size());
    Names before = known.put(place, now);
    weight += now.weight - (before == null ? 0 : before.weight);
    Iterator<Names> oldest = known.values().iterator();
    while (weight > NAMES_MAX && oldest.hasNext()) {
      weight -= oldest.next().weight;
      oldest.remove();
    }
    return now.names;
  }

  /// @param from the first block to read
  private static void read(
      Segment segment,
      SegmentIndex index,
      int from,
      Set<AttributeName> found,
      BlockReaders readers,
      ScanWatch watch) {
    BlockReader reader = readers.take(segment);
    int block = from;
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
  }
}
