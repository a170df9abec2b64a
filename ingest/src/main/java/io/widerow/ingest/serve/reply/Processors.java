package io.widerow.ingest.serve.reply;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/// The processors that a thread may run on (`sched_setaffinity(2)`).
final class Processors {
  private static final int CALLER = 0;
  private static final long SET_BYTES = 128; // cpu_set_t: 1,024 processors
  private static final FunctionDescriptor CALL =
      FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS);
  private static final @Nullable MethodHandle GET = SystemCalls.find("sched_getaffinity", CALL);
  private static final @Nullable MethodHandle SET = SystemCalls.find("sched_setaffinity", CALL);

  private Processors() {}

  /// The numbers of the calling thread's processors; none where they cannot be known.
  static int[] ofCaller() {
    MethodHandle call = GET;
    if (call == null) {
      return new int[0];
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment set = arena.allocate(SET_BYTES);
      boolean known = (int) call.invokeExact(CALLER, SET_BYTES, set) == 0;
      return known ? BitSet.valueOf(set.toArray(JAVA_BYTE)).stream().toArray() : new int[0];
    } catch (Throwable failure) {
      throw new IllegalStateException("sched_getaffinity has other parameters", failure);
    }
  }

  /// Keeps the calling thread on one processor. Returns false where the system cannot do it.
  static boolean stayOn(int processor) {
    MethodHandle call = SET;
    if (call == null) {
      return false;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment set = arena.allocate(SET_BYTES);
      int at = processor / Byte.SIZE;
      set.set(JAVA_BYTE, at, (byte) (1 << (processor % Byte.SIZE)));
      return (int) call.invokeExact(CALLER, SET_BYTES, set) == 0;
    } catch (Throwable failure) {
      throw new IllegalStateException("sched_setaffinity has other parameters", failure);
    }
  }
}
