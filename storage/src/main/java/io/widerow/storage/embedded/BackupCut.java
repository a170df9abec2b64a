package io.widerow.storage.embedded;

import java.util.List;

/// A moment to which a store can be restored: its groups up to these LSNs are everything that was
/// acknowledged before it and, for each event, everything that was acknowledged before that event.
///
/// @param nanos the wall clock just before, nanoseconds since the Unix epoch
/// @param changes count of the changes that no journal has; a state of the segments can be replayed
///   up to this cut only if it has the same
/// @param lsns the last committed LSN of each lane, then of the tables; [#NONE] without tables
public record BackupCut(long nanos, long changes, List<Long> lsns) {
  /// In place of the LSN of a journal that does not exist.
  public static final long NONE = -1;

  public BackupCut {
    lsns = List.copyOf(lsns);
  }

  /// Whether frames can be replayed up to it over files that have everything up to some LSNs.
  ///
  /// @param changesThere count of the changes that the files have and no journal has
  /// @param sealed by lane, then of the tables
  public boolean follows(long changesThere, List<Long> sealed) {
    boolean hasTables = lsns.getLast() != NONE;
    return changes == changesThere
        && hasTables == (sealed.getLast() != NONE)
        && new BackupCut(nanos, changes, sealed).isIn(lsns);
  }

  /// Whether every group of this one is in another one too.
  public boolean isIn(List<Long> others) {
    for (int i = 0; i < lsns.size(); i++) {
      if (lsns.get(i) > others.get(i)) {
        return false;
      }
    }
    return true;
  }
}
