package io.widerow.ingest.intake;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.lane.BatchPool;
import io.widerow.ingest.lane.Lanes;
import io.widerow.ingest.lane.SpinThenParkWaitStrategy;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: the events of closed buckets count as old, and no others. Method: batches around the end
/// of a bucket, at times around the moment from which it is closed.
class IntakeTest {
  private static final byte[] TYPE = "t".getBytes(StandardCharsets.US_ASCII);
  private static final long MINUTE = 60_000_000_000L;
  private static final long TICK = 100;
  private static final long END = 500_000 * 60 * MINUTE; // of a bucket of an hour

  private static int old(ClosedBuckets closed, long nowNanos, long... times) {
    MemoryStore store = new MemoryStore(1);
    Lanes lanes =
        new Lanes(
            store,
            new Lanes.Settings(2, 0, 1 << 20, 0),
            () -> new SpinThenParkWaitStrategy(0),
            new BatchPool(1 << 20, 1 << 18, 64),
            new SimpleMeterRegistry(),
            () -> 0);
    Intake intake =
        new Intake(
            lanes,
            new ByteCredit(1 << 20),
            new Intake.Limits(1 << 16, 100, 1),
            closed,
            new BodyDigest(store.secret()),
            () -> null,
            () -> nowNanos);
    IncomingBatch batch = lanes.begin(nowNanos);
    for (long time : times) {
      batch.events.begin(TYPE, 0, 1, time);
      batch.end();
    }
    int old = intake.sample(batch).old();
    lanes.drop(batch);
    return old;
  }

  @ParameterizedTest(name = "{0} minutes after its end less {1} ticks: {2} old")
  @CsvSource({"5, 0, 2", "5, 1, 0", "64, 0, 2", "65, 1, 2", "65, 0, 4", "0, 0, 0"})
  void eventsOfClosedBucketsAreOld(int minutes, int ticks, int old) {
    ClosedBuckets closed = new ClosedBuckets(60 * MINUTE, 5 * MINUTE);
    long now = END + minutes * MINUTE - ticks * TICK;
    long next = END + 60 * MINUTE;
    assertEquals(
        old,
        old(closed, now, END - 30 * MINUTE, END - TICK, END, next - TICK, next),
        "two of the bucket, two of the next one");
  }

  @Test
  void anEventOfThatAgeIsSurelyOld() {
    ClosedBuckets closed = new ClosedBuckets(60 * MINUTE, 5 * MINUTE);
    for (long now = END; now < END + 120 * MINUTE; now += MINUTE / 2) {
      assertEquals(1, old(closed, now, now - closed.ageNanos() - TICK), "at " + now);
    }
  }
}
