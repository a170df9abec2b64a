package io.widerow.storage.journal;

import io.widerow.storage.StorageException;
import io.widerow.storage.disk.LibC;
import io.widerow.storage.disk.RealDisk;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Set;

/// A raw file descriptor on a journal file: it reserves blocks, writes frames and forces them. A
/// `FileChannel` cannot reserve blocks. If its thread is interrupted during a force, it may also
/// lose an error that the kernel reports only once. A descriptor has neither problem. It is opened
/// before the first page is written, so the kernel reports every failed page to it.
///
/// - Threads: one at a time.
public final class NativeFile implements AutoCloseable {
  /// The file system, or a filter of system calls, cannot give blocks back, or there is no room to
  /// note that they are free.
  private static final Set<Integer> NOT_GIVEN_BACK =
      Set.of(
          LibC.NOT_PERMITTED,
          LibC.NO_SUCH_DEVICE,
          LibC.NO_SPACE,
          LibC.NO_SUCH_CALL,
          LibC.NOT_SUPPORTED,
          LibC.QUOTA);

  static final int PAGE_BYTES = 4 << 10;
  private static final MemorySegment ZEROS = Arena.global().allocate(PAGE_BYTES).asReadOnly();

  private final Path path;
  private final Arena arena = Arena.ofShared();
  private final LibC library = new LibC(arena);
  private final int descriptor;

  /// Opens an existing file.
  NativeFile(Path path) {
    this.path = path;
    int opened = library.open(path, LibC.READ_WRITE | LibC.NOFOLLOW | LibC.CLOEXEC);
    if (opened < 0) {
      int error = library.error();
      arena.close();
      throw failed("open", error);
    }
    this.descriptor = opened;
  }

  /// Allocates blocks for `bytes` of the file, so that no page of it can fail for lack of space.
  void reserve(long bytes) {
    int error;
    do {
      error = LibC.reserve(descriptor, bytes);
    } while (error == LibC.INTERRUPTED);
    if (error != 0) {
      throw failed("reserve " + bytes + " bytes", error, bytes);
    }
  }

  /// Sets the size. What lies after the present one is a hole, which reads as zeros and takes no
  /// blocks.
  void resize(long bytes) {
    boolean done;
    do {
      done = library.resize(descriptor, bytes);
    } while (!done && library.error() == LibC.INTERRUPTED);
    if (!done) {
      throw failed("resize to " + bytes + " bytes", library.error());
    }
  }

  /// Gives back the blocks of the whole pages in `[from, until)`, which read as zeros then. The
  /// size stays. Does nothing on a file system that cannot, or that has no room to note it.
  void release(long from, long until) {
    long start = (from + PAGE_BYTES - 1) & -PAGE_BYTES;
    if (start >= until) {
      return;
    }
    int error;
    do {
      error = library.release(descriptor, start, until - start) ? 0 : library.error();
    } while (error == LibC.INTERRUPTED);
    if (error != 0 && !NOT_GIVEN_BACK.contains(error)) {
      throw failed("give back the bytes from " + start + " to " + until, error);
    }
  }

  /// Writes zeros into the bytes `[from, until)`, which are whole pages, and makes them durable.
  /// The force of a group then changes no metadata and does not wait for other writes of the file
  /// system.
  void fill(long from, long until) {
    zero(from, until);
    force();
  }

  /// Writes zeros into the bytes `[from, until)`. It writes page by page, so that the page cache
  /// holds single pages: a force writes the whole of a larger folio even if little of it changed.
  void zero(long from, long until) {
    long at = from;
    while (at < until) {
      long end = Math.min(pageEnd(at), until);
      write(ZEROS.asSlice(0, end - at), at);
      at = end;
    }
  }

  /// End of the page that holds the byte at `offset`.
  static long pageEnd(long offset) {
    return (offset + PAGE_BYTES) & -PAGE_BYTES;
  }

  /// Writes all of `source`, which is native memory, at `offset`.
  void write(MemorySegment source, long offset) {
    long done = 0;
    while (done < source.byteSize()) {
      long written = library.write(descriptor, source.asSlice(done), offset + done);
      if (written == 0 || (written < 0 && library.error() != LibC.INTERRUPTED)) {
        int error = written == 0 ? 0 : library.error();
        throw failed(
            "write %d bytes at %d".formatted(source.byteSize(), offset), error, source.byteSize());
      }
      done += Math.max(0, written);
    }
  }

  /// Makes the size and all written pages durable.
  public void force() {
    if (!library.force(descriptor)) {
      throw failed("force", library.error());
    }
  }

  private StorageException failed(String action, int error) {
    return failed(action, error, 0);
  }

  /// @param bytes that the call needs
  private StorageException failed(String action, int error, long bytes) {
    if (error == LibC.NO_SPACE || error == LibC.QUOTA) {
      return new StorageException.DiskFull(path, new RealDisk().usableBytes(path), bytes);
    }
    return new StorageException.Failed(path, action, new IOException("error number " + error));
  }

  @Override
  public void close() {
    LibC.close(descriptor);
    arena.close();
  }
}
