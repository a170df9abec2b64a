package io.widerow.storage;

import io.widerow.event.EventBatch;
import io.widerow.event.Rejection;
import java.time.Duration;
import java.util.function.LongConsumer;

/// The writer of one lane.
///
/// - Threads: one, the same for the writer's whole life.
public interface LaneWriter {
  /// Appends the events of a batch to the lane's current group: assigns ids and shards. The next
  /// [#commit] makes the group durable and visible. The batch may be reused at once. May block on a
  /// flush when the memory of open rows is used up.
  ///
  /// When the batch, together with the events appended since the last commit, does not fit into the
  /// memory of one set of open rows, every event of the batch is rejected with
  /// [Rejection#BATCH_TOO_LARGE]. Earlier appends of the group stay. After a commit the batch may
  /// fit.
  ///
  /// @param placement hash of the batch's key; selects one of this lane's shards. For events with
  ///   client ids the id selects the shard
  /// @param rejections called for each rejected event; the others are appended
  /// @return number of events appended
  /// @throws StorageException.Failed when the write side has ended
  /// @throws StorageException.DiskFull when there is no space. Nothing of the batch was appended,
  ///   and the events appended since the last commit are dropped; if there were any, the next
  ///   [#commit] throws this too
  int append(EventBatch batch, long placement, Rejections rejections);

  /// Commits the current group: makes everything appended so far as durable as requested, then
  /// visible. Call this about once a second even when nothing was appended: only a commit hands
  /// over rows that [EventStore#maintain] found to be old.
  ///
  /// The events appended between two commits are one group. The group is atomic: readers, and the
  /// store after a crash, show all of it or none of it.
  ///
  /// @return number of the last group with this durability; group numbers increase
  /// @throws StorageException.Failed when the group cannot be made durable. The write side has then
  ///   ended, and the events appended since the last commit are not acknowledged
  /// @throws StorageException.DiskFull when there is no space. The events and notes appended since
  ///   the last commit are dropped permanently; the lane accepts the next batch
  long commit(Durability durability);

  /// The first of the arrival numbers of the batch that was appended last: it has as many, from
  /// this one on, as it has events. They rise with the times of the events (those of a batch that
  /// spans years only roughly), and at one time with their positions in the batch. Those that are
  /// left, for refused events, no other event gets.
  ///
  /// @return negative before the first [#append], and always in a store that does not number its
  ///   events
  default long lastArrival() {
    return -1;
  }

  /// Registers a callback for the progress of the durability [Durability#QUORUM]. A commit does not
  /// wait for this durability: it makes the group durable on this machine. Call this before the
  /// first append. A store on one machine never calls back.
  ///
  /// @param told gets the number of the last group that has it; never decreases; called on any
  ///   thread, which must not be kept waiting
  default void onQuorum(LongConsumer told) {}

  /// Names the batch that was appended last, so that a repeat of it that comes to another daemon is
  /// not stored again. Call it between the batch's [#append] and the group's [#commit]. A store on
  /// one machine needs no such name.
  ///
  /// @param key 16 bytes, unpredictable for senders
  default void claim(byte[] key) {}

  /// Names the offsets of a batch of a source, see [SharedSources]. Call it after the batch's
  /// [#append], if it has events, and before the group's [#commit]. A store on one machine needs no
  /// such name.
  ///
  /// @param hasEvents whether the batch that was appended last is that of the range; else no event
  ///   of the range is stored
  default void claim(SourceRange range, boolean hasEvents) {}

  /// Attaches a note to the current group. Equal notes are stored once. The note is journaled with
  /// the group and returned by [#notes] after a restart, whichever lane wrote it. Notes hold small
  /// state of the caller, such as the keys of recent batches.
  ///
  /// @param note at most 1 KiB
  /// @throws IllegalArgumentException when the note is longer
  void note(byte[] note);

  /// Reads the notes that survived the last restart, oldest first. Call this before the first
  /// append to any lane.
  void notes(NoteReader reader);

  /// Drops the notes of groups before this one.
  ///
  /// @param group a number that [#commit] returned
  void forgetNotesBefore(long group);

  /// Receives rejected events.
  @FunctionalInterface
  interface Rejections {
    /// @param index position of the event in its batch, from 0
    void rejected(int index, Rejection why);

    /// The event has expired by the retention of its type: it would never be shown.
    ///
    /// @param kept how long events of this type are kept
    default void pastRetention(int index, Duration kept) {
      rejected(index, Rejection.PAST_RETENTION);
    }
  }

  /// Receives notes.
  @FunctionalInterface
  interface NoteReader {
    void read(long group, byte[] note);
  }
}
