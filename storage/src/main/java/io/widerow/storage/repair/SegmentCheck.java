package io.widerow.storage.repair;

import io.widerow.event.PartitionKey;
import io.widerow.storage.Damage;
import io.widerow.storage.StorageException;
import io.widerow.storage.disk.ReadDeadline;
import io.widerow.storage.scan.BlockReaders;
import io.widerow.storage.segment.BlockReader;
import io.widerow.storage.segment.CellsCheck;
import io.widerow.storage.segment.GroupFilter;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentIndex;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Result of checking a segment: all its blocks, filters and cells were read and decoded, and its
/// events counted again.
///
/// @param blocks number of all blocks
/// @param bad unreadable blocks, by partition
/// @param damage descriptions of these blocks, of unreadable filters, and of cells that are
///   unreadable or wrong
public record SegmentCheck(long blocks, Map<PartitionKey, BitSet> bad, List<Damage> damage) {
  private static final BitSet NONE = new BitSet();

  public static SegmentCheck of(Segment segment) {
    long blocks = 0;
    Map<PartitionKey, BitSet> bad = new HashMap<>();
    List<Damage> damage = new ArrayList<>();
    try (BlockReader reader = BlockReaders.NONE.take(segment)) {
      for (int number = 0; number < segment.indexes().size(); number++) {
        SegmentIndex index = segment.indexes().get(number);
        PartitionKey key = index.partition.key();
        CellsCheck counted = begin(segment, number, damage);
        for (int block = 0; block < index.blocks; block++) {
          blocks++;
          try {
            reader.verify(index, block);
            for (int column = 0; column < reader.directory().columns; column++) {
              reader.column(column);
            }
            if (counted != null) {
              counted.add(reader.ids(), index.events(block));
            }
          } catch (StorageException.Corrupt damaged) {
            bad.computeIfAbsent(key, _ -> new BitSet()).set(block);
            damage.add(damaged.damage(Damage.Kind.BLOCK, List.of(index.info(block))));
          }
        }
        if (counted != null && !bad.containsKey(key)) {
          end(counted, damage);
        }
      }
    }
    checkRollups(segment, damage);
    GroupFilter filter = segment.groupFilter(ReadDeadline.NONE);
    for (int group = 0; group < segment.groups().groups; group++) {
      try {
        filter.verify(group);
      } catch (StorageException.Corrupt damaged) {
        damage.add(damaged.damage(Damage.Kind.FILTER, List.of()));
      }
    }
    return new SegmentCheck(blocks, bad, damage);
  }

  /// Cells of rollups are compared with other cells, so with those unreadable nothing is said.
  private static void checkRollups(Segment segment, List<Damage> damage) {
    if (segment.rollups().isThere() && damage.isEmpty()) {
      try {
        CellsCheck.rollups(segment);
        RollupRecount.check(segment);
      } catch (StorageException.Corrupt damaged) {
        damage.add(damaged.damage(Damage.Kind.CELLS, List.of()));
      }
    }
  }

  /// Null when the cells of a partition are unreadable.
  private static @Nullable CellsCheck begin(Segment segment, int number, List<Damage> damage) {
    CellsCheck counted = new CellsCheck(segment);
    try {
      counted.begin(number);
      return counted;
    } catch (StorageException.Corrupt damaged) {
      damage.add(damaged.damage(Damage.Kind.CELLS, List.of()));
      return null;
    }
  }

  private static void end(CellsCheck counted, List<Damage> damage) {
    try {
      counted.end();
    } catch (StorageException.Corrupt damaged) {
      damage.add(damaged.damage(Damage.Kind.CELLS, List.of()));
    }
  }

  /// The damage that cost events.
  public List<Damage> lost() {
    return damage.stream().filter(each -> each.kind().isOfEvents()).toList();
  }

  BitSet badOf(PartitionKey key) {
    return bad.getOrDefault(key, NONE);
  }
}
