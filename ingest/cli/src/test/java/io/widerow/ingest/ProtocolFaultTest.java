package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.abort;

import io.widerow.faults.FaultDisk;
import io.widerow.faults.NumberedLoad;
import io.widerow.faults.NumberedSender;
import io.widerow.faults.QuickJvm;
import io.widerow.faults.Seeds;
import io.widerow.faults.ServeProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: in every protocol, `kill -9` and a full disk lose nothing acknowledged and store nothing
/// twice, and a full disk is reported in the form of the protocol. Method: the daemon as a process
/// with small files; a sender of each protocol of [NumberedSender], which repeats what got no
/// answer; kills, and fills of its disk, at seeded moments. `-Dprotocol.kills=<n>` and
/// `-Dprotocol.fills=<n>` set how many in the profile `faults`; `-Dseed=<n>` repeats the moments of
/// a run.
@Timeout(value = 4, unit = TimeUnit.HOURS)
@Tag("process")
class ProtocolFaultTest {
  private static final long DISK_BYTES = 160 << 20;
  private static final long RESERVE_BYTES = 16 << 20;
  private static final int KILLS_A_STORE = 40; // the whole store is read back every time
  private static final int FILLS_A_STORE = 5;

  @TempDir private Path directory = Path.of(".");

  private SplittableRandom random = new SplittableRandom();
  private long batches;
  private long repeats;

  static List<Long> seeds() {
    return List.of(Seeds.one());
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void killedAFewTimesNoProtocolLosesAnything(long seed) throws IOException, InterruptedException {
    kill(seed, 4);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  @Tag("faults")
  void killedOftenNoProtocolLosesAnything(long seed) throws IOException, InterruptedException {
    kill(seed, Integer.getInteger("protocol.kills", 200));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void aFullDiskCostsNoProtocolAnything(long seed) throws IOException, InterruptedException {
    fill(seed, 2);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  @Tag("faults")
  void anOftenFullDiskCostsNoProtocolAnything(long seed) throws IOException, InterruptedException {
    fill(seed, Integer.getInteger("protocol.fills", 20));
  }

  private void kill(long seed, int kills) throws IOException, InterruptedException {
    random = new SplittableRandom(seed);
    for (int done = 0; done < kills; done += KILLS_A_STORE) {
      Path work = Files.createDirectory(directory.resolve("store-" + done));
      killOneStore(work.resolve("d"), Math.min(KILLS_A_STORE, kills - done));
      ServeProcess.delete(work);
    }
    print(seed, kills + " kills");
  }

  private void killOneStore(Path data, int kills) throws IOException, InterruptedException {
    String[] small = ServeProcess.small(0);
    ServeProcess daemon = ServeProcess.start(QuickJvm.shared(), data, small);
    try (NumberedLoad load = new NumberedLoad(daemon.port())) {
      for (int kill = 0; kill < kills; kill++) {
        load.awaitMore(random.nextInt(1, 150));
        daemon.kill();
        daemon = ServeProcess.start(QuickJvm.shared(), data, small);
        load.moveTo(daemon.port());
      }
      load.awaitMoreOfEach(2);
      finish(load, daemon);
    } finally {
      daemon.close();
    }
  }

  private void fill(long seed, int fills) throws IOException, InterruptedException {
    random = new SplittableRandom(seed);
    String missing = FaultDisk.Kind.EXT4.missing();
    if (missing != null) {
      skip(missing);
    }
    for (int done = 0; done < fills; done += FILLS_A_STORE) {
      Path image = Files.createDirectory(directory.resolve("disk-" + done));
      try (FaultDisk disk = mounted(image)) {
        fillOneDisk(disk.root(), Math.min(FILLS_A_STORE, fills - done));
      }
      ServeProcess.delete(image);
    }
    print(seed, "a disk full " + fills + " times");
  }

  private static FaultDisk mounted(Path image) throws IOException {
    try {
      return new FaultDisk(FaultDisk.Kind.EXT4, DISK_BYTES, image);
    } catch (IOException refused) {
      skip("a file system cannot be mounted here: " + refused.getMessage());
      throw refused;
    }
  }

  /// Ends the test as skipped, and says so also where a build shows no reasons of skipped tests.
  private static void skip(String why) {
    System.err.println("ProtocolFaultTest: SKIPPED, nothing was tested: " + why);
    abort(why);
  }

  private void fillOneDisk(Path root, int fills) throws IOException, InterruptedException {
    String[] small = ServeProcess.small(RESERVE_BYTES);
    Path data = root.resolve("d");
    Path ballast = root.resolve("ballast");
    ServeProcess daemon = ServeProcess.startLogging(QuickJvm.shared(), directory, data, small);
    try (NumberedLoad load = new NumberedLoad(daemon.port())) {
      for (int fill = 0; fill < fills; fill++) {
        load.awaitMore(random.nextInt(1, 150));
        FaultDisk.fill(ballast);
        load.awaitFull(random.nextInt(1, 4));
        boolean killed = random.nextBoolean();
        if (killed) {
          daemon.kill();
        }
        Files.delete(ballast);
        if (killed) {
          daemon = ServeProcess.startLogging(QuickJvm.shared(), directory, data, small);
          load.moveTo(daemon.port());
        }
        load.awaitMoreOfEach(2);
        load.verify();
      }
      finish(load, daemon);
    } finally {
      daemon.close();
    }
  }

  private void finish(NumberedLoad load, ServeProcess daemon)
      throws IOException, InterruptedException {
    load.end();
    load.verify();
    batches += load.batches();
    repeats += load.repeats();
    assertEquals(0, daemon.stop(60), daemon.output());
  }

  private void print(long seed, String faults) {
    System.out.printf(
        "seed %d: %s; %d protocols, %d batches acknowledged, %d attempts repeated; lost 0, twice"
            + " 0%n",
        seed, faults, NumberedSender.ALL.size(), batches, repeats);
  }
}
