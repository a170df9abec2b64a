package io.widerow.ingest.serve.reply;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// The niceness of threads, which on Linux belongs to a thread and not to its process: from -20 to
/// 19, and the kernel gives a thread a fifth less of the processor time that others want, too, for
/// each step (`setpriority(2)`). Any process may raise it, but lowering it again needs a privilege.
final class Niceness {
  /// The calling thread, in place of a number.
  static final int CALLER = 0;

  private static final int PRIO_PROCESS = 0;
  private static final @Nullable MemorySegment GET = SystemCalls.find("getpriority");
  private static final @Nullable MemorySegment SET = SystemCalls.find("setpriority");
  private static final @Nullable MemorySegment THREAD =
      SystemCalls.find("gettid"); // Linux, glibc 2.30

  private Niceness() {}

  /// The niceness of the calling thread; null where it cannot be known.
  static @Nullable Integer ofCaller() {
    return GET == null ? null : SystemCalls.call(GET, PRIO_PROCESS, CALLER, 0);
  }

  /// The kernel's number of the calling thread; [#CALLER] where it cannot be known.
  static int thread() {
    return THREAD == null ? CALLER : SystemCalls.call(THREAD, 0, 0, 0);
  }

  /// Sets the niceness of a thread of this process. Returns false where the system cannot do it.
  static boolean set(int thread, int nice) {
    return SET != null && SystemCalls.call(SET, PRIO_PROCESS, thread, nice) == 0;
  }
}
