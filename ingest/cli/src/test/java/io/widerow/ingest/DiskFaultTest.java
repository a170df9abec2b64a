package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assumptions.abort;

import io.widerow.faults.Await;
import io.widerow.faults.FaultDisk;
import io.widerow.faults.FaultRecords;
import io.widerow.faults.LedgerLoad;
import io.widerow.faults.QuickJvm;
import io.widerow.faults.Seeds;
import io.widerow.faults.ServeProcess;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: when a disk fails a force or a write, or is full, no acknowledged event is lost and nobody
/// has to intervene. Method: the daemon under load. The n-th force or write fails by `strace`
/// injection; or its disk is filled and emptied at random times, and the daemon is killed while the
/// disk is full and started again before or after there is room. `-Derrors=<n>` and `-Dfills=<n>`
/// set how often; `-Dseed=<n>` replays a run.
@Tag("faults")
@Timeout(value = 2, unit = TimeUnit.HOURS)
class DiskFaultTest {
  private static final int SENDERS = 4;
  private static final Path STRACE = Path.of("/usr/bin/strace");
  private static final String ENDED = "writing has ended";
  private static final int LATE_ERROR = 400;
  private static final int FILLS_A_STORE = 10; // the whole store is read back every time
  private static final long RESERVE_BYTES = 32 << 20;
  private static final String[] SMALL = ServeProcess.small(RESERVE_BYTES);

  @TempDir private Path directory = Path.of(".");
  private int startsOnFullDisk;

  /// The n-th force of a thread, or its n-th write at an offset of the journal, fails, for n = 1,
  /// 2, 3 ... and then at random later n. `strace` counts by thread, so the call fails in each
  /// thread that gets so far. With a plus all later ones fail too.
  @ParameterizedTest
  @CsvSource({"fdatasync,''", "fdatasync,+", "pwrite64,''", "pwrite64,+"})
  void aFailedCallIsNeverAcknowledged(String call, String andLater)
      throws IOException, InterruptedException {
    if (!Files.isExecutable(STRACE)) {
      abort("no strace: apt-get install strace");
    }
    QuickJvm jvm = QuickJvm.shared();
    long seed = Seeds.one();
    SplittableRandom random = new SplittableRandom(seed);
    Path data = directory.resolve("d");
    ServeProcess daemon = ServeProcess.start(jvm, data, SMALL);
    int errors = Integer.getInteger("errors", 5);
    int faults = 2 * errors;
    int atStart = 0;
    try (LedgerLoad load = new LedgerLoad(SENDERS, daemon.port())) {
      for (int error = 1; error <= faults; error++) {
        load.awaitMore(20);
        daemon.kill();
        int nth = error <= errors ? error : random.nextInt(errors, LATE_ERROR);
        ServeProcess failing = failing(jvm, data, call, nth + andLater);
        if (failing == null) {
          atStart++;
        } else {
          daemon = failing;
          readsOnAndEnds(load, daemon);
        }
        daemon = ServeProcess.start(jvm, data, SMALL);
        load.moveTo(daemon.port());
        load.verifyAcknowledged();
      }
      load.end();
      load.verify();
      System.out.printf(
          "seed %d: %s%s failed %d times, %d of them as it started, %d batches acknowledged, %d"
              + " attempts repeated%n",
          seed, call, andLater, faults, atStart, load.acknowledged(), load.repeats());
      assertEquals(0, daemon.stop(30), daemon.output());
      String what = call.equals("fdatasync") ? "a force of the disk" : "a write into the journal";
      String often = andLater.isEmpty() ? "once" : "each time";
      FaultRecords.add(
          "%s fails %s, n = 1 to %d and later; %d as it starts"
              .formatted(what, often, errors, atStart),
          faults,
          load.figures(),
          new long[0]);
    } finally {
      daemon.close();
    }
  }

  /// Queries still get everything acknowledged, and the process ends with the exit code of the
  /// cause.
  private static void readsOnAndEnds(LedgerLoad load, ServeProcess daemon)
      throws IOException, InterruptedException {
    load.moveTo(daemon.port());
    Await.until(() -> daemon.output().contains(ENDED), "the daemon logs its end");
    load.verifyAcknowledged();
    assertEquals(ServeProcess.FAILED, daemon.stop(30), daemon.output());
  }

  private @Nullable ServeProcess failing(QuickJvm jvm, Path data, String call, String when)
      throws IOException {
    List<String> strace =
        List.of(
            STRACE.toString(),
            "--follow-forks",
            "--seccomp-bpf",
            "--quiet=all",
            "--output=" + directory.resolve("strace.log"),
            "--trace=" + call,
            "--inject=" + call + ":error=EIO:when=" + when);
    return ServeProcess.startOrFail(strace, jvm, directory, data, SMALL);
  }

  @Test
  void aFullDiskStopsNothingForLong() throws IOException, InterruptedException {
    String missing = FaultDisk.Kind.EXT4.missing();
    if (missing != null) {
      abort(missing);
    }
    long seed = Seeds.one();
    SplittableRandom random = new SplittableRandom(seed);
    long[] resumeMillis = new long[Integer.getInteger("fills", 10)];
    QuickJvm jvm = QuickJvm.shared();
    var all = new FaultRecords.Batches(0, 0, 0);
    Path image = Files.createDirectory(directory.resolve("disk"));
    try (FaultDisk disk = new FaultDisk(FaultDisk.Kind.EXT4, image)) {
      for (int from = 0; from < resumeMillis.length; from += FILLS_A_STORE) {
        int until = Math.min(resumeMillis.length, from + FILLS_A_STORE);
        all = all.with(fill(jvm, disk, random, resumeMillis, from, until));
        ServeProcess.delete(disk.root().resolve("d"));
      }
    }
    FaultRecords.add(
        "disk full, %d starts on the full disk".formatted(startsOnFullDisk),
        resumeMillis.length,
        all,
        resumeMillis);
    Arrays.sort(resumeMillis);
    System.out.printf(
        "seed %d: disk filled %d times, %d batches acknowledged; took events again after p50 %d"
            + " ms, max %d ms%n",
        seed,
        resumeMillis.length,
        all.acknowledged(),
        resumeMillis[resumeMillis.length / 2],
        resumeMillis[resumeMillis.length - 1]);
  }

  private FaultRecords.Batches fill(
      QuickJvm jvm,
      FaultDisk disk,
      SplittableRandom random,
      long[] resumeMillis,
      int from,
      int until)
      throws IOException, InterruptedException {
    Path data = disk.root().resolve("d");
    Path ballast = disk.root().resolve("ballast");
    ServeProcess daemon = ServeProcess.startLogging(jvm, directory, data, SMALL);
    try (LedgerLoad load = new LedgerLoad(SENDERS, daemon.port())) {
      for (int fill = from; fill < until; fill++) {
        load.awaitMore(random.nextInt(20, 400));
        fill(ballast, random.nextLong(RESERVE_BYTES));
        load.awaitRefused(20);
        if (random.nextInt(3) == 0) {
          daemon.kill();
          while (random.nextInt(3) > 0) {
            daemon = startOnFullDisk(jvm, data, ballast);
            load.moveTo(daemon.port());
            load.verifyAcknowledged();
            daemon.kill();
          }
          boolean full = random.nextBoolean();
          if (full) {
            daemon = startOnFullDisk(jvm, data, ballast);
          }
          Files.delete(ballast);
          if (!full) {
            daemon = ServeProcess.startLogging(jvm, directory, data, SMALL);
          }
          load.moveTo(daemon.port());
        } else {
          Files.delete(ballast);
        }
        long start = System.nanoTime();
        load.awaitMore(1);
        resumeMillis[fill] = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        load.verifyAcknowledged();
      }
      load.end();
      load.verify();
      assertFalse(daemon.output().contains(ENDED), daemon.output());
      assertEquals(0, daemon.stop(30), daemon.output());
      return load.figures();
    } finally {
      daemon.close();
    }
  }

  private ServeProcess startOnFullDisk(QuickJvm jvm, Path data, Path ballast) throws IOException {
    FaultDisk.fill(ballast);
    startsOnFullDisk++;
    return ServeProcess.startLogging(jvm, directory, data, SMALL);
  }

  /// Fills the disk until about so many bytes are free.
  private static void fill(Path ballast, long left) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(ballast.toFile(), "rw")) {
      byte[] piece = new byte[1 << 20];
      while (ballast.toFile().getUsableSpace() > left + piece.length) {
        file.write(piece);
      }
      file.getFD().sync();
    }
  }
}
