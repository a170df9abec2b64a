package io.widerow.ingest.serve.reply;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/// Calls functions of the C library in one form, which is also that of the store: linking a form
/// makes some fifteen classes, and the JVM links each form once. All parameters are integers or
/// addresses, and a function ignores those that it does not have.
final class SystemCalls {
  private static final Linker LINKER = Linker.nativeLinker();
  private static final MethodHandle CALL =
      LINKER.downcallHandle(
          FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
          Linker.Option.captureCallState("errno"));

  /// Nobody reads the error numbers.
  private static final MemorySegment UNREAD =
      Arena.global().allocate(Linker.Option.captureStateLayout());

  private SystemCalls() {}

  /// A function, by its name; null where the system does not have it.
  static @Nullable MemorySegment find(String name) {
    return LINKER.defaultLookup().find(name).orElse(null);
  }

  /// Calls a function whose result is an `int`.
  static int call(MemorySegment function, long a, long b, long c) {
    return (int) call(function, a, b, c, 0);
  }

  static long call(MemorySegment function, long a, long b, long c, long d) {
    try {
      return (long) CALL.invokeExact(function, UNREAD, a, b, c, d);
    } catch (Throwable bug) {
      throw new IllegalStateException(bug);
    }
  }
}
