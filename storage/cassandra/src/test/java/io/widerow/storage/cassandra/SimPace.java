package io.widerow.storage.cassandra;

import io.widerow.storage.cassandra.apply.Pace;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/// Waits for nothing: answers are there when they are asked for. Gives up after a number of pauses,
/// so that a simulation goes on while the cluster is away.
final class SimPace implements Pace {
  private int pauses;

  void allow(int newPauses) {
    pauses = newPauses;
  }

  @Override
  public <T> T join(CompletableFuture<T> answer) throws ExecutionException {
    if (!answer.isDone()) {
      throw new AssertionError("a simulated answer is there at once");
    }
    try {
      return answer.get();
    } catch (InterruptedException interrupt) {
      throw new AssertionError(interrupt);
    }
  }

  @Override
  public void pause(long leastMillis) {
    if (pauses-- <= 0) {
      throw new Stopped();
    }
  }

  @Override
  public void idle(long nanos) {}

  @Override
  public void requireTime() {}

  @Override
  public void wake() {}

  @Override
  public void stop(long nanos) {}

  @Override
  public boolean isStopping() {
    return false;
  }
}
