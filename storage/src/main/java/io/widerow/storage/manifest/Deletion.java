package io.widerow.storage.manifest;

import io.widerow.storage.Filter;
import io.widerow.storage.digest.EventDigest;
import java.util.List;
import java.util.Map;

/// A deletion of events by filter, with the proof of the events that were removed and that no other
/// event was. It is stored with the store and stays when it is done.
///
/// - Threads: any; immutable.
///
/// @param id number in the store, from 1
/// @param globs types, by name or glob; none for all
/// @param fromNanos first time, nanoseconds since the Unix epoch; the least long for no limit
/// @param untilNanos first time after; the greatest long for no limit
/// @param where the filter as it was written; empty for every event
/// @param arrivedBefore only events with a lower arrival number go; 0 while it is planned
/// @param endedNanos when it was done, nanoseconds since the Unix epoch; 0 before
public record Deletion(
    int id,
    List<String> globs,
    long fromNanos,
    long untilNanos,
    String where,
    Filter filter,
    State state,
    long arrivedBefore,
    long endedNanos,
    Proof proof) {
  /// Its progress.
  public enum State {
    /// Nothing was done.
    PLANNED(0),
    /// Its events are hidden, and files are written again without them.
    RUNNING(1),
    /// No file has them.
    DONE(2);

    /// Written to disk, and never changes.
    public final int code;

    State(int code) {
      this.code = code;
    }
  }

  /// The progress so far.
  ///
  /// @param removed events that were removed, each once
  /// @param partitions partitions from which some were
  /// @param kept digest of the events in the written files
  /// @param keptBefore digest of the events of their sources without the removed events
  /// @param filesRemoved ids of segments that were removed
  /// @param filesWritten ids of segments that were written
  /// @param journals by lane, the LSN up to which the journal held removed events
  public record Proof(
      long removed,
      int partitions,
      EventDigest kept,
      EventDigest keptBefore,
      List<Long> filesRemoved,
      List<Long> filesWritten,
      Map<Integer, Long> journals) {
    public static final Proof NONE =
        new Proof(0, 0, EventDigest.NONE, EventDigest.NONE, List.of(), List.of(), Map.of());

    /// The same, with what the journals held.
    public Proof goneFrom(Map<Integer, Long> newJournals) {
      return new Proof(
          removed, partitions, kept, keptBefore, filesRemoved, filesWritten, newJournals);
    }

    public Proof {
      filesRemoved = List.copyOf(filesRemoved);
      filesWritten = List.copyOf(filesWritten);
      journals = Map.copyOf(journals);
    }
  }

  public Deletion {
    globs = List.copyOf(globs);
  }

  /// The same, further on.
  public Deletion with(State newState, long newArrivedBefore, long newEndedNanos, Proof newProof) {
    return new Deletion(
        id,
        globs,
        fromNanos,
        untilNanos,
        where,
        filter,
        newState,
        newArrivedBefore,
        newEndedNanos,
        newProof);
  }
}
