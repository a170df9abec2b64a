package io.widerow.storage.cassandra.maintenance;

import io.widerow.storage.cassandra.keyspace.Keyspace;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.random.RandomGenerator;

/// Runs tasks side by side, one statement at a time, in an order that a seed decides.
final class Turns {
  private final RandomGenerator random;
  private final List<Integer> waiting = new ArrayList<>(); // guarded by this, as is the rest
  private final List<Throwable> failures = new ArrayList<>();
  private int live;
  private int turn = -1;

  Turns(RandomGenerator random) {
    this.random = random;
  }

  /// The keyspace as a task sees it: each statement waits for its turn.
  Keyspace of(int task, Keyspace keyspace) {
    return WatchedKeyspace.of(
        keyspace,
        (_, _, inner) -> {
          await(task);
          return inner.call();
        });
  }

  private synchronized void await(int task) throws InterruptedException {
    waiting.add(task);
    notifyAll();
    while (turn != task) {
      wait();
    }
    turn = -1;
  }

  /// Runs all to their ends.
  ///
  /// @return what they threw
  List<Throwable> run(List<Callable<Void>> tasks) throws InterruptedException {
    live = tasks.size();
    for (Callable<Void> task : tasks) {
      Thread.ofVirtual().start(() -> end(task));
    }
    synchronized (this) {
      while (live > 0) {
        if (waiting.size() == live && turn < 0) {
          turn = waiting.remove(/* index */ random.nextInt(waiting.size()));
          notifyAll();
        } else {
          wait();
        }
      }
    }
    return failures;
  }

  private void end(Callable<Void> task) {
    Throwable failure = null;
    try {
      task.call();
    } catch (Throwable failed) {
      failure = failed;
    }
    synchronized (this) {
      if (failure != null) {
        failures.add(failure);
      }
      live--;
      notifyAll();
    }
  }
}
