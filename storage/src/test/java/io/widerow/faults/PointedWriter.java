package io.widerow.faults;

import io.widerow.event.EventBatch;
import io.widerow.storage.Durability;
import io.widerow.storage.Filter;
import io.widerow.storage.LaneWriter;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.RealDisk;
import io.widerow.storage.embedded.DeletionControl;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.embedded.StoreOpener;
import io.widerow.storage.journal.ChronicleJournalFactory;
import io.widerow.storage.journal.Journal;
import io.widerow.storage.live.StoreClock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;

/// Program that ends itself at a named point for [KillPointTest]. It creates a store, writes, seals
/// and merges, opens the store again without closing it, deletes events of a type of their own,
/// writes on, and closes it, in the same way each time. It reports on standard output how many
/// events are acknowledged, and [#DOOMED] and [#DELETED], after they are.
public final class PointedWriter {
  /// The type of events that are deleted, and the word reported when they are stored.
  public static final String DOOMED = "doomed";

  /// The word reported when they are hidden permanently.
  public static final String DELETED = "deleted";

  /// How many there are.
  public static final int DOOMED_EVENTS = 90;

  private static final int COMMITS = 44; // more than a journal file
  private static final int EVENTS = 30;
  private static final int NOISE_BYTES = 900;

  private PointedWriter() {}

  /// @param args directory, point, which pass; without a point it runs to its end and reports how
  ///   often it passed each
  public static void main(String[] args) {
    Path directory = Path.of(args[0]);
    KillPoints points = new KillPoints(args[1], Integer.parseInt(args[2]));
    write(open(directory, points), 0);
    EmbeddedStore again = open(directory, points);
    delete(again);
    write(again, (long) COMMITS * EVENTS);
    again.close();
    points.passed().forEach((name, times) -> System.out.println(name + "=" + times));
  }

  private static EmbeddedStore open(Path directory, KillPoints points) {
    StoreConfig config = KilledWriter.config(directory);
    Disk disk = points.disk(new RealDisk());
    return new EmbeddedStore(
        new StoreOpener(config, disk, StoreClock.system(), Runnable::run)
            .open(id ->
                points.journals(
                    new ChronicleJournalFactory(
                        disk,
                        directory.resolve(Journal.DIRECTORY),
                        id,
                        config.journalFileBytes(),
                        Runnable::run))));
  }

  private static void write(EmbeddedStore store, long first) {
    var random = new SplittableRandom(first);
    LaneWriter lane = store.lane(0);
    long number = first;
    try (var batch = new EventBatch(1 << 16, 1 << 22)) {
      for (int commit = 1; commit <= COMMITS; commit++) {
        batch.clear();
        for (int event = 0; event < EVENTS; event++) {
          byte[] noise = new byte[NOISE_BYTES];
          random.nextBytes(noise);
          NumberedEvents.add(batch, number++, noise);
        }
        lane.append(
            batch,
            0,
            (index, why) -> {
              throw new IllegalStateException(index + ": " + why);
            });
        lane.note(new byte[] {(byte) commit});
        lane.commit(Durability.DISK);
        System.out.println(number);
        if (first == 0 && commit % 8 == 0 && commit <= 24) {
          doom(lane, batch);
        }
        if (commit % 16 == 0) {
          store.sealAll();
          store.maintain();
        }
      }
    }
  }

  /// A third of the events that are deleted later.
  private static void doom(LaneWriter lane, EventBatch batch) {
    byte[] type = DOOMED.getBytes(StandardCharsets.UTF_8);
    batch.clear();
    for (int event = 0; event < DOOMED_EVENTS / 3; event++) {
      batch.begin(type, 0, type.length, NumberedEvents.timeNanos(event));
      var rejection = batch.end();
      if (rejection != null) {
        throw new IllegalStateException(rejection.reason());
      }
    }
    Appends.all(lane, batch, 0);
    lane.commit(Durability.DISK);
    System.out.println(DOOMED);
  }

  private static void delete(EmbeddedStore store) {
    var asked =
        new DeletionControl.Asked(
            List.of(DOOMED), Long.MIN_VALUE, Long.MAX_VALUE, "all", new Filter.Everything());
    try (StoreView view = store.view()) {
      var _ = store.deletions().run(store.deletions().plan(asked, view).id());
    }
    System.out.println(DELETED);
    store.sealAll();
    for (int look = 0; look < 4; look++) {
      store.maintain();
    }
  }
}
