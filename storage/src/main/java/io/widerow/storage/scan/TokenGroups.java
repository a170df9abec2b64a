package io.widerow.storage.scan;

import io.widerow.storage.Filter;
import io.widerow.storage.StorageException;
import io.widerow.storage.disk.ReadDeadline;
import io.widerow.storage.segment.GroupFilter;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentGroups;

/// Selects, by the token filters of a segment's groups, the blocks that may have events of a
/// filter. The result for a group is kept until another group, or another filter, is asked.
///
/// - Threads: one at a time.
/// - Memory: a page of a [GroupFilter].
final class TokenGroups {
  private final Segment segment;
  private final SegmentGroups groups;
  private final GroupFilter tokens;
  private final Runnable asking;
  private int group = -1; // asked last
  private Filter asked = new Filter.Everything();
  private long kept; // of its blocks

  /// @param asking runs before a group is asked
  TokenGroups(Segment segment, ReadDeadline deadline, Runnable asking) {
    this.segment = segment;
    this.groups = segment.groups();
    this.tokens = segment.groupFilter(deadline);
    this.asking = asking;
  }

  /// True when a filter tests tokens, and a segment has filters of them.
  static boolean tell(Segment segment, Filter filter) {
    return segment.groups().groups > 0 && GroupFilter.isAsked(filter);
  }

  /// False when a filter keeps no event of a block.
  ///
  /// @param number of the block in its segment
  boolean mayKeep(int number, Filter filter) {
    int its = groups.groupOf(number);
    if (its != group || !filter.equals(asked)) {
      asking.run();
      group = its;
      asked = filter;
      kept = ask(its, filter);
    }
    return (kept >>> (number - groups.firstBlock(its)) & 1) != 0;
  }

  /// A damaged filter rules nothing out, because the blocks themselves can be read. Nor does one
  /// that is out of reach.
  private long ask(int its, Filter filter) {
    try {
      return tokens.mayKeep(its, filter);
    } catch (StorageException.Corrupt damaged) {
      segment.filterDamaged(damaged);
      return -1;
    } catch (StorageException.Unreachable _) {
      return -1; // the blocks are just as far away, and say so
    }
  }

  /// Bytes read so far.
  long bytesRead() {
    return tokens.bytesRead();
  }
}
