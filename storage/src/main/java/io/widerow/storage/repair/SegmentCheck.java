package io.widerow.storage.repair;

import io.widerow.event.PartitionKey;
import io.widerow.storage.Damage;
import io.widerow.storage.StorageException;
import io.widerow.storage.disk.ReadDeadline;
import io.widerow.storage.scan.BlockReaders;
import io.widerow.storage.segment.BlockReader;
import io.widerow.storage.segment.GroupFilter;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentIndex;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Result of checking a segment: all its blocks and filters were read and decoded.
///
/// @param blocks number of all blocks
/// @param bad unreadable blocks, by partition
/// @param damage descriptions of these blocks and of unreadable filters
public record SegmentCheck(long blocks, Map<PartitionKey, BitSet> bad, List<Damage> damage) {
  private static final BitSet NONE = new BitSet();

  public static SegmentCheck of(Segment segment) {
    long blocks = 0;
    Map<PartitionKey, BitSet> bad = new HashMap<>();
    List<Damage> damage = new ArrayList<>();
    try (BlockReader reader = BlockReaders.NONE.take(segment)) {
      for (SegmentIndex index : segment.indexes()) {
        PartitionKey key = index.partition.key();
        for (int block = 0; block < index.blocks; block++) {
          blocks++;
          try {
            reader.verify(index, block);
            for (int column = 0; column < reader.directory().columns; column++) {
              reader.column(column);
            }
          } catch (StorageException.Corrupt damaged) {
            bad.computeIfAbsent(key, _ -> new BitSet()).set(block);
            damage.add(damaged.damage(Damage.Kind.BLOCK, List.of(index.info(block))));
          }
        }
      }
    }
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

  /// The damage that cost events.
  public List<Damage> lost() {
    return damage.stream().filter(each -> each.kind() != Damage.Kind.FILTER).toList();
  }

  BitSet badOf(PartitionKey key) {
    return bad.getOrDefault(key, NONE);
  }
}
