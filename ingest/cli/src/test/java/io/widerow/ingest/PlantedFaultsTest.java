package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import io.widerow.faults.FaultDisk;
import io.widerow.faults.LedgerLoad;
import io.widerow.faults.PlantLoader;
import io.widerow.faults.PlantLoader.Cut;
import io.widerow.faults.QuickJvm;
import io.widerow.faults.Seeds;
import io.widerow.faults.ServeProcess;
import io.widerow.ingest.lane.BatchLedger;
import io.widerow.ingest.lane.LaneGroup;
import io.widerow.storage.LaneWriter;
import io.widerow.storage.disk.DiskFile;
import io.widerow.storage.journal.ChronicleFile;
import io.widerow.storage.journal.Journal;
import io.widerow.storage.journal.NativeFile;
import io.widerow.storage.manifest.Manifest;
import io.widerow.storage.recovery.Replay;
import io.widerow.storage.recovery.RowSink;
import io.widerow.storage.segment.SegmentWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: real kills and real power cuts find a daemon with a broken rule, so a run of them that
/// finds nothing means something. Method: the daemon as a process whose byte code lacks one rule;
/// kills, or cuts of the power of its disk, until the ledger of the senders disagrees with the
/// events shown. Rules that this cannot show, as the order of names on ext4, are left to the
/// simulators of storage. A run takes one rule by its seed, which is printed; `-Dseed=<n>` repeats
/// it, and the profile `faults` takes all.
@Timeout(1_800)
class PlantedFaultsTest {
  private static final int SENDERS = 4;
  private static final int FAULTS_MAX = 200; // one rule needs a kill during a force
  private static final int FAULTS_MAX_IN_EACH_BUILD = 40; // most rules are shown by the first
  private static final int BATCHES_MAX = 200; // between two faults
  private static final String LANE = "io.widerow.storage.embedded.EmbeddedLane"; // not public
  private static final String[] SMALL = ServeProcess.small(0);

  @TempDir private Path directory = Path.of(".");

  private static final List<Planted> PLANTS =
      List.of(
          byKill( // shown when the kill meets a force: after 18 kills, and after 47
              "answered before the commit",
              Cut.to(LaneGroup.class, "append", List.class, "add", "answerAndAdd")),
          byKill(
              "answered without a commit",
              Cut.out(LaneGroup.class, "commit", LaneWriter.class, "commit")),
          byKill(
              "a repeat is stored again",
              Cut.to(LaneGroup.class, "take", BatchLedger.class, "find", "unknown")),
          byKill(
              "keys are not journaled",
              Cut.out(LaneGroup.class, "append", LaneWriter.class, "note")),
          byKill(
              "keys are forgotten at a restart",
              Cut.out(LaneGroup.class, "restore", LaneWriter.class, "notes")),
          byKill(
              "recovery seals nothing", Cut.out(Replay.class, "sealRows", RowSink.class, "seal")),
          byCut("a group is not forced", new Cut(LANE, "force", Journal.class, "force", -1, null)),
          byCut(
              "a force does not reach the file",
              Cut.out(ChronicleFile.class, "force", NativeFile.class, "force")),
          byCut(
              "an edit of the manifest is not forced",
              Cut.out(Manifest.class, "append", DiskFile.class, "force")),
          byCut(
              "a segment is not forced",
              Cut.out(SegmentWriter.class, "finish", DiskFile.class, "force")));

  /// A rule that the daemon breaks.
  ///
  /// @param cut whether a power cut must show it, else a kill
  record Planted(String rule, boolean cut, Cut call) {
    static Planted of(String rule) {
      return PLANTS.stream().filter(each -> each.rule.equals(rule)).findFirst().orElseThrow();
    }

    @Override
    public String toString() {
      return rule;
    }
  }

  private static Planted byKill(String rule, Cut call) {
    return new Planted(rule, false, call);
  }

  private static Planted byCut(String rule, Cut call) {
    return new Planted(rule, true, call);
  }

  private static Stream<Planted> of(boolean cut) {
    return PLANTS.stream().filter(plant -> plant.cut() == cut);
  }

  /// One of the faults that the first kills show.
  static Stream<Planted> oneForKills() {
    List<Planted> all = of(false).skip(1).toList();
    long seed = Seeds.of(1).getFirst();
    System.out.println("planted for kills by seed " + seed);
    return Stream.of(all.get(new SplittableRandom(seed).nextInt(all.size())));
  }

  static Stream<Planted> forKills() {
    return of(false);
  }

  static Stream<Planted> forCuts() {
    return of(true);
  }

  @Test
  void eachRuleIsInTheByteCode() throws ClassNotFoundException {
    for (Planted plant : PLANTS) {
      PlantLoader loader = PlantedServe.loaderOf(plant);
      assertTrue(loader.done(plant.call()) > 0, plant.rule());
    }
  }

  @ParameterizedTest
  @MethodSource("oneForKills")
  @Tag("process")
  void killsFindOne(Planted plant) throws IOException, InterruptedException {
    findByKills(plant, FAULTS_MAX_IN_EACH_BUILD);
  }

  @ParameterizedTest
  @Tag("faults")
  @MethodSource("forKills")
  void killsFindEach(Planted plant) throws IOException, InterruptedException {
    findByKills(plant, FAULTS_MAX);
  }

  private void findByKills(Planted plant, int max) throws IOException, InterruptedException {
    Path data = directory.resolve("d");
    find(plant, data, max, (daemon, _) -> daemon.kill());
  }

  @ParameterizedTest
  @Tag("faults")
  @MethodSource("forCuts")
  void powerCutsFindEach(Planted plant) throws IOException, InterruptedException {
    String missing = FaultDisk.Kind.EXT4.missing();
    if (missing != null) {
      abort(missing);
    }
    Path image = Files.createDirectory(directory.resolve("disk"));
    try (FaultDisk disk = new FaultDisk(FaultDisk.Kind.EXT4, image)) {
      find(
          plant,
          disk.root().resolve("d"),
          FAULTS_MAX,
          (daemon, load) -> {
            load.cutOff();
            disk.cut(0, 0);
            daemon.kill();
            disk.restore();
          });
    }
  }

  @FunctionalInterface
  private interface Fault {
    void strike(ServeProcess daemon, LedgerLoad load) throws IOException, InterruptedException;
  }

  /// The senders wait while the daemon starts and its answer is checked, so what they have sent,
  /// which is held in memory, depends on the number of faults and not on the machine's speed.
  private void find(Planted plant, Path data, int max, Fault fault)
      throws IOException, InterruptedException {
    long seed = Seeds.of(1).getFirst();
    SplittableRandom random = new SplittableRandom(seed);
    QuickJvm jvm = QuickJvm.shared().running(PlantedServe.class, plant.rule());
    String found = null;
    int faults = 0;
    ServeProcess daemon = ServeProcess.startLogging(jvm, directory, data, SMALL);
    try (LedgerLoad load = new LedgerLoad(SENDERS, daemon.port())) {
      while (found == null && faults < max) {
        load.awaitMore(random.nextInt(20, BATCHES_MAX));
        fault.strike(daemon, load);
        load.hold(true);
        faults++;
        daemon = ServeProcess.startLogging(jvm, directory, data, SMALL);
        load.moveTo(daemon.port());
        found = failure(load);
        load.hold(false);
      }
    } catch (ServeProcess.EndedException ended) { // it says itself that something is missing
      found = String.valueOf(ended.getMessage());
    } finally {
      daemon.close();
    }
    String what = "%s, seed %d: %d faults found %s".formatted(plant, seed, faults, found);
    System.out.println(what.lines().findFirst().orElseThrow());
    assertTrue(found != null, what);
  }

  private static @Nullable String failure(LedgerLoad load)
      throws IOException, InterruptedException {
    try {
      load.verifyAcknowledged();
      return null;
    } catch (AssertionError wrong) {
      return String.valueOf(wrong.getMessage());
    }
  }
}
