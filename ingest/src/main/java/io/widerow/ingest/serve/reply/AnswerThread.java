package io.widerow.ingest.serve.reply;

import java.util.logging.Level;
import java.util.logging.Logger;

/// Threads that compute answers: platform threads, among which the kernel shares the processors. A
/// virtual thread that computes would keep one of few carriers until it ends, and others would not
/// begin. They have long slices and a low priority, so that writers go first: beside two heavy
/// queries on two processors, nine of ten writes took three times as long without it, and as long
/// as ever with it (`bench-results/reading.md`). While nobody writes, they have all of the time.
///
/// See [TimeSlices].
public final class AnswerThread {
  private static final Logger LOG = Logger.getLogger("widerow");
  private static final int NICE = 10;

  private AnswerThread() {}

  /// Starts a thread.
  public static void start(String name, Runnable work) {
    Thread _ =
        Thread.ofPlatform()
            .name(name)
            .daemon()
            .start(() -> {
              if (!TimeSlices.lengthen(NICE)) {
                LOG.log(Level.FINE, "{0}: slices cannot be lengthened here", name);
              }
              work.run();
            });
  }
}
