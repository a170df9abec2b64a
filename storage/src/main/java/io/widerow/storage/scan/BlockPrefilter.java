package io.widerow.storage.scan;

import io.widerow.event.LevelAttribute;
import io.widerow.storage.Filter;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.disk.ReadDeadline;
import io.widerow.storage.segment.BlockDirectory;
import io.widerow.storage.segment.BlockPruner;
import io.widerow.storage.segment.BlockReader;
import io.widerow.storage.segment.BlockSearch;
import io.widerow.storage.segment.GroupFilter;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentIndex;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/// Prefilter of one block: it evaluates a scan on the block before any event is visited. It finds
/// whether the filter keeps anything, and which rows it may keep.
///
/// - Threads: one at a time.
/// - Memory: its reader's, which it does not own.
final class BlockPrefilter {
  private final BlockReader reader;
  private final BlockPruner pruner;
  private final BlockSearch search;
  private final Scan scan;
  private final boolean ofLevels; // the projection has all attributes that levels are read from

  /// When [#left] may test tokens and the whole filter does not; otherwise null.
  private final @Nullable TokenGroups tokens;

  private BlockPruner.Verdict verdict = BlockPruner.Verdict.NOTHING;
  private Filter left;
  private @Nullable BitSet candidates;
  private boolean searched;
  private @Nullable StorageException damage; // met by lookThrough
  private volatile long heldBytes; // read by other threads

  /// @param reader of blocks of the segment
  BlockPrefilter(Segment segment, BlockReader reader, Scan scan, ReadDeadline deadline) {
    this.reader = reader;
    boolean tells =
        segment.groups().groups > 0
            && !GroupFilter.isAsked(scan.filter())
            && mayTest(scan.filter());
    this.tokens = tells ? new TokenGroups(segment, deadline, () -> {}) : null;
    this.pruner = new BlockPruner(reader.directory());
    this.search = new BlockSearch(reader);
    this.scan = scan;
    this.ofLevels = scan.columns() != null && scan.columns().containsAll(LevelAttribute.READ);
    this.left = scan.filter();
  }

  /// Opens a block and drops the previous one.
  void look(SegmentIndex index, int block) {
    candidates = null;
    searched = false;
    damage = null;
    reader.open(index, block);
    Filter filter = scan.filter();
    verdict = pruner.verdict(filter);
    left = filter;
    if (verdict == BlockPruner.Verdict.SOMETHING) {
      left = pruner.left(filter);
      if (tokens != null
          && GroupFilter.isAsked(left)
          && !tokens.mayKeep(index.blocksBefore + block, left)) {
        verdict = BlockPruner.Verdict.NOTHING;
      }
    }
  }

  /// True when the part of a filter that a block leaves undecided may test tokens, although the
  /// whole filter does not: `body contains "x" or not exists body`, where each event has a body.
  private static boolean mayTest(Filter filter) {
    return switch (filter) {
      case Filter.And(var parts) -> parts.stream().anyMatch(BlockPrefilter::mayTest);
      case Filter.Or(var parts) -> parts.stream().anyMatch(BlockPrefilter::mayTest);
      default -> GroupFilter.isAsked(filter);
    };
  }

  /// Like [#look], and also decodes everything that filtering the block needs. Damage is kept for
  /// [#requireLookedThrough].
  void lookThrough(SegmentIndex index, int block) {
    try {
      look(index, block);
      if (verdict == BlockPruner.Verdict.SOMETHING) {
        reader.readIds();
        BitSet _ = candidates();
      }
    } catch (StorageException.Corrupt | StorageException.Unreachable damaged) {
      damage = damaged;
    }
    heldBytes = ownBytes();
  }

  /// @throws StorageException.Corrupt when [#lookThrough] has met damage
  void requireLookedThrough() {
    StorageException met = damage;
    if (met != null) {
      throw met;
    }
  }

  /// Reads the columns of the scan's projection. Where each row has an attribute that may be its
  /// level, texts that are in the projection for the level alone are checked, and decoded only when
  /// a row's text is requested. So the scan meets all damage, and not the caller that looks at an
  /// event.
  void readColumns() {
    BlockDirectory directory = reader.directory();
    boolean withoutTexts = ofLevels && LevelAttribute.isEverywhere(directory::isEverywhere);
    for (int i = 0; i < directory.columns; i++) {
      if (!scan.shows(directory.names[i])) {
        continue;
      }
      if (withoutTexts && LevelAttribute.TEXTS.contains(directory.names[i])) {
        reader.check(i);
      } else {
        reader.column(i);
      }
    }
  }

  BlockReader reader() {
    return reader;
  }

  BlockPruner.Verdict verdict() {
    return verdict;
  }

  /// The part of the filter that the block leaves undecided, to be tested on its events.
  Filter left() {
    return left;
  }

  /// What the block leaves undecided of another filter; null when that keeps nothing.
  @Nullable Filter leftOf(Filter other) {
    return switch (pruner.verdict(other)) {
      case NOTHING -> null;
      case SOMETHING -> pruner.left(other);
      case EVERYTHING -> new Filter.Everything();
    };
  }

  /// The rows of the block that the filter may keep; null when it may keep any.
  @Nullable BitSet candidates() {
    if (!searched) {
      candidates = search.rows(left);
      searched = true;
    }
    return candidates;
  }

  /// Bytes held now.
  long ownBytes() {
    return reader.heldBytes() + search.heldBytes();
  }

  /// Bytes held after the last [#lookThrough]. Called by any thread.
  long heldBytes() {
    return heldBytes;
  }
}
