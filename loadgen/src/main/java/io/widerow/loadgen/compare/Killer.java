package io.widerow.loadgen.compare;

import io.widerow.loadgen.format.Quantity;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// Kills a daemon with SIGKILL at random times and restarts it on its directory. Some kills come
/// before it is ready, so that recovery is killed as well.
///
/// - Threads: `killer`, its own; [#finish] is the run's.
public final class Killer implements AutoCloseable {
  private static final double EARLY_SHARE = 0.2;

  private final Contestant contestant;
  private final Path data;
  private final InetSocketAddress address;
  private final SplittableRandom random;
  private final long pauseNanosMean;
  private final PrintWriter out;
  private final CountDownLatch finishing = new CountDownLatch(1);
  private final Thread thread;
  private ServerProcess server; // the killer's, then that of the thread after join
  private final AtomicInteger kills = new AtomicInteger();
  private volatile long recoveryNanosMax;
  private volatile @Nullable Exception failure;

  /// Starts the daemon, waits until it is ready, and begins.
  public Killer(
      Contestant contestant,
      Path data,
      InetSocketAddress address,
      long seed,
      long pauseNanosMean,
      PrintWriter out)
      throws IOException, InterruptedException {
    this.contestant = contestant;
    this.data = data;
    this.address = address;
    this.random = new SplittableRandom(seed);
    this.pauseNanosMean = pauseNanosMean;
    this.out = out;
    this.server = contestant.start(data, address);
    this.thread = Thread.ofPlatform().name("killer").unstarted(this::run);
    try {
      server.await(() -> contestant.isReady(address));
      thread.start();
    } catch (Throwable notReady) {
      server.close();
      throw notReady;
    }
  }

  private void run() {
    try {
      while (!finishing.await(random.nextLong(2 * pauseNanosMean), TimeUnit.NANOSECONDS)) {
        restart();
        if (random.nextDouble() < EARLY_SHARE) {
          long early = random.nextLong(1 + Math.min(pauseNanosMean, Quantity.SECOND));
          if (finishing.await(early, TimeUnit.NANOSECONDS)) {
            break;
          }
          restart();
        }
        ready();
      }
      ready();
    } catch (IOException | InterruptedException broken) {
      failure = broken;
    }
  }

  private void restart() throws IOException, InterruptedException {
    server.kill();
    server.close();
    kills.incrementAndGet();
    server = contestant.start(data, address);
  }

  private void ready() throws IOException, InterruptedException {
    long beganNanos = System.nanoTime();
    server.await(() -> contestant.isReady(address));
    long tookNanos = System.nanoTime() - beganNanos;
    recoveryNanosMax = Math.max(recoveryNanosMax, tookNanos);
  }

  /// Ends the kills; the daemon is ready when this returns.
  ///
  /// @throws IOException when the daemon did not come back
  public void finish() throws IOException, InterruptedException {
    finishing.countDown();
    thread.join();
    Exception broken = failure;
    if (broken != null) {
      throw new IOException("after " + kills + " kills: " + broken.getMessage(), broken);
    }
    out.printf(
        Locale.ROOT,
        "killed         %d times; ready again after %s at most%n",
        kills.get(),
        Quantity.time(recoveryNanosMax));
    out.flush();
  }

  public int kills() {
    return kills.get();
  }

  @Override
  public void close() {
    finishing.countDown();
    thread.interrupt();
    try {
      thread.join();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    server.close();
  }
}
