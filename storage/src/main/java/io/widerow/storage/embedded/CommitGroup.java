package io.widerow.storage.embedded;

import io.widerow.storage.StorageException;
import io.widerow.storage.journal.GroupNotes;
import io.widerow.storage.journal.JournalFrame;
import org.jspecify.annotations.Nullable;

/// The state of the group that a lane builds between two commits: the position of its records in
/// the open rows, the number of records that frames of the journal hold already, and its notes. It
/// reads and writes no record.
///
/// ```
///   rows   | committed, dropped | in frames | next frame |
///                               ^ from      ^ frameFrom  ^ limit of the rows
///
///            took         framed                      framed, ends       committed
///   empty ---------> open -------> open, with frames -------------> whole ---------> empty
///                     |                   |
///                     +-------------------+--- drop ---> dropped, until the caller commits
/// ```
///
/// Frames of a group that is dropped or restarted never get an end: the next frame is marked as the
/// start of a group. The records of a dropped group stay in the rows, above the watermark. So these
/// rows are sealed without them, and the lane continues in other rows.
///
/// - Threads: the lane's.
final class CommitGroup {
  /// Its notes.
  final GroupNotes notes = new GroupNotes();

  private long from; // start of its records in the rows
  private long frameFrom; // start of its records that no frame has yet
  private int frameEvents; // from there on
  private boolean hasFrames;
  private long events;
  private long bytes;
  private boolean leftRecords; // the rows hold records of a dropped group
  private StorageException.@Nullable DiskFull dropped; // the caller still has to commit

  /// True when there is nothing to commit.
  boolean isEmpty() {
    return events == 0 && notes.isEmpty();
  }

  /// Start of its records in the rows.
  long from() {
    return from;
  }

  /// Start of its records that no frame has yet.
  long frameFrom() {
    return frameFrom;
  }

  /// Its events that no frame has yet.
  int frameEvents() {
    return frameEvents;
  }

  long events() {
    return events;
  }

  /// Bytes of its records.
  long bytes() {
    return bytes;
  }

  /// True when the rows hold records of a dropped group: the lane publishes nothing more of them.
  boolean leftRecords() {
    return leftRecords;
  }

  /// The cause of a drop that the caller has not committed since; until then no event is taken.
  StorageException.@Nullable DiskFull dropped() {
    return dropped;
  }

  /// A record was added to the rows.
  void took(int length) {
    frameEvents++;
    events++;
    bytes += length;
  }

  /// Flags of its next frame.
  int flags(boolean ends) {
    return (ends ? JournalFrame.ENDS_GROUP : 0) | (hasFrames ? 0 : JournalFrame.STARTS_GROUP);
  }

  /// The journal has its records up to a limit.
  void framed(long limit, boolean ends) {
    hasFrames = !ends;
    frameFrom = limit;
    frameEvents = 0;
  }

  /// Its records, if any, lie at the start of other rows now.
  void moved() {
    frameFrom = Math.max(frameFrom, from) - from;
    from = 0;
    leftRecords = false;
  }

  /// Its frames do not count: its records are taken once more. It keeps its notes.
  void restart() {
    frameFrom = from;
    frameEvents = 0;
    hasFrames = false;
    events = 0;
    bytes = 0;
    notes.restart();
  }

  /// Drops the records of a restarted group, which ends before a batch that does not fit.
  void leaveRecords(long limit) {
    leftRecords = limit > from;
    from = limit;
    frameFrom = limit;
  }

  /// Drops the group.
  ///
  /// @param why refuses events until the caller commits; null when nothing of the group was
  ///   accepted, or when the commit failed
  void drop(long limit, StorageException.@Nullable DiskFull why) {
    restart();
    notes.clear();
    leftRecords = limit > 0;
    from = limit;
    frameFrom = limit;
    dropped = why;
  }

  /// Begins the next group: readers see this one.
  void committed(long limit) {
    from = limit;
    events = 0;
    bytes = 0;
  }
}
