package io.widerow.storage.journal;

import io.widerow.storage.StorageException;
import io.widerow.storage.disk.RealDisk;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import java.util.Set;

/// A raw file descriptor on a journal file: it reserves blocks, writes frames and forces them. A
/// `FileChannel` cannot reserve blocks. If its thread is interrupted during a force, it may also
/// lose an error that the kernel reports only once. A descriptor has neither problem. It is opened
/// before the first page is written, so the kernel reports every failed page to it.
///
/// - Threads: one at a time.
public final class NativeFile implements AutoCloseable {
  private static final int READ_WRITE_NOFOLLOW_CLOEXEC = 0x2 | 0x20000 | 0x80000;
  private static final int INTERRUPTED = 4;
  private static final int NOT_PERMITTED = 1;
  private static final int NO_SUCH_DEVICE = 19;
  private static final int NO_SPACE = 28;
  private static final int NO_SUCH_CALL = 38;
  private static final int NOT_SUPPORTED = 95;
  private static final int QUOTA = 122;

  /// The file system, or a filter of system calls, cannot give blocks back, or there is no room to
  /// note that they are free.
  private static final Set<Integer> NOT_GIVEN_BACK =
      Set.of(NOT_PERMITTED, NO_SUCH_DEVICE, NO_SPACE, NO_SUCH_CALL, NOT_SUPPORTED, QUOTA);

  private static final int KEEP_SIZE_PUNCH_HOLE = 0x1 | 0x2;
  static final int PAGE_BYTES = 4 << 10;
  private static final MemorySegment ZEROS = Arena.global().allocate(PAGE_BYTES).asReadOnly();

  private static final Linker LINKER = Linker.nativeLinker();
  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO = STATE.varHandle(PathElement.groupElement("errno"));
  private static final MethodHandle OPEN =
      LINKER.downcallHandle(
          LINKER.defaultLookup().findOrThrow("open"),
          FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT),
          Linker.Option.captureCallState("errno"));
  private static final MethodHandle WRITE =
      LINKER.downcallHandle(
          LINKER.defaultLookup().findOrThrow("pwrite"),
          FunctionDescriptor.of(
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_INT,
              ValueLayout.ADDRESS,
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_LONG),
          Linker.Option.captureCallState("errno"));
  private static final MethodHandle DATA_SYNC =
      LINKER.downcallHandle(
          LINKER.defaultLookup().findOrThrow("fdatasync"),
          FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT),
          Linker.Option.captureCallState("errno"));
  private static final MethodHandle RESERVE =
      LINKER.downcallHandle(
          LINKER.defaultLookup().findOrThrow("posix_fallocate"),
          FunctionDescriptor.of(
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_LONG));
  private static final MethodHandle RELEASE =
      LINKER.downcallHandle(
          LINKER.defaultLookup().findOrThrow("fallocate"),
          FunctionDescriptor.of(
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_LONG),
          Linker.Option.captureCallState("errno"));
  private static final MethodHandle CLOSE =
      LINKER.downcallHandle(
          LINKER.defaultLookup().findOrThrow("close"),
          FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

  private final Path path;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment state = arena.allocate(STATE);
  private final int descriptor;

  /// Opens an existing file.
  NativeFile(Path path) {
    this.path = path;
    int opened;
    try {
      MemorySegment name = arena.allocateFrom(path.toString());
      opened = (int) OPEN.invokeExact(state, name, READ_WRITE_NOFOLLOW_CLOEXEC);
    } catch (Throwable failure) {
      throw new IllegalStateException(failure);
    }
    if (opened < 0) {
      int error = error();
      arena.close();
      throw failed("open", error);
    }
    this.descriptor = opened;
  }

  /// Allocates blocks for `bytes` of the file, so that no page of it can fail for lack of space.
  void reserve(long bytes) {
    int error;
    do {
      try {
        error = (int) RESERVE.invokeExact(descriptor, 0L, bytes);
      } catch (Throwable failure) {
        throw new IllegalStateException(failure);
      }
    } while (error == INTERRUPTED);
    if (error != 0) {
      throw failed("reserve " + bytes + " bytes", error, bytes);
    }
  }

  /// Gives back the blocks of the whole pages in `[from, until)`, which read as zeros then. The
  /// size stays. Does nothing on a file system that cannot, or that has no room to note it.
  void release(long from, long until) {
    long start = (from + PAGE_BYTES - 1) & -PAGE_BYTES;
    if (start >= until) {
      return;
    }
    int result;
    int error;
    do {
      try {
        result =
            (int)
                RELEASE.invokeExact(state, descriptor, KEEP_SIZE_PUNCH_HOLE, start, until - start);
      } catch (Throwable failure) {
        throw new IllegalStateException(failure);
      }
      error = result == 0 ? 0 : error();
    } while (error == INTERRUPTED);
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
      long written;
      try {
        written =
            (long)
                WRITE.invokeExact(
                    state,
                    descriptor,
                    source.asSlice(done),
                    source.byteSize() - done,
                    offset + done);
      } catch (Throwable failure) {
        throw new IllegalStateException(failure);
      }
      if (written == 0 || (written < 0 && error() != INTERRUPTED)) {
        int error = written == 0 ? 0 : error();
        throw failed(
            "write %d bytes at %d".formatted(source.byteSize(), offset), error, source.byteSize());
      }
      done += Math.max(0, written);
    }
  }

  /// Makes the size and all written pages durable.
  public void force() {
    int result;
    try {
      result = (int) DATA_SYNC.invokeExact(state, descriptor);
    } catch (Throwable failure) {
      throw new IllegalStateException(failure);
    }
    if (result != 0) {
      throw failed("force", error());
    }
  }

  private int error() {
    return (int) ERRNO.get(state, 0L);
  }

  private StorageException failed(String action, int error) {
    return failed(action, error, 0);
  }

  /// @param bytes that the call needs
  private StorageException failed(String action, int error, long bytes) {
    if (error == NO_SPACE || error == QUOTA) {
      return new StorageException.DiskFull(path, new RealDisk().usableBytes(path), bytes);
    }
    return new StorageException.Failed(path, action, new IOException("error number " + error));
  }

  @Override
  public void close() {
    try {
      int ignored = (int) CLOSE.invokeExact(descriptor);
      assert ignored == 0 : "close " + path;
    } catch (Throwable failure) {
      throw new IllegalStateException(failure);
    }
    arena.close();
  }
}
