package io.widerow.ingest.serve.reply;

import java.util.concurrent.ThreadFactory;
import java.util.logging.Level;
import java.util.logging.Logger;

/// Threads of low priority: while others have work, Linux gives them about a tenth of the processor
/// time of those (`nice` 10, which on Linux belongs to a thread), and all of it otherwise. Others
/// that wake up go first, see [ReplyTimeSlices]. Java's own priorities have no effect on Linux.
public final class LowPriorityThread {
  private static final Logger LOG = Logger.getLogger("widerow");
  private static final int NICE = 10;

  private LowPriorityThread() {}

  /// @param name of each thread
  public static ThreadFactory factory(String name) {
    return task ->
        Thread.ofPlatform()
            .name(name)
            .daemon()
            .unstarted(() -> {
              boolean lengthened = ReplyTimeSlices.lengthen(NICE);
              if (!lengthened && !Niceness.set(Niceness.CALLER, NICE)) {
                LOG.log(Level.FINE, "{0}: its priority cannot be lowered here", name);
              }
              task.run();
            });
  }
}
