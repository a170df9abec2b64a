package io.widerow.storage.journal;

import io.widerow.storage.StorageException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntToLongFunction;

/// The write-ahead log of one lane: group frames in LSN order, in files of bounded size. The
/// embedded store writes a group here before it acknowledges the group. It reads the journal once,
/// when it opens.
///
/// - Threads: the lane's; any thread may call [#trim], [#current], [#bytes], [#discard],
///   [#giveBack] and [#keptFrom].
public interface Journal extends AutoCloseable {
  /// Name of the journals' directory, inside the store's.
  String DIRECTORY = "journal";

  /// Writes one group. LSNs are consecutive.
  ///
  /// @param lsn the group's number, one above the last one
  /// @param frame the group's encoded frame, see [JournalFrame]
  /// @throws StorageException.Failed or, before anything was written, [StorageException.DiskFull]
  void append(long lsn, MemorySegment frame);

  /// Forces every appended frame, and the directory entries of new files. After a failure the
  /// journal must not be used again.
  void force();

  /// The file that is written to at present.
  ///
  /// @param number as in [JournalFile]
  /// @param reservedBytes its durable size, which it keeps until its deletion; 0 when it grows
  record Current(long number, long reservedBytes) {}

  Current current();

  /// Deletes each file whose groups all have LSNs up to and including `lsn`, or the greatest one of
  /// an earlier call, or takes it out of the journal to use it again. One call at a time.
  void trim(long lsn);

  /// Lets go of every frame up to `lsn` as soon as [#trim] allows it: no file that has one is used
  /// again, and if the present file has one, the next append begins another, if there is room.
  default void discard(long lsn) {}

  /// Lets go of what the journal reserved for a rate of events that it does not have now; the next
  /// [#trim] then frees the room. The lane calls it between groups, while everything is sealed or
  /// handed over for sealing.
  ///
  /// @return false when a later call may let go of more
  default boolean rest() {
    return true;
  }

  /// Deletes what the journal keeps for later and can do without: the disk is full.
  default void giveBack() {}

  /// Every frame of a lower LSN is gone from the existing files, also what a file held before it
  /// was used again; 0 when that is not known.
  default long keptFrom() {
    return 0;
  }

  /// Total bytes of the existing files.
  long bytes();

  @Override
  void close();

  /// Creates and reads the journals of a store.
  interface Factory {
    /// The same for another directory: that of the tables of the store.
    Factory at(Path otherDirectory);

    /// Starts a new journal file for a lane whose next LSN is `lsnFirst`. Never appends to an old
    /// file. When this returns, the directory entry is durable, and the file's name tells
    /// `lsnFirst`.
    Journal create(int lane, long lsnFirst);

    /// Starts a new journal file for a lane that goes on after the frames that [#replay] found.
    /// Their files are durable when this returns, and belong to the journal: [Journal#trim] lets go
    /// of them.
    ///
    /// @param lsnFirst follows the last of these frames
    Journal goOn(int lane, long lsnFirst);

    /// Reads all journal files, lane by lane, in the order of writing. Skips bytes that are no
    /// excerpt. The caller distinguishes torn frames from damaged ones.
    void replay(FrameReader reader);

    /// Copies each lane's frames up to and including `lsnLast` into the directory of another store.
    /// The copied files are durable; forcing that directory is left to the caller. Later appends to
    /// the journals do not change the copy. A file whose frames all belong to the copy is
    /// hard-linked. Nothing may be trimmed until then.
    ///
    /// @param lsnLast by lane; [Long#MAX_VALUE] for a journal without a writer: its files are
    ///   linked as they are, with all damage
    /// @return bytes written
    /// @throws StorageException.Corrupt when a lane has no frame `lsnLast`
    long copyTo(Path storeDirectory, IntToLongFunction lsnLast);

    /// The files of a lane at present, in the order of writing.
    List<JournalFile> files(int lane);

    /// Passes the frames of one file to the reader, also while the file is written to.
    ///
    /// @param offset where to begin: 0, or the end of a frame
    void scan(JournalFile file, long offset, FrameReader reader);

    /// Deletes every journal file that existed when [#replay] ran.
    void deleteReplayed();

    /// Frees what the journals of a stopped store take on the disk and do not need, for a start on
    /// a full disk. What a replay finds stays as it is. Call it before the first [#create].
    default void freeUnused() {}
  }

  /// Receives the frames that a replay finds.
  interface FrameReader {
    /// @param file the journal file, for messages
    /// @param sequence position in the file
    /// @param frame the bytes as they are on disk, intact or not; readable until this returns
    void frame(int lane, Path file, long sequence, MemorySegment frame);

    /// A frame of the file's earlier use begins here. All that was in it is in segments. Its header
    /// is intact; the rest may be overwritten.
    default void remains(int lane, long sequence) {}

    /// A journal file begins. It may hold no frame, and after a crash be incomplete.
    default void file(JournalFile file) {}

    /// Whether to read more frames of a lane; asked before each file and after each frame. If not,
    /// the rest of the lane's files may stay unread, because most of a file is reserved and never
    /// written. [#file] is still called for each file.
    default boolean wants(int lane) {
      return true;
    }
  }
}
