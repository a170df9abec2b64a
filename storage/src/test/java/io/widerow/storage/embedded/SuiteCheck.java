package io.widerow.storage.embedded;

import io.widerow.storage.journal.WitnessTest;
import io.widerow.storage.live.StoreClockTest;
import io.widerow.storage.segment.SegmentDamageTest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.function.LongConsumer;

/// Checks of this module's fault suite: the tests themselves, with few enough cases to run them
/// against every planted bug.
@SuppressWarnings("JUnitMethodInvoked") // on purpose: a planted bug must fail the test itself
enum SuiteCheck implements LongConsumer {
  /// Crash states of the whole store on the simulated disk.
  CRASH {
    @Override
    public void accept(long seed) {
      new StoreCrashTest().whatWasAcknowledgedIsThere(seed);
    }
  },

  /// Crash states of the real journal on the real disk.
  JOURNAL_CUT {
    @Override
    public void accept(long seed) {
      inDirectory(directory -> JournalCut.run(directory, seed));
    }
  },

  /// Crash states of the whole store with the real journal on the real disk.
  STORE_CUT {
    @Override
    public void accept(long seed) {
      inDirectory(directory -> StoreCut.run(directory, seed));
    }
  },

  /// Damage to a sample of bytes, one at a time.
  FLIPS {
    @Override
    public void accept(long seed) {
      int start = (int) Math.floorMod(7 * seed, 48L);
      var _ = new StoreDamageTest().flip(48, start);
      var _ = StoreDamageTest.ofUnwitnessedStore().flip(48, start);
    }
  },

  /// Damage to each byte of a segment.
  SEGMENT {
    @Override
    public void accept(long seed) {
      new SegmentDamageTest().everyFlippedByteIsFound();
    }
  },

  /// Missing files, and missing parts of files.
  REMOVED {
    @Override
    public void accept(long seed) {
      new StoreDamageTest().everyRemovedFileIsNamed();
      new StoreDamageTest().aManifestWithoutItsLastEditsIsTold();
      StoreDamageTest.ofUnwitnessedStore().everyRemovedFileIsNamed();
      StoreDamageTest.ofUnwitnessedStore().aManifestWithoutItsLastEditsIsTold();
    }
  },

  /// Journals that lost their end.
  ENDS {
    @Override
    public void accept(long seed) {
      try {
        new StoreDamageTest().everyLostEndOfAJournalIsNamed();
      } catch (IOException failure) {
        throw new UncheckedIOException(failure);
      }
      new StoreDamageTest().anEndThatNobodyWitnessedHoldsTheLastGroupsOnly();
      new StoreDamageTest().aJournalThatWasCutInTheFirstSecondIsNamed();
    }
  },

  /// Crash states of layouts that are set.
  LAYOUT {
    @Override
    public void accept(long seed) {
      new LayoutCrashTest().layoutsThatWereSetOutliveACut(seed);
    }
  },

  /// Crash states of repartitions.
  REPARTITION {
    @Override
    public void accept(long seed) {
      try {
        new RepartitionCrashTest().aCutChangesNothingOrAllOfABucket(seed);
      } catch (InterruptedException unexpected) {
        throw new AssertionError(unexpected);
      }
    }
  },

  /// A repartition that is done or refused.
  REPARTITION_DIGEST {
    @Override
    public void accept(long seed) {
      try {
        new RepartitionTest().aRepartitionLosesNothing();
      } catch (InterruptedException unexpected) {
        throw new AssertionError(unexpected);
      }
    }
  },

  /// Positions in the order of arrival after repartitions.
  REPARTITION_LANES {
    @Override
    public void accept(long seed) {
      try {
        new RepartitionTest().positionsOutliveFoldedShards();
      } catch (InterruptedException unexpected) {
        throw new AssertionError(unexpected);
      }
    }
  },

  /// Power cuts while the witness of the journals is written.
  WITNESS {
    @Override
    public void accept(long seed) {
      new WitnessTest().aPowerCutLeavesOneOfTheLastTwoStatements();
    }
  },

  /// A lock that was lost.
  LOCK {
    @Override
    public void accept(long seed) {
      inDirectory(directory -> {
        try {
          StoreLockTest.nothingIsAcknowledgedWithoutTheLock(directory.resolve("acknowledged"));
          StoreLockTest.noFileIsChangedWithoutTheLock(directory);
        } catch (IOException failure) {
          throw new UncheckedIOException(failure);
        }
      });
    }
  },

  /// Edits that the manifest lost.
  MANIFEST_LOSS {
    @Override
    public void accept(long seed) {
      new ManifestLossTest().heals(seed);
      new ManifestLossTest().anUnlistedSegmentThatProvesNothingIsKept();
    }
  },

  /// Files and blocks that were swapped or belong to another store.
  PLACES {
    @Override
    public void accept(long seed) {
      new StoreDamageTest().filesThatChangedPlacesAreTold();
      StoreDamageTest.ofUnwitnessedStore().filesThatChangedPlacesAreTold();
      new StoreDamageTest().anEditOfAnotherStoreIsNone();
      new SegmentDamageTest().aBlockOfAnotherSegmentIsFound();
    }
  },

  /// Times and ids across restarts and clock steps.
  CLOCK {
    @Override
    public void accept(long seed) {
      new StoreClockTest().arrivalsRiseWhileTheClockStepsBackALittle();
      new StoreClockTest().noTimeIsGivenWhileTheClockIsFarBehind();
    }
  },

  /// Operations on the disk that fail.
  FAULT {
    @Override
    public void accept(long seed) {
      var random = new SplittableRandom(seed);
      for (int run = 0; run < 12; run++) {
        new StoreFaultTest().run(1 + random.nextInt(200), random.nextBoolean());
      }
    }
  },

  /// Snapshots, and power cuts while they are made.
  SNAPSHOT {
    @Override
    public void accept(long seed) {
      new StoreSnapshotTest().whatWasAcknowledgedIsInIt(seed);
    }
  },

  /// Groups of several frames whose end is missing.
  GROUP {
    @Override
    public void accept(long seed) {
      new StoreFaultTest().aGroupIsDroppedWhole();
    }
  },

  /// Crash states of a store that is drained, and the tail that continues there.
  SPOOL_CRASH {
    @Override
    public void accept(long seed) {
      new SpoolCrashTest().whatIsNotReleasedIsThere(seed);
    }
  },

  /// The events that a drained store keeps, and the events that it forgets.
  SPOOL {
    @Override
    public void accept(long seed) {
      new SpoolTest().theRestOfPartlyReleasedRowsIsWritten();
      new SpoolTest().aSegmentStaysWhileOneEventOfItIsNeeded();
      new SpoolTest().anEarlierPositionTakesNothingBack();
      new SpoolTest().numbersOfALostGroupAreNotGivenAgain();
      new SpoolTest().aPositionNamesOnlySegmentsThatAreNotBegunAgain();
      new SpoolTest().releasedRowsAreNotWrittenAndNotesStay();
    }
  },

  /// Power cuts while policies of retention change and what they hid is dropped.
  RETENTION {
    @Override
    public void accept(long seed) {
      new RetentionCrashTest().policiesAndWhatTheyHideOutliveACut(seed);
    }
  },

  /// Power cuts while events are deleted.
  DELETION {
    @Override
    public void accept(long seed) {
      new DeletionTest().aCutHidesAndRemovesAllOrNothing(seed);
    }
  },

  /// Counts by minute after appends, upserts, seals and merges.
  ROLLUP {
    @Override
    public void accept(long seed) {
      new EmbeddedStoreModelTest().storeShowsWhatWasCommitted(seed);
    }
  },

  /// Events that replace events of another segment.
  ROLLUP_REPLACED {
    @Override
    public void accept(long seed) {
      new FigureKeepTest().anEventThatReplacesOneOfAnotherSegmentIsCountedOnce();
    }
  },

  /// Power cuts while rollups are defined and removed.
  ROLLUP_CUTS {
    @Override
    public void accept(long seed) {
      new RollupControlTest().rollupsOutliveACut(seed);
    }
  },

  /// Power cuts while events are replaced by their aggregates.
  FIGURE_CUTS {
    @Override
    public void accept(long seed) {
      new FigureCrashTest().figuresAreThoseOfAllEventsAfterACut(seed);
    }
  },

  /// Figures beyond their events, and a deletion.
  FIGURES {
    @Override
    public void accept(long seed) {
      new FigureKeepTest().figuresOutliveTheirEvents();
      new FigureKeepTest().aDeletionTakesFiguresThatMayCountItsEvents();
    }
  },

  /// Power cuts while rules are set and removed.
  RULES {
    @Override
    public void accept(long seed) {
      new SavedControlTest().rulesOutliveACut(seed);
    }
  },

  /// A disk that writes other bytes than it was given.
  MISWRITTEN {
    @Override
    public void accept(long seed) {
      new StoreFaultTest().aSegmentThatWasWrittenWrongIsWrittenAgain();
    }
  };

  private static void inDirectory(java.util.function.Consumer<Path> work) {
    try {
      Path directory = Files.createTempDirectory("check").toRealPath();
      try {
        work.accept(directory);
      } finally {
        try (var paths = Files.walk(directory)) {
          for (Path path : paths.toList().reversed()) {
            Files.delete(path);
          }
        }
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
