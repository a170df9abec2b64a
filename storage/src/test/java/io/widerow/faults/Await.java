package io.widerow.faults;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/// The only place where tests wait for another thread or process. On a slow machine a test takes
/// longer and does not fail: the limit is far above the time that any test needs.
public final class Await {
  /// Limit in seconds for events that come at once on an idle machine; also for latches and
  /// futures.
  public static final long SECONDS = 120;

  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private Await() {}

  /// Waits until the condition holds, and fails with a dump of all threads when it does not.
  ///
  /// @param what names the condition in the failure, as "two events are stored"
  public static void until(Callable<Boolean> condition, String what) {
    until(condition, () -> what);
  }

  /// [#until], with a name that is asked for when the condition did not hold in time: it can say
  /// what is left then.
  public static void until(Callable<Boolean> condition, Supplier<String> what) {
    until(condition, Duration.ofSeconds(SECONDS), what);
  }

  /// [#until], for what takes minutes on an idle machine too.
  public static void until(Callable<Boolean> condition, Duration most, String what) {
    until(condition, most, () -> what);
  }

  private static void until(Callable<Boolean> condition, Duration most, Supplier<String> what) {
    long start = System.nanoTime();
    while (!holds(condition, what)) {
      long passed = System.nanoTime() - start;
      if (passed > most.toNanos() || Thread.currentThread().isInterrupted()) {
        throw new AssertionError(
            "not in %d s: %s%n%s".formatted(passed / 1_000_000_000L, what.get(), threads()));
      }
      LockSupport.parkNanos(Math.clamp(passed / 8, 1, LOOK_NANOS)); // soon at first
    }
  }

  private static boolean holds(Callable<Boolean> condition, Supplier<String> what) {
    try {
      return condition.call();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new AssertionError("cannot see whether " + what.get(), e);
    }
  }

  /// Lets time pass that is a part of the test: the pace of a sender, the moment of a kill, how
  /// long a figure is measured. Nothing may depend on what others do meanwhile.
  public static void pause(Duration time) {
    long until = System.nanoTime() + time.toNanos();
    for (long left = time.toNanos(); left > 0; left = until - System.nanoTime()) {
      LockSupport.parkNanos(left);
      if (Thread.currentThread().isInterrupted()) {
        return;
      }
    }
  }

  /// [#pause], for times that are counted in nanoseconds.
  public static void pauseNanos(long nanos) {
    pause(Duration.ofNanos(nanos));
  }

  private static String threads() {
    return Thread.getAllStackTraces().entrySet().stream()
        .map(thread ->
            thread.getKey()
                + " "
                + thread.getKey().getState()
                + "\n"
                + java.util.Arrays.stream(thread.getValue())
                    .map(frame -> "    at " + frame + "\n")
                    .collect(Collectors.joining()))
        .collect(Collectors.joining("\n"));
  }
}
