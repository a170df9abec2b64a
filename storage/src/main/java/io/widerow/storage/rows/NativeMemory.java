package io.widerow.storage.rows;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.widerow.storage.disk.LibC;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/// Allocator of uninitialized native memory: `malloc` of the C library. [Arena#allocate] zeroes the
/// memory. For the large pieces of open rows that costs milliseconds and makes every page resident
/// before it is needed.
public final class NativeMemory {
  private static final MethodHandle MALLOC =
      LibC.find("malloc", FunctionDescriptor.of(ADDRESS, JAVA_LONG));
  private static final MethodHandle FREE = LibC.find("free", FunctionDescriptor.ofVoid(ADDRESS));

  private NativeMemory() {}

  /// Allocates memory with undefined content, aligned to at least eight bytes, that lives as long
  /// as `arena`.
  ///
  /// @throws OutOfMemoryError when `malloc` fails
  public static MemorySegment allocate(long bytes, Arena arena) {
    MemorySegment start;
    try {
      start = (MemorySegment) MALLOC.invokeExact(bytes);
    } catch (Throwable impossible) {
      throw LibC.impossible(impossible);
    }
    if (start.address() == 0) {
      throw new OutOfMemoryError("cannot allocate " + bytes + " bytes of native memory");
    }
    return start.reinterpret(bytes, arena, NativeMemory::free);
  }

  private static void free(MemorySegment memory) {
    try {
      FREE.invokeExact(memory);
    } catch (Throwable impossible) {
      throw LibC.impossible(impossible);
    }
  }
}
