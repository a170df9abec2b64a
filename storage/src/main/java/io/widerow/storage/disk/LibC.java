package io.widerow.storage.disk;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
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
  private static final Linker.Option CAPTURING = Linker.Option.captureCallState("errno");

  private static final MethodHandle OPEN =
      find("open", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT), CAPTURING);
  private static final MethodHandle CLOSE = find("close", integers(JAVA_INT));
  private static final MethodHandle FLOCK = find("flock", integers(JAVA_INT, JAVA_INT), CAPTURING);
  private static final MethodHandle PWRITE =
      find(
          "pwrite",
          FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG),
          CAPTURING);
  private static final MethodHandle FDATASYNC = find("fdatasync", integers(JAVA_INT), CAPTURING);
  private static final MethodHandle RESERVE =
      find("posix_fallocate", integers(JAVA_INT, JAVA_LONG, JAVA_LONG));
  private static final MethodHandle FTRUNCATE =
      find("ftruncate", integers(JAVA_INT, JAVA_LONG), CAPTURING);
  private static final MethodHandle FALLOCATE =
      find("fallocate", integers(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG), CAPTURING);

  private final MemorySegment state;

  /// @param arena lives as long as this object is used
  public LibC(Arena arena) {
    this.state = arena.allocate(STATE);
  }

  private static FunctionDescriptor integers(MemoryLayout... parameters) {
    return FunctionDescriptor.of(JAVA_INT, parameters);
  }

  /// A function, by its name.
  public static MethodHandle find(
      String name, FunctionDescriptor descriptor, Linker.Option... options) {
    return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), descriptor, options);
  }

  /// What a call throws: never anything that the library does.
  public static IllegalStateException impossible(Throwable bug) {
    return new IllegalStateException(bug);
  }

  /// The error number of the last call that failed, except [#reserve].
  public int error() {
    return (int) ERRNO.get(state, 0L);
  }

  /// @return a descriptor, negative when the call failed
  public int open(Path path, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      return (int) OPEN.invokeExact(state, arena.allocateFrom(path.toString()), flags);
    } catch (Throwable bug) {
      throw impossible(bug);
    }
  }

  public static void close(int descriptor) {
    try {
      int ignored = (int) CLOSE.invokeExact(descriptor);
      assert ignored == 0 : "close " + descriptor;
    } catch (Throwable bug) {
      throw impossible(bug);
    }
  }

  /// Locks an open file or directory for this descriptor alone.
  ///
  /// @return false when the call failed: [#WOULD_BLOCK] while another descriptor holds the lock
  boolean lock(int descriptor) {
    try {
      return (int) FLOCK.invokeExact(state, descriptor, EXCLUSIVE_NOWAIT) == 0;
    } catch (Throwable bug) {
      throw impossible(bug);
    }
  }

  /// @return bytes written, negative when the call failed
  public long write(int descriptor, MemorySegment source, long offset) {
    try {
      return (long) PWRITE.invokeExact(state, descriptor, source, source.byteSize(), offset);
    } catch (Throwable bug) {
      throw impossible(bug);
    }
  }

  /// @return false when the call failed
  public boolean force(int descriptor) {
    try {
      return (int) FDATASYNC.invokeExact(state, descriptor) == 0;
    } catch (Throwable bug) {
      throw impossible(bug);
    }
  }

  /// Allocates blocks for the first `bytes` of a file.
  ///
  /// @return the error number; 0 when it was done
  public static int reserve(int descriptor, long bytes) {
    try {
      return (int) RESERVE.invokeExact(descriptor, 0L, bytes);
    } catch (Throwable bug) {
      throw impossible(bug);
    }
  }

  /// @return false when the call failed
  public boolean resize(int descriptor, long bytes) {
    try {
      return (int) FTRUNCATE.invokeExact(state, descriptor, bytes) == 0;
    } catch (Throwable bug) {
      throw impossible(bug);
    }
  }

  /// Gives back the blocks of a part of a file, whose size stays.
  ///
  /// @return false when the call failed
  public boolean release(int descriptor, long offset, long bytes) {
    try {
      int mode = KEEP_SIZE_PUNCH_HOLE;
      return (int) FALLOCATE.invokeExact(state, descriptor, mode, offset, bytes) == 0;
    } catch (Throwable bug) {
      throw impossible(bug);
    }
  }
}
