package io.widerow.storage.journal;

import io.widerow.storage.StorageException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.function.IntToLongFunction;

/// The journal of one lane: group frames in the order of their LSNs, in files of bounded size. The
/// embedded store writes it before a group is acknowledged and reads it once, when it is opened.
///
/// - Threads: that of the lane; [#trim] and the figures from any.
public interface Journal extends AutoCloseable {
  /// In the directory of the store.
  String DIRECTORY = "journal";

  /// Writes one group. LSNs are consecutive.
  ///
  /// @param lsn the group's number, one above the last one
  /// @param frame the group's encoded frame, see [JournalFrame]
  /// @throws StorageException.Failed or, before anything was written, [StorageException.DiskFull]
  void append(long lsn, MemorySegment frame);

  /// Forces all that was appended, and the directory entries of new files. After a failure the
  /// journal must not be used again.
  void force();

  /// Deletes the files all of whose groups have LSNs up to and including `lsn`. One call at a time.
  void trim(long lsn);

  /// Bytes of the files that are there.
  long bytes();

  @Override
  void close();

  /// Makes and reads the journals of a store.
  interface Factory {
    /// Starts a new journal file for a lane, which takes `lsnFirst` next. Never appends to an old
    /// file. Its directory entry is durable when this returns, and it tells `lsnFirst`.
    Journal create(int lane, long lsnFirst);

    /// Reads whatever journal files exist of any lane, lane by lane, in the order of writing. Bytes
    /// that are no excerpt at all are passed over; telling torn from damaged is the caller's part.
    void replay(FrameReader reader);

    /// Copies the journals into the directory of another store, durable but for that directory:
    /// what they hold up to and with the frame `lsnLast` of each lane. The copy does not change
    /// when the journals go on. Files whose frames all belong to it are linked. Nothing must be
    /// trimmed meanwhile.
    ///
    /// @param lsnLast by lane; [Long#MAX_VALUE] for journals that nobody writes: they are linked as
    ///   they are, with all damage
    /// @return bytes written
    /// @throws StorageException.Corrupt when a frame `lsnLast` cannot be found
    long copyTo(Path storeDirectory, IntToLongFunction lsnLast);

    /// Deletes every journal file that was there when [#replay] ran.
    void deleteReplayed();
  }

  /// Takes frames at start.
  interface FrameReader {
    /// @param file the journal file, for messages
    /// @param sequence position in the file
    /// @param frame the bytes as they are on disk, valid or not; valid until this returns
    void frame(int lane, Path file, long sequence, MemorySegment frame);

    /// A journal file comes next, whether there are frames in it or not.
    ///
    /// @param lsnFirst of its first frame; every group before was durable when the file was made
    default void file(int lane, Path file, long lsnFirst) {}

    /// Whether more frames of a lane are wanted; asked before each file and behind each frame.
    /// Where they are not, what is left of its files may go unread: most of a file is reserved and
    /// not written. Files are named all the same.
    default boolean wants(int lane) {
      return true;
    }
  }
}
