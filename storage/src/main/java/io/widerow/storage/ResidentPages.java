package io.widerow.storage;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.channels.FileChannel;

/// Says which parts of a file the kernel has in its page cache, by `mincore` on a mapping that
/// nobody reads through.
///
/// - Threads: any; [#close] when nobody asks any more.
/// - Memory: address space of the file's size.
final class ResidentPages implements AutoCloseable {
  private static final int PAGE_BYTES = 4 << 10; // of larger pages several say the same
  private static final Linker LINKER = Linker.nativeLinker();
  private static final MethodHandle MINCORE =
      LINKER.downcallHandle(
          LINKER.defaultLookup().findOrThrow("mincore"),
          FunctionDescriptor.of(
              ValueLayout.JAVA_INT,
              ValueLayout.ADDRESS,
              ValueLayout.JAVA_LONG,
              ValueLayout.ADDRESS));

  private final Arena arena = Arena.ofShared();
  private final MemorySegment mapping;

  ResidentPages(FileChannel file, long bytes) throws IOException {
    try {
      mapping = file.map(FileChannel.MapMode.READ_ONLY, 0, bytes, arena);
    } catch (Throwable failure) {
      arena.close();
      throw failure;
    }
  }

  /// True when the kernel has all of a part, at the moment. False also when it does not say.
  boolean has(long offset, long bytes) {
    if (bytes <= 0 || offset < 0 || offset + bytes > mapping.byteSize()) {
      return false;
    }
    long from = offset & -PAGE_BYTES;
    long pages = (offset + bytes - from + PAGE_BYTES - 1) / PAGE_BYTES;
    try (Arena scratch = Arena.ofConfined()) {
      MemorySegment resident = scratch.allocate(pages);
      int failed =
          (int) MINCORE.invokeExact(mapping.asSlice(from), offset + bytes - from, resident);
      for (long page = 0; failed == 0 && page < pages; page++) {
        failed = (resident.get(ValueLayout.JAVA_BYTE, page) & 1) ^ 1;
      }
      return failed == 0;
    } catch (Throwable bug) {
      throw new IllegalStateException(bug);
    }
  }

  @Override
  public void close() {
    arena.close();
  }
}
