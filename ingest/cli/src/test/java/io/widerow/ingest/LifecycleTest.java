package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import io.widerow.faults.FaultRecords;
import io.widerow.faults.LedgerLoad;
import io.widerow.faults.QuickJvm;
import io.widerow.faults.Seeds;
import io.widerow.faults.ServeProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a daemon that is stopped under load loses nothing and leaves nothing to replay. A daemon
/// that is suspended and resumed continues normally. Of two daemons started on one directory one
/// runs, and the other names it. Method: the daemon as a process, senders with a ledger, and
/// signals. `-Dstops=<n>`, `-Dholds=<n>` and `-Draces=<n>` set how often in the profile `faults`;
/// `-Dseed=<n>` repeats the times of a run.
@Timeout(value = 4, unit = TimeUnit.HOURS)
class LifecycleTest {
  private static final int SENDERS = 4;

  @TempDir private Path directory = Path.of(".");

  private final long seed = Seeds.one();
  private final SplittableRandom random = new SplittableRandom(seed);

  @Test
  @Tag("process")
  void aFewSignalsLoseNothing() throws IOException, InterruptedException {
    QuickJvm jvm = QuickJvm.shared();
    stop(jvm, 3);
    hold(jvm, 1, 500);
    race(jvm, 2);
  }

  @Test
  @Tag("faults")
  void manyStopsLoseNothing() throws IOException, InterruptedException {
    stop(QuickJvm.shared(), Integer.getInteger("stops", 100));
  }

  @Test
  @Tag("faults")
  void manyHoldsLoseNothing() throws IOException, InterruptedException {
    hold(QuickJvm.shared(), Integer.getInteger("holds", 10), 30_000);
  }

  @Test
  @Tag("faults")
  void manyRacesHaveOneWinner() throws IOException, InterruptedException {
    race(QuickJvm.shared(), Integer.getInteger("races", 100));
  }

  private void stop(QuickJvm jvm, int times) throws IOException, InterruptedException {
    Path data = Files.createDirectory(directory.resolve("stopped")).resolve("d");
    long[] stopMillis = new long[times];
    ServeProcess daemon = ServeProcess.start(jvm, data, "--lanes", "2");
    try (LedgerLoad load = new LedgerLoad(SENDERS, daemon.port())) {
      for (int stop = 0; stop < times; stop++) {
        load.awaitMore(random.nextInt(1, 100));
        long start = System.nanoTime();
        assertEquals(0, daemon.stop(60), daemon.output());
        stopMillis[stop] = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        daemon = ServeProcess.start(jvm, data, "--lanes", "2");
        assertTrue(daemon.output().contains(" 0 events replayed"), daemon.output());
        load.moveTo(daemon.port());
        if (stop % 10 == 0) {
          load.verifyAcknowledged();
        }
      }
      load.awaitMore(10);
      load.end();
      load.verify();
      Arrays.sort(stopMillis);
      System.out.printf(
          "seed %d: stopped %d times under load, %d batches acknowledged, %d attempts repeated, %d"
              + " recognised; lost 0; stopped within p50 %d ms, max %d ms; nothing to replay%n",
          seed,
          times,
          load.acknowledged(),
          load.repeats(),
          load.recognised(),
          stopMillis[times / 2],
          stopMillis[times - 1]);
      FaultRecords.add("SIGTERM under load, ms to stop", times, load.figures(), stopMillis);
    } finally {
      daemon.close();
    }
  }

  private void hold(QuickJvm jvm, int times, int millisMax)
      throws IOException, InterruptedException {
    Path data = Files.createDirectory(directory.resolve("held")).resolve("d");
    ServeProcess daemon = ServeProcess.start(jvm, data, "--lanes", "2");
    try (daemon;
        LedgerLoad load = new LedgerLoad(SENDERS, daemon.port())) {
      for (int hold = 0; hold < times; hold++) {
        load.awaitMore(random.nextInt(1, 100));
        signal(daemon, "-STOP");
        Await.pauseNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(millisMax / 2, millisMax)));
        signal(daemon, "-CONT");
        load.awaitMore(10);
        load.verifyAcknowledged();
      }
      load.end();
      load.verify();
      System.out.printf(
          "seed %d: held up %d times, %d batches acknowledged, %d attempts repeated, %d recognised;"
              + " lost 0%n",
          seed, times, load.acknowledged(), load.repeats(), load.recognised());
      assertEquals(0, daemon.stop(60), daemon.output());
      FaultRecords.add("SIGSTOP, then SIGCONT", times, load.figures(), new long[0]);
    }
  }

  private static void signal(ServeProcess daemon, String signal)
      throws IOException, InterruptedException {
    Process kill = new ProcessBuilder("kill", signal, Long.toString(daemon.pid())).start();
    assertEquals(0, kill.waitFor());
  }

  /// On new directories, and on existing stores.
  private void race(QuickJvm jvm, int times) throws IOException, InterruptedException {
    Path old = Files.createDirectory(directory.resolve("old")).resolve("d");
    for (int race = 0; race < times; race++) {
      Path data =
          race % 2 == 0
              ? Files.createDirectory(directory.resolve("new-" + race)).resolve("d")
              : old;
      Path[] logs = {
        directory.resolve("one-" + race + ".log"), directory.resolve("two-" + race + ".log")
      };
      Process[] runners = new Process[2];
      for (int i = 0; i < 2; i++) {
        runners[i] = ServeProcess.launch(jvm, data, logs[i], "--lanes", "2");
        Await.pauseNanos(random.nextLong(20_000_000));
      }
      try {
        Await.until(
            () -> !runners[0].isAlive() || !runners[1].isAlive(), "one of both daemons ends");
        int winner = runners[0].isAlive() ? 0 : 1;
        Await.until(
            () -> {
              assertTrue(runners[winner].isAlive(), () -> both(logs));
              return Files.readString(logs[winner]).contains("; ready");
            },
            "the other one is ready");
        assertEquals(75, runners[1 - winner].waitFor(), () -> both(logs));
        String told = Files.readString(logs[1 - winner]);
        assertTrue(told.contains("process " + runners[winner].pid()), () -> both(logs));
        runners[winner].destroy();
        assertEquals(0, runners[winner].waitFor(), () -> both(logs));
      } finally {
        for (Process runner : runners) {
          runner.destroyForcibly();
        }
      }
    }
    System.out.printf("seed %d: %d races of two daemons, one winner each%n", seed, times);
    FaultRecords.add(
        "two daemons start at once: one runs, the other names it and ends",
        times,
        new FaultRecords.Batches(0, 0, 0),
        new long[0]);
  }

  private static String both(Path[] logs) {
    try {
      return Files.readString(logs[0]) + "\n" + Files.readString(logs[1]);
    } catch (IOException failure) {
      return failure.toString();
    }
  }
}
