package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.widerow.event.EventBatch;
import io.widerow.event.Rejection;
import io.widerow.faults.FileJournal;
import io.widerow.faults.SimDisk;
import io.widerow.faults.TestClock;
import io.widerow.storage.LaneWriter;
import io.widerow.storage.RetentionLookup;
import io.widerow.storage.StoreConfig;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Goal: a drained store refuses events that have expired at the destination of its events, event
/// by event, and by the policy of that moment. Method: events of several ages of a type with and
/// one without retention, before, while and after there is a policy.
class SpoolRetentionTest {
  private static final long START_NANOS = 1_700_000_000_000_000_000L; // 13 minutes past the hour
  private static final byte[] TYPE = "app".getBytes(StandardCharsets.UTF_8);
  private static final byte[] KEPT_TYPE = "audit".getBytes(StandardCharsets.UTF_8);
  private static final int HOUR = 60;

  private final TestClock clock = new TestClock(START_NANOS);
  private final SimDisk disk = new SimDisk(3);
  private final Target target = new Target();
  private final List<String> refused = new ArrayList<>();

  private static final class Target implements RetentionLookup {
    @Nullable Duration kept;

    @Override
    public boolean isExpired(String type, long bucketEndNanos, long nowNanos) {
      Duration age = of(type);
      return age != null && bucketEndNanos + age.toNanos() <= nowNanos;
    }

    @Override
    public @Nullable Duration of(String type) {
      return type.equals("app") ? kept : null;
    }

    @Override
    public long shortestNanos() {
      Duration age = kept;
      return age == null ? KEPT_FOREVER : age.toNanos();
    }
  }

  private final class Refused implements LaneWriter.Rejections {
    @Override
    public void rejected(int index, Rejection why) {
      refused.add(index + " " + why);
    }

    @Override
    public void pastRetention(int index, Duration kept) {
      refused.add(index + " " + Rejection.pastRetention(kept));
    }
  }

  private EmbeddedStore open(boolean drained) {
    StoreConfig config =
        StoreConfig.at(Path.of("/store"))
            .withLanes(1, 1)
            .withBuckets(HOUR, Map.of())
            .withMemory(4L << 20, Duration.ofMinutes(1))
            .withJournal(1 << 20, 4 << 20)
            .withDiskReserveBytes(0);
    var opener = new StoreOpener(config, disk, clock, Runnable::run);
    return new EmbeddedStore(
        (drained ? opener.drained() : opener).open(_ -> new FileJournal.Factory(disk, config)));
  }

  @Test
  void whatIsPastTheRetentionOfTheTargetIsRefused() {
    try (EmbeddedStore store = open(true);
        var batch = new EventBatch(1 << 12, 1 << 22)) {
      store.admitBy(target);
      // The third is older than the retention, but its bucket ended later.
      for (int minutes : new int[] {0, 20 * HOUR, 46 * HOUR + 5, 49 * HOUR, 1_000 * HOUR}) {
        for (byte[] type : List.of(TYPE, KEPT_TYPE)) {
          long time = clock.wallNanos() - Duration.ofMinutes(minutes).toNanos();
          batch.begin(type, 0, type.length, time);
          assertNull(batch.end());
        }
      }
      LaneWriter lane = store.lane(0);
      assertEquals(10, lane.append(batch, 0, new Refused()));
      target.kept = Duration.ofHours(46);
      assertEquals(8, lane.append(batch, 0, new Refused()));
      String sentence = " older than the retention of 46h";
      assertEquals(List.of("6" + sentence, "8" + sentence), refused);
      target.kept = null;
      assertEquals(10, lane.append(batch, 0, new Refused()));
    }
  }

  @Test
  void anotherStoreHasOnlyItsOwnRetention() {
    try (EmbeddedStore store = open(false)) {
      assertThrows(IllegalStateException.class, () -> store.admitBy(target));
    }
  }
}
