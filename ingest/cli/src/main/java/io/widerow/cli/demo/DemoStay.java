package io.widerow.cli.demo;

import java.util.concurrent.CountDownLatch;

/// Keeps the demo's daemon running until the process is asked to stop, and the process alive until
/// the daemon and its store are closed.
///
/// - Threads: that of the demo, and one that the JVM starts when it is asked to stop.
final class DemoStay {
  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch over = new CountDownLatch(1);

  /// Returns when the process is asked to stop, as by Ctrl-C.
  void untilAsked() throws InterruptedException {
    Runtime.getRuntime()
        .addShutdownHook(Thread.ofPlatform().name("widerow-demo-stop").unstarted(this::stop));
    asked.await();
  }

  /// Everything is closed: the process may end.
  void over() {
    over.countDown();
  }

  private void stop() {
    asked.countDown();
    try {
      over.await();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
