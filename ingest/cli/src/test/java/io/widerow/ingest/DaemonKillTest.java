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

/// Goal: a daemon that is killed at any moment, also while it recovers from the previous kill,
/// loses nothing acknowledged, shows nothing twice, and shows all in order. Method: the daemon as a
/// process with the real journal, and files and rows so small that kills overlap sealing, merging
/// and a change of file; senders with a ledger, late events, events that replace others, and
/// repeats of unanswered batches; every second store gets groups of up to 3 MiB. `-Dkills=<n>` sets
/// the number of kills in the profile `faults`; `-Dseed=<n>` repeats the times of a run.
@Timeout(value = 8, unit = TimeUnit.HOURS)
@Tag("process")
class DaemonKillTest {
  private static final int SENDERS = 4;
  private static final int KILLS_A_STORE = 100; // the whole store is read back every time
  private static final int RESTARTS_A_CHECK = 4;
  private static final String[] SMALL = ServeProcess.small(0);
  private static final String[] LARGE = ServeProcess.smallForLargeGroups(0);

  @TempDir private Path directory = Path.of(".");

  private final long seed = Seeds.one();
  private final SplittableRandom random = new SplittableRandom(seed);
  private int kills;
  private int killsInRecovery;
  private int restarts;
  private long batches;
  private long repeats;
  private long recognised;
  private long[] startMillis = new long[0];

  @Test
  void killedTwentyTimesItLosesNothing() throws IOException, InterruptedException {
    kill(20, 15);
  }

  @Test
  @Tag("faults")
  void killedThousandsOfTimesItLosesNothing() throws IOException, InterruptedException {
    kill(Integer.getInteger("kills", 2_000), KILLS_A_STORE);
  }

  private void kill(int times, int aStore) throws IOException, InterruptedException {
    QuickJvm jvm = QuickJvm.shared();
    boolean large = false;
    while (kills < times) {
      Path work = Files.createDirectory(directory.resolve("store-" + kills));
      int until = Math.min(times, kills + (large ? aStore / 3 : aStore));
      killOneStore(jvm, work.resolve("d"), large, until);
      large = !large;
      ServeProcess.delete(work);
    }
    Arrays.sort(startMillis);
    System.out.printf(
        "seed %d: %d kills, %d of them in recovery; %d batches acknowledged, %d attempts repeated,"
            + " %d recognised; lost 0, twice 0, out of order 0; start and recovery p50 %d ms,"
            + " p99 %d ms, max %d ms%n",
        seed,
        kills,
        killsInRecovery,
        batches,
        repeats,
        recognised,
        startMillis[startMillis.length / 2],
        startMillis[startMillis.length * 99 / 100],
        startMillis[startMillis.length - 1]);
    assertTrue(killsInRecovery > 0);
    FaultRecords.add(
        "kill -9 at a random time, of them in recovery " + killsInRecovery,
        kills,
        new FaultRecords.Batches(batches, repeats, recognised),
        startMillis);
  }

  private void killOneStore(QuickJvm jvm, Path data, boolean large, int until)
      throws IOException, InterruptedException {
    String[] sizes = large ? LARGE : SMALL;
    ServeProcess daemon = ServeProcess.start(jvm, data, sizes);
    try (LedgerLoad load =
        large ? LedgerLoad.large(SENDERS, daemon.port()) : new LedgerLoad(SENDERS, daemon.port())) {
      while (kills < until) {
        load.awaitMore(random.nextInt(1, 120));
        daemon.kill();
        kills++;
        while (kills < until && random.nextInt(3) == 0) {
          killInRecovery(jvm, data, sizes);
        }
        long start = System.nanoTime();
        daemon = ServeProcess.start(jvm, data, sizes);
        startMillis = Arrays.copyOf(startMillis, startMillis.length + 1);
        startMillis[startMillis.length - 1] =
            TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        load.moveTo(daemon.port());
        if (++restarts % RESTARTS_A_CHECK == 0) {
          load.verifyAcknowledged();
        }
      }
      load.awaitMore(10);
      load.end();
      load.verify();
      batches += load.acknowledged();
      repeats += load.repeats();
      recognised += load.recognised();
      assertEquals(0, daemon.stop(60), daemon.output());
    } finally {
      daemon.close();
    }
  }

  /// Starts a daemon and kills it within the time of a start: before, during or after recovery.
  private void killInRecovery(QuickJvm jvm, Path data, String[] sizes)
      throws IOException, InterruptedException {
    long typical = startMillis.length == 0 ? 1_000 : Arrays.stream(startMillis).min().orElseThrow();
    Process starting = ServeProcess.launch(jvm, data, directory.resolve("killed.log"), sizes);
    Await.pauseNanos(TimeUnit.MILLISECONDS.toNanos(random.nextLong(typical / 4, typical * 5 / 4)));
    starting.destroyForcibly();
    int _ = starting.waitFor();
    kills++;
    killsInRecovery++;
  }
}
