package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Goal: the power may go at any moment; what was acknowledged at level disk is there afterwards,
/// once and in order, and the daemon starts by itself. Method: the daemon on a disk whose power is
/// cut under load, with journal files and rows so small that every cut meets sealing, merging and
/// the turn of a journal file. `-Dcuts=<n>` cuts more often, `-Dseed=<n>` at the times of another
/// run.
@Tag("faults")
@Timeout(value = 4, unit = TimeUnit.HOURS)
class PowerCutTest {
  private static final int SENDERS = 4;
  private static final double[] KEEP = {0, 0.1, 0.5, 0.9, 1};
  private static final String[] SMALL = {
    "--lanes", "2",
    "--set", "open-bytes=4194304",
    "--set", "journal-file-bytes=1048576",
    "--set", "journal-bytes=4194304",
    "--set", "merge-after=1s",
    "--set", "disk-reserve-bytes=16777216"
  };

  @TempDir private Path directory = Path.of(".");

  @ParameterizedTest
  @EnumSource
  void whatWasAcknowledgedSurvives(FaultDisk.Kind kind) throws IOException, InterruptedException {
    String missing = kind.missing();
    if (missing != null) {
      abort(missing);
    }
    long seed = Long.getLong("seed", System.nanoTime());
    SplittableRandom random = new SplittableRandom(seed);
    long[] recoveryMillis = new long[Integer.getInteger("cuts", 20)];
    try (FaultDisk disk = new FaultDisk(kind, Files.createDirectory(directory.resolve("disk")))) {
      Path data = disk.root().resolve("d");
      ServeProcess daemon = start(data);
      try (LedgerLoad load = new LedgerLoad(SENDERS, daemon.port())) {
        for (int cut = 0; cut < recoveryMillis.length; cut++) {
          load.awaitMore(random.nextInt(20, 600));
          disk.cut(random.nextLong(), KEEP[cut % KEEP.length]);
          daemon.kill();
          disk.restore();
          long start = System.nanoTime();
          daemon = start(data);
          recoveryMillis[cut] = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
          load.moveTo(daemon.port());
          load.verifyAcknowledged();
        }
        load.end();
        load.verify();
        Arrays.sort(recoveryMillis);
        System.out.printf(
            "%s, seed %d: %d cuts, %d batches acknowledged, %d attempts repeated, %d recognised;"
                + " start and recovery p50 %d ms, max %d ms%n",
            kind,
            seed,
            recoveryMillis.length,
            load.acknowledged(),
            load.repeats(),
            load.recognised(),
            recoveryMillis[recoveryMillis.length / 2],
            recoveryMillis[recoveryMillis.length - 1]);
        assertEquals(0, daemon.stop(30), daemon.output());
      } finally {
        daemon.close();
      }
    }
  }

  private ServeProcess start(Path data) throws IOException {
    return ServeProcess.startLogging(directory, data, SMALL);
  }
}
