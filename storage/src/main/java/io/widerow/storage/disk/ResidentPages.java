package io.widerow.storage.disk;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;

/// Finds the parts of a file that are in the kernel's page cache, by `mincore` on a mapping that is
/// never read through.
///
/// - Threads: any; [#close] after the last call.
/// - Memory: address space of the file's size, no pages.
final class ResidentPages implements AutoCloseable {
  private static final int PAGE_BYTES = 4 << 10; // larger pages give several equal answers
  private static final MemorySegment MINCORE = LibC.find("mincore");

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

  /// True when all of a part is cached at the moment. False also when it is not known.
  boolean has(long offset, long bytes) {
    if (bytes <= 0 || offset < 0 || offset + bytes > mapping.byteSize()) {
      return false;
    }
    long from = offset & -PAGE_BYTES;
    long pages = (offset + bytes - from + PAGE_BYTES - 1) / PAGE_BYTES;
    try (Arena scratch = Arena.ofConfined()) {
      MemorySegment resident = scratch.allocate(pages);
      long start = mapping.address() + from;
      int failed = (int) LibC.call(MINCORE, start, offset + bytes - from, resident.address(), 0);
      for (long page = 0; failed == 0 && page < pages; page++) {
        failed = (resident.get(JAVA_BYTE, page) & 1) ^ 1;
      }
      return failed == 0;
    }
  }

  @Override
  public void close() {
    arena.close();
  }
}
