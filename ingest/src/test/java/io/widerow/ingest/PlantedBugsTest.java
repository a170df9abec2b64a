package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.lmax.disruptor.dsl.Disruptor;
import io.widerow.faults.FaultRecords;
import io.widerow.faults.PlantLoader;
import io.widerow.faults.PlantLoader.Cut;
import io.widerow.faults.Seeds;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.Refusals;
import io.widerow.ingest.decode.SenderTime;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.IntakeRequest;
import io.widerow.ingest.intake.BodyDigest;
import io.widerow.ingest.intake.BodyDigestTest;
import io.widerow.ingest.intake.ByteCredit;
import io.widerow.ingest.intake.Intake;
import io.widerow.ingest.lane.BatchKey;
import io.widerow.ingest.lane.BatchKeyTest;
import io.widerow.ingest.lane.BatchLedger;
import io.widerow.ingest.lane.BatchOutcome;
import io.widerow.ingest.lane.BatchPart;
import io.widerow.ingest.lane.BatchSplit;
import io.widerow.ingest.lane.LaneGroup;
import io.widerow.ingest.lane.LaneRing;
import io.widerow.ingest.lane.Lanes;
import io.widerow.ingest.lane.LanesTest;
import io.widerow.ingest.lane.PositionLedger;
import io.widerow.ingest.lane.SourceCrashTest;
import io.widerow.ingest.lane.SourcePlace;
import io.widerow.ingest.lane.WriteState;
import io.widerow.storage.Durability;
import io.widerow.storage.LaneWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: the tests of this module detect every broken rule about acknowledgements. Method: the
/// product's classes and a test are loaded again with one rule cut out of their byte code, see
/// [PlantLoader]. The test must fail, and must pass on the unchanged classes. Each run takes a
/// third of the rules, without rules that only a ten-second wait for a response detects. Which
/// third depends on the seed, which is printed: `-Dseed=<n>` repeats it, `-Dplants=all` takes all,
/// `-Dplant=<regex>` some.
@Tag("deep")
class PlantedBugsTest {
  private static final long SEED = Seeds.of(1).getFirst();
  private static final List<Planted> PLANTS = plants();
  private static final List<String> CAUGHT = new ArrayList<>();

  @TempDir private Path directory = Path.of(".");

  /// A broken rule.
  ///
  /// @param rule what the product does and this variant does not
  /// @param waits whether the test detects it by waiting in vain for an answer
  record Planted(String rule, Suite suite, List<Cut> cuts, boolean waits) {
    Planted thatWaits() {
      return new Planted(rule, suite, cuts, true);
    }

    @Override
    public String toString() {
      return rule;
    }
  }

  /// A test, by its class, its name and its arguments.
  record Suite(Class<?> in, String test, List<Object> arguments) {
    @Override
    public String toString() {
      return in.getSimpleName() + "." + test;
    }
  }

  private static Planted planted(String rule, Class<?> in, String test, Cut... cuts) {
    return new Planted(rule, new Suite(in, test, List.of()), List.of(cuts), false);
  }

  /// All with `-Dplants=all`, otherwise a third of the rules without a wait.
  static List<Planted> slice() {
    int third = (int) Math.floorMod(SEED, 3L);
    boolean all = "all".equals(System.getProperty("plants")) || System.getProperty("plant") != null;
    return PLANTS.stream()
        .filter(plant -> all || (!plant.waits() && PLANTS.indexOf(plant) % 3 == third))
        .toList();
  }

  static List<Suite> suites() {
    return slice().stream().map(Planted::suite).distinct().toList();
  }

  private static List<Planted> plants() {
    return Stream.of(groups(), parts(), keys(), positions(), requests())
        .flatMap(List::stream)
        .filter(plant -> plant.rule().matches(System.getProperty("plant", ".*")))
        .toList();
  }

  private static List<Planted> groups() {
    return List.of(
        planted(
            "nobody is answered before the commit",
            LanesTest.class,
            "noBatchIsAnsweredBeforeTheCommit",
            Cut.to(LaneGroup.class, "append", List.class, "add", "answerAndAdd")),
        planted(
            "nobody is answered without a commit",
            LanesTest.class,
            "noBatchIsAnsweredBeforeTheCommit",
            Cut.out(LaneGroup.class, "commit", LaneWriter.class, "commit")),
        planted(
            "a group is as durable as the strongest level that is asked for",
            LanesTest.class,
            "batchesThatWaitDuringACommitFormOneGroupAtTheStrongestLevel",
            Cut.out(LaneGroup.class, "take", Durability.class, "compareTo")),
        planted(
            "what the store refuses is told",
            LanesTest.class,
            "aRepeatIsAnsweredAndNotStoredAgainAlsoAfterARestart",
            Cut.out(LaneGroup.class, "append", Refusals.class, "addAll")),
        planted(
            "a refusal names the event of the request",
            LanesTest.class,
            "aRefusalOfTheStoreNamesTheEventOfTheRequest",
            Cut.to(
                "io.widerow.ingest.lane.LaneGroup$StoreRejections",
                "rejected",
                BatchPart.class,
                "requestIndex",
                "sameIndex")),
        planted(
            "a failure ends the writing",
            LanesTest.class,
            "aFailureFailsWaitingAndLaterBatches",
            Cut.out(LaneGroup.class, "fail", WriteState.class, "fail")),
        planted(
                "a failure is told to all who wait",
                LanesTest.class,
                "aFailureFailsWaitingAndLaterBatches",
                Cut.out(LaneGroup.class, "fail", LaneGroup.class, "answerAll"))
            .thatWaits(),
        planted(
                "what is thrown on a lane ends the writing",
                LanesTest.class,
                "aFailureFailsWaitingAndLaterBatches",
                Cut.out(LaneRing.class, "onSlot", LaneGroup.class, "fail"))
            .thatWaits(),
        planted(
            "who finds the ring full is told",
            LanesTest.class,
            "aFullRingIsReportedAsOverload",
            Cut.out(Lanes.class, "offer", BatchPart.class, "done")),
        planted(
            "a lane that closes finishes what it has",
            LanesTest.class,
            "closingLanesAnswerAllTheirBatches",
            Cut.out(LaneRing.class, "close", Disruptor.class, "shutdown")));
  }

  private static List<Planted> parts() {
    return List.of(
        planted(
            "a batch of several lanes is acknowledged when all have it",
            LanesTest.class,
            "aBatchOfTwoLanesIsAnsweredWhenBothHaveIt",
            Cut.out(BatchSplit.Join.class, "accept", AtomicInteger.class, "decrementAndGet")),
        planted(
            "a batch of several lanes is acknowledged when none failed",
            LanesTest.class,
            "aBatchWhoseOtherPartFailsIsNotAcknowledged",
            Cut.to(BatchSplit.Join.class, "join", BatchOutcome.class, "merge", "nicer")),
        new Planted(
            "a part of a batch does not vouch for the others",
            new Suite(LanesTest.class, "aStoredPartDoesNotVouchForTheOthers", List.of(3, 3)),
            List.of(Cut.to(Lanes.class, "write", BatchKey.class, "part", "whole")),
            false));
  }

  private static List<Planted> keys() {
    String again = "aRepeatIsAnsweredAndNotStoredAgainAlsoAfterARestart";
    String keys = "keysThatDifferInOneInputDiffer";
    return List.of(
        planted(
            "a repeat is not stored again",
            LanesTest.class,
            again,
            Cut.to(LaneGroup.class, "take", BatchLedger.class, "find", "unknown")),
        planted(
            "a repeat is told what was refused",
            LanesTest.class,
            again,
            Cut.to(LaneGroup.class, "take", BatchLedger.class, "refused", "nothingRefused")),
        planted(
            "a batch's key is journaled with it",
            LanesTest.class,
            again,
            Cut.out(LaneGroup.class, "append", LaneWriter.class, "note")),
        planted(
            "keys of before the restart are known",
            LanesTest.class,
            again,
            Cut.out(LaneGroup.class, "restore", LaneWriter.class, "notes")),
        planted(
            "a batch that found no room is not known",
            LanesTest.class,
            "aGroupThatFindsTheDiskFullAtItsCommitIsForgotten",
            Cut.out(LaneGroup.class, "dropGroup", BatchLedger.class, "forgetUncommitted")),
        planted(
            "a key is its sender's",
            BatchKeyTest.class,
            keys,
            Cut.out(BatchKey.class, "start", BatchKey.class, "updateCounted").only(0)),
        planted(
            "a key is its endpoint's",
            BatchKeyTest.class,
            keys,
            Cut.out(BatchKey.class, "start", BatchKey.class, "updateCounted").only(1)),
        planted(
            "a key tells sender and endpoint apart",
            BatchKeyTest.class,
            keys,
            Cut.out(BatchKey.class, "updateCounted", MessageDigest.class, "update").only(0)),
        planted(
            "a given key is none of a body",
            BatchKeyTest.class,
            keys,
            Cut.out(BatchKey.class, "start", MessageDigest.class, "update")),
        planted(
            "a key has what was given, or the digest of the body, in it",
            BatchKeyTest.class,
            keys,
            Cut.out(BatchKey.class, "of", MessageDigest.class, "update")),
        planted(
            "the digest of a body has its bytes in it",
            BodyDigestTest.class,
            "otherBodiesHaveOtherDigests",
            Cut.out(BodyDigest.class, "of", MessageDigest.class, "update")),
        planted(
            "the key of a part has its batch and number in it",
            BatchKeyTest.class,
            keys,
            Cut.out(BatchKey.class, "part", MessageDigest.class, "update")));
  }

  private static List<Planted> positions() {
    String once = "eachRecordOfManySeedsIsStoredOnce";
    return List.of(
        planted(
            "a position is in the group of its events",
            SourceCrashTest.class,
            once,
            Cut.out(LaneGroup.class, "commit", PositionLedger.class, "note")),
        planted(
            "a position outlives the notes of its group",
            SourceCrashTest.class,
            once,
            Cut.to(
                LaneGroup.class, "forgetNotes", PositionLedger.class, "carry", "nothingToCarry")),
        planted(
            "a batch of a source waits for the one before it",
            SourceCrashTest.class,
            once,
            Cut.to(LaneGroup.class, "take", PositionLedger.class, "turn", "always")),
        planted(
            "a dropped group has no position",
            SourceCrashTest.class,
            once,
            Cut.out(LaneGroup.class, "dropGroup", PositionLedger.class, "forgetUncommitted")),
        planted(
            "a record that the store refused is owed a letter",
            SourceCrashTest.class,
            once,
            Cut.to(LaneGroup.class, "append", SourcePlace.class, "refused", "notOwed")),
        planted(
            "owed letters are not forgotten",
            SourceCrashTest.class,
            once,
            Cut.to(PositionLedger.class, "position", SourcePlace.class, "owed", "notOwed")),
        planted(
            "a position is that of a topic, not of a name",
            SourceCrashTest.class,
            once,
            Cut.to(SourcePlace.class, "note", ByteBuffer.class, "putLong", "zero").only(0),
            Cut.to(SourcePlace.class, "note", ByteBuffer.class, "putLong", "zero").only(1)));
  }

  private static List<Planted> requests() {
    return List.of(
        planted(
            "what was refused is in the answer",
            DaemonTest.class,
            "jsonLinesAreStoredAndBadOnesNamed",
            Cut.out(HttpResponses.class, "stored", Refusals.class, "listed")),
        planted(
                "credit is claimed before the body is read",
                DaemonTest.class,
                "creditIsClaimedBeforeTheBodyArrives",
                Cut.to(IntakeRequest.class, "admit", ByteCredit.class, "tryClaim", "freely"))
            .thatWaits(),
        planted(
                "credit is given back",
                DaemonTest.class,
                "creditIsClaimedBeforeTheBodyArrives",
                Cut.out(IntakeRequest.class, "finish", ByteCredit.class, "release"))
            .thatWaits(),
        planted(
                "a daemon that stops takes no more",
                DaemonTest.class,
                "aStoppingDaemonAnswersRequestsInFlightAndRefusesNewOnes",
                Cut.out(Daemon.class, "close", Intake.class, "drain"))
            .thatWaits(),
        planted(
            "an event far ahead of the clock gets the time of its arrival",
            EmbeddedDaemonTest.class,
            "anEventFarAheadGetsTheTimeOfItsArrival",
            Cut.to(SenderTime.class, "take", IncomingBatch.class, "takes", "always")));
  }

  @ParameterizedTest
  @MethodSource("suites")
  void passesOnTheProductAsItIs(Suite suite) {
    assertNull(run(new PlantLoader(PlantHooks.class, List.of()), suite));
  }

  @ParameterizedTest
  @MethodSource("slice")
  void isCaught(Planted plant) {
    PlantLoader loader = new PlantLoader(PlantHooks.class, plant.cuts());
    Throwable caught = run(loader, plant.suite());
    for (Cut cut : plant.cuts()) {
      assertTrue(loader.done(cut) > 0, "this call no longer exists: " + cut);
    }
    assertTrue(caught != null, plant.suite() + " found nothing");
    assertTrue(tells(caught), () -> "failed for another reason: " + caught);
    CAUGHT.add("%s: %s: %s".formatted(plant, plant.suite(), caught.getMessage()));
  }

  private @org.jspecify.annotations.Nullable Throwable run(PlantLoader loader, Suite suite) {
    return new LoadedTest(loader, directory)
        .failure(suite.in().getName(), suite.test(), suite.arguments());
  }

  /// True for a test that failed, or that waited in vain for an answer.
  private static boolean tells(Throwable caught) {
    return caught instanceof AssertionError || caught.getCause() instanceof TimeoutException;
  }

  @AfterAll
  static void report() throws IOException {
    CAUGHT.forEach(System.out::println);
    System.out.printf(
        "seed %d: %d planted bugs were caught, of %d%n", SEED, CAUGHT.size(), PLANTS.size());
    if ("all".equals(System.getProperty("plants"))) {
      FaultRecords.add(FaultRecords.Table.PLANTS, "ingest", PLANTS.size(), CAUGHT.size());
    }
    assertEquals(PLANTS.stream().map(Planted::rule).distinct().count(), PLANTS.size());
  }
}
