package io.widerow.ingest.serve.reply;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/// The niceness of threads, which on Linux belongs to a thread and not to its process: from -20 to
/// 19, and the kernel gives a thread a fifth less of the processor time that others want, too, for
/// each step (`setpriority(2)`). Any process may raise it, but lowering it again needs a privilege.
final class Niceness {
  /// The calling thread, in place of a number.
  static final int CALLER = 0;

  private static final int PRIO_PROCESS = 0;
  private static final @Nullable MethodHandle GET =
      SystemCalls.find("getpriority", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
  private static final @Nullable MethodHandle SET =
      SystemCalls.find(
          "setpriority", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));
  private static final @Nullable MethodHandle THREAD =
      SystemCalls.find("gettid", FunctionDescriptor.of(JAVA_INT)); // Linux, glibc 2.30

  private Niceness() {}

  /// The niceness of the calling thread; null where it cannot be known.
  static @Nullable Integer ofCaller() {
    MethodHandle call = GET;
    if (call == null) {
      return null;
    }
    try {
      return (int) call.invokeExact(PRIO_PROCESS, CALLER);
    } catch (Throwable failure) {
      throw new IllegalStateException("getpriority has other parameters", failure);
    }
  }

  /// The kernel's number of the calling thread; [#CALLER] where it cannot be known.
  static int thread() {
    MethodHandle call = THREAD;
    if (call == null) {
      return CALLER;
    }
    try {
      return (int) call.invokeExact();
    } catch (Throwable failure) {
      throw new IllegalStateException("gettid has other parameters", failure);
    }
  }

  /// Sets the niceness of a thread of this process. Returns false where the system cannot do it.
  static boolean set(int thread, int nice) {
    MethodHandle call = SET;
    if (call == null) {
      return false;
    }
    try {
      return (int) call.invokeExact(PRIO_PROCESS, thread, nice) == 0;
    } catch (Throwable failure) {
      throw new IllegalStateException("setpriority has other parameters", failure);
    }
  }
}
