package io.widerow.ingest.serve.reply;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import java.util.logging.Level;
import java.util.logging.Logger;

/// Threads of low priority: while others have work, Linux gives them about a tenth of the processor
/// time of those (`nice` 10, which on Linux belongs to a thread), and all of it otherwise. Others
/// that wake up go first, see [TimeSlices]. Java's own priorities have no effect on Linux.
public final class LowPriorityThread {
  private static final Logger LOG = Logger.getLogger("widerow");
  private static final int PRIO_PROCESS = 0;
  private static final int CALLER = 0;
  private static final int NICE = 10;

  private LowPriorityThread() {}

  /// @param name of each thread
  public static ThreadFactory factory(String name) {
    return task ->
        Thread.ofPlatform()
            .name(name)
            .daemon()
            .unstarted(() -> {
              boolean lengthened = TimeSlices.lengthen(NICE);
              if (!lengthened && !giveWay()) {
                LOG.log(Level.FINE, "{0}: its priority cannot be lowered here", name);
              }
              task.run();
            });
  }

  /// Lowers the priority of the calling thread. Returns false where the system cannot do it.
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
