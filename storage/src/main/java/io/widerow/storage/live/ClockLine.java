package io.widerow.storage.live;

import org.jspecify.annotations.Nullable;

/// The expected reading of the wall clock, by the time since it was last right: a line through its
/// last right reading. A reading near the line is right and moves the line. One far from it is a
/// jump. A jump counts once the clock has kept pace with elapsed time for a while.
///
/// ```
///   wall          x x x   jump: kept apart from the line until it is confirmed
///    |
///    |      x x x - - -   the line goes on by elapsed time
///    |x x x
///    +--------------- elapsed
/// ```
///
/// All values are nanoseconds.
///
/// - Threads: one changes it at a time; any may read.
final class ClockLine {
  /// The largest distance of a right reading from the line at once.
  static final long NEAR_NANOS = 10_000_000_000L;

  /// The drift of two clocks: 1 ns in this many.
  private static final long DRIFT_IN = 1_000;

  private record Point(long wall, long elapsed) {
    long at(long laterElapsed) {
      return wall + (laterElapsed - elapsed);
    }

    boolean isNear(long laterWall, long laterElapsed) {
      return Math.abs(laterWall - at(laterElapsed)) <= slack(laterElapsed);
    }

    long slack(long laterElapsed) {
      return NEAR_NANOS + Math.max(0, laterElapsed - elapsed) / DRIFT_IN;
    }
  }

  private record Jump(Point first, long confirmAt) {}

  private volatile Point last = new Point(0, 0);
  private volatile @Nullable Jump jump;

  /// The time that the wall clock should show.
  long at(long elapsed) {
    return last.at(elapsed);
  }

  /// True when a reading is later than the line allows.
  boolean isAhead(long wall, long elapsed) {
    Point line = last;
    return wall - line.at(elapsed) > line.slack(elapsed);
  }

  boolean isNear(long wall, long elapsed) {
    return last.isNear(wall, elapsed);
  }

  /// True when a reading continues from the jump that is being confirmed.
  boolean isOnJump(long wall, long elapsed) {
    Jump known = jump;
    return known != null && known.first.isNear(wall, elapsed);
  }

  /// Makes a reading right.
  void accept(long wall, long elapsed) {
    last = new Point(wall, elapsed);
    jump = null;
  }

  /// Makes a reading a jump.
  ///
  /// @param confirm how long the clock must keep pace until it counts
  void doubt(long wall, long elapsed, long confirm) {
    jump = new Jump(new Point(wall, elapsed), elapsed + confirm);
  }

  /// Takes a reading in.
  ///
  /// @param confirm for a jump that begins with this reading
  /// @return true when a jump was confirmed by it
  boolean observe(long wall, long elapsed, long confirm) {
    if (isNear(wall, elapsed)) {
      accept(wall, elapsed);
      return false;
    }
    Jump known = jump;
    if (known == null || !isOnJump(wall, elapsed)) {
      doubt(wall, elapsed, confirm);
      return false;
    }
    if (elapsed < known.confirmAt) {
      return false;
    }
    accept(wall, elapsed);
    return true;
  }

  /// The time for which the clock must keep pace until the present jump counts.
  long unconfirmed(long elapsed) {
    Jump known = jump;
    return known == null ? 0 : Math.max(0, known.confirmAt - elapsed);
  }
}
