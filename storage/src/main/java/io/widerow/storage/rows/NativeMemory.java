package io.widerow.storage.rows;

import io.widerow.storage.disk.LibC;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Allocator of uninitialized native memory: `malloc` of the C library. [Arena#allocate] zeroes the
/// memory. For the large pieces of open rows that costs milliseconds and makes every page resident
/// before it is needed.
public final class NativeMemory {
  private static final MemorySegment MALLOC = LibC.find("malloc");
  private static final MemorySegment FREE = LibC.find("free");

  private NativeMemory() {}

  /// Allocates memory with undefined content, aligned to at least eight bytes, that lives as long
  /// as `arena`.
  ///
  /// @throws OutOfMemoryError when `malloc` fails
  public static MemorySegment allocate(long bytes, Arena arena) {
    long start = LibC.call(MALLOC, bytes, 0, 0, 0);
    if (start == 0) {
      throw new OutOfMemoryError("cannot allocate " + bytes + " bytes of native memory");
    }
    return MemorySegment.ofAddress(start).reinterpret(bytes, arena, NativeMemory::free);
  }

  private static void free(MemorySegment memory) {
    long _ = LibC.call(FREE, memory.address(), 0, 0, 0);
  }
}
