package io.widerow.loadgen.run;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/// Lets a thread wake at the time it asked for. Linux wakes a parked thread up to 50 microseconds
/// late, so that it can wake several at once; `prctl(PR_SET_TIMERSLACK)` asks for one nanosecond
/// instead, for the calling thread alone.
final class TimerSlack {
  private static final int PR_SET_TIMERSLACK = 29;
  private static final int PR_GET_TIMERSLACK = 30;
  private static final Optional<MethodHandle> PRCTL = prctl();

  private TimerSlack() {}

  private static Optional<MethodHandle> prctl() {
    Linker linker = Linker.nativeLinker();
    return linker
        .defaultLookup()
        .find("prctl")
        .map(address ->
            linker.downcallHandle(
                address,
                FunctionDescriptor.of(
                    JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
                Linker.Option.firstVariadicArg(1)));
  }

  /// Pays the cost of the first call, many milliseconds, before any thread waits. Changes nothing.
  ///
  /// @return false where the system has no such thing
  static boolean prepare() {
    return PRCTL.map(prctl -> call(prctl, PR_GET_TIMERSLACK, 0) >= 0).orElse(false);
  }

  /// Sets the slack of the calling thread.
  ///
  /// @return false where the system has no such thing: the thread then wakes later, and the slip
  ///   shows it
  static boolean none() {
    return PRCTL.map(prctl -> call(prctl, PR_SET_TIMERSLACK, 1) == 0).orElse(false);
  }

  private static int call(MethodHandle prctl, int option, long nanos) {
    try {
      return (int) prctl.invokeExact(option, nanos, 0L, 0L, 0L);
    } catch (Throwable failure) {
      throw new IllegalStateException("prctl has other parameters", failure);
    }
  }
}
