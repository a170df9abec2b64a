package io.widerow.storage.disk;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import java.nio.file.Path;

/// The calls of the C library that a store makes, and the error number of the last one that failed.
///
/// - Threads: one at a time.
public final class LibC {
  public static final int NOT_PERMITTED = 1;
  public static final int INTERRUPTED = 4;
  public static final int WOULD_BLOCK = 11;
  public static final int NO_SUCH_DEVICE = 19;
  public static final int NO_SPACE = 28;
  public static final int NO_SUCH_CALL = 38;
  public static final int NOT_SUPPORTED = 95;
  public static final int QUOTA = 122;

  /// Flags of [#open].
  public static final int READ_WRITE = 0x2;

  public static final int NOFOLLOW = 0x20000;
  public static final int CLOEXEC = 0x80000;

  private static final int EXCLUSIVE_NOWAIT = 2 | 4;
  private static final int KEEP_SIZE_PUNCH_HOLE = 0x1 | 0x2;

  private static final Linker LINKER = Linker.nativeLinker();
  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO = STATE.varHandle(PathElement.groupElement("errno"));

  /// One form for all functions: linking a form makes some fifteen classes, which ten forms made a
  /// third of the work of a start. All parameters and results are words of a register, whatever
  /// their C type, and a function ignores those that it does not have: so both platforms pass them.
  private static final MethodHandle CALL =
      LINKER.downcallHandle(
          FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
          Linker.Option.captureCallState("errno"));

  private static final MemorySegment OPEN = find("open");
  private static final MemorySegment CLOSE = find("close");
  private static final MemorySegment FLOCK = find("flock");
  private static final MemorySegment PWRITE = find("pwrite");
  private static final MemorySegment FDATASYNC = find("fdatasync");
  private static final MemorySegment RESERVE = find("posix_fallocate");
  private static final MemorySegment FTRUNCATE = find("ftruncate");
  private static final MemorySegment FALLOCATE = find("fallocate");

  /// For calls whose error number nobody reads.
  private static final MemorySegment UNREAD = Arena.global().allocate(STATE);

  private final MemorySegment state;

  /// @param arena lives as long as this object is used
  public LibC(Arena arena) {
    this.state = arena.allocate(STATE);
  }

  /// A function, by its name.
  public static MemorySegment find(String name) {
    return LINKER.defaultLookup().findOrThrow(name);
  }

  /// Calls a function of up to four parameters that are integers or addresses. A result of the C
  /// type `int` is the lower half of the returned word.
  public static long call(MemorySegment function, long a, long b, long c, long d) {
    return call(function, UNREAD, a, b, c, d);
  }

  private static long call(
      MemorySegment function, MemorySegment state, long a, long b, long c, long d) {
    try {
      return (long) CALL.invokeExact(function, state, a, b, c, d);
    } catch (Throwable bug) {
      throw new IllegalStateException(bug);
    }
  }

  /// The error number of the last call that failed, except [#reserve].
  public int error() {
    return (int) ERRNO.get(state, 0L);
  }

  /// @return a descriptor, negative when the call failed
  public int open(Path path, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      return (int) call(OPEN, state, arena.allocateFrom(path.toString()).address(), flags, 0, 0);
    }
  }

  public static void close(int descriptor) {
    int ignored = (int) call(CLOSE, descriptor, 0, 0, 0);
    assert ignored == 0 : "close " + descriptor;
  }

  /// Locks an open file or directory for this descriptor alone.
  ///
  /// @return false when the call failed: [#WOULD_BLOCK] while another descriptor holds the lock
  boolean lock(int descriptor) {
    return (int) call(FLOCK, state, descriptor, EXCLUSIVE_NOWAIT, 0, 0) == 0;
  }

  /// @return bytes written, negative when the call failed
  public long write(int descriptor, MemorySegment source, long offset) {
    try {
      return call(PWRITE, state, descriptor, source.address(), source.byteSize(), offset);
    } finally {
      Reference.reachabilityFence(source);
    }
  }

  /// @return false when the call failed
  public boolean force(int descriptor) {
    return (int) call(FDATASYNC, state, descriptor, 0, 0, 0) == 0;
  }

  /// Allocates blocks for the first `bytes` of a file.
  ///
  /// @return the error number; 0 when it was done
  public static int reserve(int descriptor, long bytes) {
    return (int) call(RESERVE, descriptor, 0, bytes, 0);
  }

  /// @return false when the call failed
  public boolean resize(int descriptor, long bytes) {
    return (int) call(FTRUNCATE, state, descriptor, bytes, 0, 0) == 0;
  }

  /// Gives back the blocks of a part of a file, whose size stays.
  ///
  /// @return false when the call failed
  public boolean release(int descriptor, long offset, long bytes) {
    return (int) call(FALLOCATE, state, descriptor, KEEP_SIZE_PUNCH_HOLE, offset, bytes) == 0;
  }
}
