package io.widerow.storage;

import io.widerow.event.EventBatch;
import io.widerow.event.Rejection;

/// Writes one lane.
///
/// - Threads: one, the same for its whole life.
public interface LaneWriter {
  /// Takes the events of a batch in: gives them their ids, their shard, and a place in the group
  /// that the next [#commit] makes durable and readable. The batch may be reused at once. May wait
  /// for sealing when memory is used up.
  ///
  /// A batch that does not fit into the memory of one set of open rows, together with what was
  /// appended since the last commit, is refused whole, event by event, with
  /// [Rejection#BATCH_TOO_LARGE]; what was appended before it stays. After a commit it may fit.
  ///
  /// @param placement hash of the batch's key; picks the shard among those of this lane. Events
  ///   with ids of their own are placed by the id instead
  /// @param rejections told of each event that is refused; the others are taken in
  /// @return events taken in
  /// @throws StorageException.Failed when the write side has ended
  /// @throws StorageException.DiskFull when there is no room; nothing was taken in, and what was
  ///   appended since the last commit is dropped: if there was anything, [#commit] says so too
  int append(EventBatch batch, long placement, Rejections rejections);

  /// Makes everything appended so far as durable as asked, then readable. To be called about once a
  /// second also when nothing was appended: only here does the lane let go of rows that
  /// [EventStore#maintain] found old.
  ///
  /// What is appended between two commits is one group: readers see it as a whole or not at all,
  /// and so does whoever opens the store after a crash.
  ///
  /// @return the number of the last group that is so durable; rises from group to group
  /// @throws StorageException.Failed when that cannot be done; the write side has then ended, and
  ///   what was appended since the last commit is not acknowledged
  /// @throws StorageException.DiskFull when there is no room for it; what was appended and noted
  ///   since the last commit is dropped for good, and the lane goes on with the next batch
  long commit(Durability durability);

  /// Remembers bytes with the current group, equal ones once: they are journaled with it, and
  /// handed back by [#notes] after a restart, of whatever lane. For the caller's own small state,
  /// such as keys of recent batches.
  ///
  /// @param note at most 1 KiB
  void note(byte[] note);

  /// Says what is remembered from before the store was opened, oldest first. To be called before
  /// anything is appended to any lane.
  void notes(NoteReader reader);

  /// Drops notes that are older than this group.
  ///
  /// @param group a number that [#commit] returned
  void forgetNotesBefore(long group);

  /// Is told of events that are refused.
  @FunctionalInterface
  interface Rejections {
    /// @param index of the event in its batch, from 0
    void rejected(int index, Rejection why);
  }

  /// Takes remembered notes.
  @FunctionalInterface
  interface NoteReader {
    void read(long group, byte[] note);
  }
}
