package io.widerow.ingest.serve.reply;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/// The processors that a thread may run on (`sched_setaffinity(2)`).
final class Processors {
  private static final int CALLER = 0;
  private static final long SET_BYTES = 128; // cpu_set_t: 1,024 processors
  private static final @Nullable MemorySegment GET = SystemCalls.find("sched_getaffinity");
  private static final @Nullable MemorySegment SET = SystemCalls.find("sched_setaffinity");

  private Processors() {}

  /// The numbers of the calling thread's processors; none where they cannot be known.
  static int[] ofCaller() {
    if (GET == null) {
      return new int[0];
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment set = arena.allocate(SET_BYTES);
      boolean known = SystemCalls.call(GET, CALLER, SET_BYTES, set.address()) == 0;
      return known ? BitSet.valueOf(set.toArray(JAVA_BYTE)).stream().toArray() : new int[0];
    }
  }

  /// Keeps the calling thread on one processor. Returns false where the system cannot do it.
  static boolean stayOn(int processor) {
    if (SET == null) {
      return false;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment set = arena.allocate(SET_BYTES);
      int at = processor / Byte.SIZE;
      set.set(JAVA_BYTE, at, (byte) (1 << (processor % Byte.SIZE)));
      return SystemCalls.call(SET, CALLER, SET_BYTES, set.address()) == 0;
    }
  }
}
