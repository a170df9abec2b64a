package io.widerow.storage.embedded;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;

/// Background work of a store that runs late, while the lanes continue: when the test runs it.
///
/// - Threads: one.
final class LateTasks implements Executor {
  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();

  @Override
  public void execute(Runnable task) {
    tasks.add(task);
  }

  void run() {
    while (!tasks.isEmpty()) {
      tasks.removeFirst().run();
    }
  }

  /// Seals all rows and closes the store.
  void close(EmbeddedStore store) {
    run();
    store.sealAll();
    run();
    store.close();
  }
}
