package io.widerow.ingest;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import java.util.logging.Level;
import java.util.logging.Logger;

/// Threads that give way: while others have work, Linux gives them about a tenth of what it gives
/// those (`nice` 10, which is a thread's own on Linux), and all of it when nobody else wants it.
/// Java's own priorities mean nothing there.
final class QuietThread {
  private static final Logger LOG = Logger.getLogger("widerow");
  private static final int PRIO_PROCESS = 0;
  private static final int CALLER = 0;
  private static final int NICE = 10;

  private QuietThread() {}

  /// @param name of each thread
  static ThreadFactory factory(String name) {
    return task ->
        Thread.ofPlatform()
            .name(name)
            .daemon()
            .unstarted(() -> {
              if (!giveWay()) {
                LOG.log(Level.FINE, "{0} cannot give way here", name);
              }
              task.run();
            });
  }

  /// Asks for the calling thread. False where the system has no such thing.
  static boolean giveWay() {
    Linker linker = Linker.nativeLinker();
    Optional<MethodHandle> call =
        linker
            .defaultLookup()
            .find("setpriority")
            .map(address ->
                linker.downcallHandle(
                    address, FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT)));
    return call.isPresent() && call(call.get()) == 0;
  }

  private static int call(MethodHandle setPriority) {
    try {
      return (int) setPriority.invokeExact(PRIO_PROCESS, CALLER, NICE);
    } catch (Throwable failure) {
      throw new IllegalStateException("setpriority has other parameters", failure);
    }
  }
}
