package io.widerow.storage.aggregate;

import io.widerow.storage.segment.Cells;
import io.widerow.storage.sketch.GroupCells;

/// Decides for each minute of a type whether its events are counted from cells of segments or one
/// by one, and adds up the cells. Cells of rollups may have longer steps; then a minute stands for
/// a step.
///
/// ```
///   minute          0      1      2      3      4
///   segment A       7      5      3 own         9 ?       ? no cells, or damaged ones
///   segment B       1             2             4
///   open row               ~~~~~~~~~~~~~
///   counted from    A + B  A,row  events row    events
/// ```
///
/// A minute of several pieces (segments and open rows) in which any event brought its own id is
/// counted from events: one may replace another. An id has its time, so no other minute is touched.
///
/// - Threads: one.
/// - Memory: 9 bytes a minute, 8 more with bytes, 8 more with the events at first nanoseconds.
public final class CellPlan {
  private static final byte OWN = 1; // an event brought its own id
  private static final byte SEVERAL = 2; // more than one piece may have events
  private static final byte ONE = 4; // a piece may have events
  private static final byte ROW = 8; // an open row may have events
  private static final byte UNKNOWN = 16; // a segment without cells may have events

  private final long first;
  private final long[] events;
  private final byte[] marks;
  private final long[] plainBytes; // empty without
  private final long[] firsts; // empty without
  private final boolean gone; // events cannot be looked at

  /// @param first the first minute
  /// @param count number of minutes
  CellPlan(long first, int count) {
    this(first, count, false, false);
  }

  /// @param withBytes true to add up the bytes of events too
  /// @param withFirsts true to count the events at the first nanoseconds of minutes apart
  CellPlan(long first, int count, boolean withBytes, boolean withFirsts) {
    this(first, count, withBytes, withFirsts, false);
  }

  private CellPlan(long first, int count, boolean withBytes, boolean withFirsts, boolean gone) {
    this.gone = gone;
    this.plainBytes = new long[withBytes ? count : 0];
    this.firsts = new long[withFirsts ? count : 0];
    this.first = first;
    this.events = new long[count];
    this.marks = new byte[count];
  }

  /// An empty plan of the same steps for aggregates whose events are gone: each id counts once.
  CellPlan ofGone() {
    return new CellPlan(first, events.length, hasBytes(), firsts.length > 0, true);
  }

  /// Steps with events that cells do not cover, of a plan whose events are gone.
  int missing() {
    int missing = 0;
    for (int at = 0; at < events.length; at++) {
      missing += isFromEvents(at) && events[at] > 0 ? 1 : 0;
    }
    return missing;
  }

  /// Memory of the plan, in bytes.
  long bytes() {
    return (Long.BYTES + 1L) * events.length
        + (long) Long.BYTES * (plainBytes.length + firsts.length);
  }

  /// Adds the cells of a segment, those of minutes before `from` excepted.
  void add(Cells cells, long from) {
    for (int cell = 0; cell < cells.size(); cell++) {
      long minute = cells.minute(cell);
      long at = minute - first;
      if (minute >= from && at >= 0 && at < events.length) {
        events[(int) at] += cells.events(cell);
        piece((int) at, cells.ownIds(cell) > 0);
        if (plainBytes.length > 0) {
          plainBytes[(int) at] += cells.bytes(cell);
        }
        if (firsts.length > 0) {
          firsts[(int) at] += cells.firsts(cell);
        }
      }
    }
  }

  /// Adds the cells of a segment's rollup, those of steps before `from` excepted.
  void add(GroupCells cells, long from) {
    for (int cell = 0; cell < cells.size(); cell++) {
      long step = cells.step(cell);
      long at = step - first;
      if (step >= from && at >= 0 && at < events.length) {
        events[(int) at] += cells.events(cell);
        piece((int) at, cells.ownIds(cell) > 0);
        marks[(int) at] |= cells.isKept(cell) ? 0 : UNKNOWN;
      }
    }
  }

  /// A segment may have events in these minutes, and has no cells of them.
  ///
  /// @param last the last one
  void addUnknown(long from, long last) {
    for (int at = index(from); at < index(last + 1); at++) {
      marks[at] |= UNKNOWN;
    }
  }

  /// An open row may have events in these minutes.
  ///
  /// @param last the last one
  void addRow(long from, long last, boolean ownIds) {
    for (int at = index(from); at < index(last + 1); at++) {
      marks[at] |= ROW;
      piece(at, ownIds);
    }
  }

  private int index(long minute) {
    return Math.clamp(minute - first, 0, events.length);
  }

  private void piece(int at, boolean ownIds) {
    marks[at] |= (byte) (((marks[at] & ONE) == 0 ? ONE : SEVERAL) | (ownIds ? OWN : 0));
  }

  /// Minutes that are known to the plan.
  int size() {
    return events.length;
  }

  /// The first minute.
  long first() {
    return first;
  }

  /// True when every event of a minute must be looked at.
  boolean isFromEvents(int at) {
    int mark = marks[at];
    return (mark & UNKNOWN) != 0 || (!gone && (mark & (OWN | SEVERAL)) == (OWN | SEVERAL));
  }

  /// True when a step is counted from cells.
  boolean isCounted(long step) {
    long at = step - first;
    return at >= 0 && at < events.length && counted((int) at) > 0;
  }

  /// Events of a minute that are counted from cells.
  long counted(int at) {
    return isFromEvents(at) ? 0 : events[at];
  }

  /// Those of them at the first nanosecond of the minute, for a plan that has them.
  long countedFirsts(int at) {
    return isFromEvents(at) ? 0 : firsts[at];
  }

  /// Bytes of the events of a minute that are counted from cells.
  long plainBytes(int at) {
    return plainBytes[at];
  }

  /// True when the plan has the bytes of events.
  boolean hasBytes() {
    return plainBytes.length > 0;
  }

  /// The number of minutes that are counted from cells.
  int cells() {
    int cells = 0;
    for (int at = 0; at < events.length; at++) {
      cells += counted(at) > 0 ? 1 : 0;
    }
    return cells;
  }

  /// In how many minutes some events, or all, are looked at.
  int minutesFromEvents() {
    int minutes = 0;
    for (int at = 0; at < events.length; at++) {
      minutes += isFromEvents(at) || (marks[at] & ROW) != 0 ? 1 : 0;
    }
    return minutes;
  }

  /// The end of the run of minutes that starts at `at` and is counted in one way.
  int runEnd(int at) {
    boolean fromEvents = isFromEvents(at);
    int end = at + 1;
    while (end < events.length && isFromEvents(end) == fromEvents) {
      end++;
    }
    return end;
  }
}
