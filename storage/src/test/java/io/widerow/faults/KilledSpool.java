package io.widerow.faults;

import io.widerow.event.AttributeValue;
import io.widerow.event.EventBatch;
import io.widerow.storage.Arrivals;
import io.widerow.storage.Durability;
import io.widerow.storage.EventCursor;
import io.widerow.storage.LaneArrivals;
import io.widerow.storage.LaneWriter;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/// Program that a test kills: it appends numbered events to a real store that is drained, and
/// drains it to standard output, whose reader is what the events are brought to.
///
/// ```
///   open               the store is open
///   a 17 .             numbers below 17 are acknowledged
///   t a1.2-3f 5 6 7 .  the events of a round, and the position up to which it goes
/// ```
public final class KilledSpool {
  /// End of a line: a line without it was cut off, and nothing of it counts.
  public static final String END = " .";

  private KilledSpool() {}

  /// @param args directory, first number, seed, and the position of the last round that was read
  public static void main(String[] args) throws Exception {
    long number = Long.parseLong(args[1]);
    var random = new SplittableRandom(Long.parseLong(args[2]));
    LaneArrivals position = args.length > 3 ? (LaneArrivals) Arrivals.parse(args[3]) : null;
    try (var background = Executors.newFixedThreadPool(2);
        var store = EmbeddedStore.openSpool(KilledWriter.config(Path.of(args[0])), background);
        var batch = new EventBatch(1 << 16, 1 << 22)) {
      if (position != null) {
        store.release(position);
      }
      System.out.println("open");
      LaneWriter lane = store.lane(0);
      while (true) {
        batch.clear();
        for (int events = 1 + random.nextInt(200); events > 0; events--) {
          NumberedEvents.add(batch, number++);
        }
        Appends.all(lane, batch, random.nextLong());
        lane.commit(Durability.DISK);
        System.out.println("a " + number + END);
        if (random.nextInt(6) == 0) {
          position = round(store, position);
          store.release(position);
        }
        if (random.nextInt(10) == 0) {
          store.maintain();
        }
      }
    }
  }

  /// Writes new events to standard output, in one line.
  private static LaneArrivals round(EmbeddedStore store, @Nullable LaneArrivals from) {
    try (StoreView view = store.view()) {
      LaneArrivals to = (LaneArrivals) view.arrivals();
      var line = new StringBuilder("t ").append(to);
      var scratch = new AttributeValue();
      for (PartitionInfo partition : view.partitions(_ -> true, 0, Long.MAX_VALUE / 2, from)) {
        Scan scan = Scan.all().withSince(from);
        try (EventCursor cursor = view.open(List.of(partition.key()), scan)) {
          while (cursor.next() == EventCursor.Step.EVENT) {
            line.append(' ').append(StoreModel.Shown.of(cursor.event(), scratch).number());
          }
        }
      }
      System.out.println(line.append(END));
      return to;
    }
  }
}
