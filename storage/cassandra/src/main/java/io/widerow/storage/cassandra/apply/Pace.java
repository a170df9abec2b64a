package io.widerow.storage.cassandra.apply;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// The waits of the applying thread: for responses, between tries, for more events. An interface,
/// so that a simulation takes no time.
///
/// - Threads: one waits; any calls [#wake] and [#stop].
public interface Pace {
  /// Waits for a response.
  ///
  /// @throws Stopped when a stop was requested
  <T> T join(CompletableFuture<T> answer) throws ExecutionException;

  /// Waits before another try.
  ///
  /// @param leastMillis the shortest pause; the longest is twice that
  /// @throws Stopped when nothing is tried any more
  void pause(long leastMillis);

  /// Waits until [#wake], or for so long.
  void idle(long nanos);

  /// @throws Stopped when nothing is tried any more
  void requireTime();

  /// Ends the current [#idle]; without one, the next call returns at once.
  void wake();

  /// Ends everything after so long; calls that still wait then throw [Stopped].
  void stop(long nanos);

  /// True when [#stop] was called.
  boolean isStopping();

  /// Nothing is tried any more.
  final class Stopped extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public Stopped() {
      super("stopped", null, false, false);
    }
  }

  /// The implementation with real waits.
  final class Real implements Pace {
    private static final long LOOK_NANOS = 100_000_000L;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition woken = lock.newCondition();
    private boolean wanted; // guarded by the lock
    private volatile boolean stopping;
    private volatile long endNanos;

    @Override
    public <T> T join(CompletableFuture<T> answer) throws ExecutionException {
      while (true) {
        try {
          return answer.get(LOOK_NANOS, TimeUnit.NANOSECONDS);
        } catch (TimeoutException waits) {
          requireTime();
        } catch (InterruptedException interrupt) {
          throw stopped();
        }
      }
    }

    private static Stopped stopped() {
      Thread.currentThread().interrupt();
      return new Stopped();
    }

    @Override
    public void requireTime() {
      if (stopping && System.nanoTime() - endNanos >= 0) {
        throw new Stopped();
      }
    }

    @Override
    public void pause(long leastMillis) {
      long millis = leastMillis + ThreadLocalRandom.current().nextLong(leastMillis + 1);
      long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
      lock.lock();
      try {
        for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
          requireTime();
          if (woken.awaitNanos(Math.min(left, LOOK_NANOS)) <= 0) {
            requireTime();
          }
        }
      } catch (InterruptedException interrupt) {
        throw stopped();
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void idle(long nanos) {
      lock.lock();
      try {
        long left = nanos;
        while (!wanted && !stopping && left > 0) {
          left = woken.awaitNanos(left);
        }
        wanted = false;
      } catch (InterruptedException interrupt) {
        throw stopped();
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void wake() {
      lock.lock();
      try {
        wanted = true;
        woken.signalAll();
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void stop(long nanos) {
      endNanos = System.nanoTime() + nanos;
      stopping = true;
      wake();
    }

    @Override
    public boolean isStopping() {
      return stopping;
    }
  }
}
