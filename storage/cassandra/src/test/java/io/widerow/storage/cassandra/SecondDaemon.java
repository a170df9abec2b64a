package io.widerow.storage.cassandra;

import io.widerow.cluster.SimCluster;
import io.widerow.cluster.SimKeyspace;
import io.widerow.event.EventBatch;
import io.widerow.faults.FileJournal;
import io.widerow.faults.SimDisk;
import io.widerow.faults.TestClock;
import io.widerow.storage.Durability;
import io.widerow.storage.LaneWriter;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.cassandra.apply.ApplyOptions;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.embedded.StoreOpener;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// Goal: batches that come to two daemons are stored once, whenever the second one starts. Method:
/// a daemon that is alone applies batches; before a statement of it, the seed, another one starts,
/// takes the same batches and applies what it may.
public final class SecondDaemon implements LongConsumer {
  /// Statements of the first daemon at which the second one is started, at least.
  static final long POINTS = 16;

  private static final long START_NANOS = 1_764_000_000_000_000_000L;
  private static final int BATCHES = 4;
  private static final byte[] TYPE = "sim".getBytes(StandardCharsets.UTF_8);
  private static final byte[] NUMBER = "n".getBytes(StandardCharsets.UTF_8);

  private final SimCluster cluster = new SimCluster(0);
  private @Nullable CassandraStore second;
  private long left;

  public SecondDaemon() {}

  @Override
  public void accept(long point) {
    left = point;
    try (CassandraStore first = open(0)) {
      take(first);
      cluster.meanwhile(this::meanwhile);
      first.step();
      cluster.meanwhile(() -> {});
      CassandraStore other = second == null ? begin() : second;
      for (int step = 0; step < 4; step++) {
        first.step();
        other.step();
      }
      for (long number = 0; number < BATCHES; number++) {
        long each = number;
        long times =
            ShownEvents.all(cluster.keyspace()).stream()
                .filter(found -> found.number() == each)
                .count();
        if (times != 1) {
          throw new AssertionError("event " + number + " is shown " + times + " times");
        }
      }
      long waiting = first.cluster().pendingEvents() + other.cluster().pendingEvents();
      if (waiting != 0) {
        throw new AssertionError(waiting + " events are not applied");
      }
      other.close();
    }
  }

  private void meanwhile() {
    if (left-- == 0) {
      second = begin();
    }
  }

  private CassandraStore begin() {
    CassandraStore other = open(1);
    take(other);
    other.step();
    return other;
  }

  private CassandraStore open(int index) {
    TestClock clock = new TestClock(START_NANOS);
    SimDisk disk = new SimDisk(index);
    SimPace pace = new SimPace();
    StoreConfig opened =
        StoreConfig.at(Path.of("/data"))
            .withLanes(1, 1)
            .withMemory(4L << 20, Duration.ofMinutes(10))
            .withJournal(1 << 20, 4 << 20)
            .withDiskReserveBytes(0);
    return CassandraStore.open(
        new SimKeyspace(cluster),
        opened,
        ApplyOptions.of("host-" + index)
            .withPacing(new ApplyOptions.Pacing(Duration.ofMillis(1), 3, 8 << 20)),
        new NoReading(),
        new CassandraStore.Machine(
            disk,
            clock,
            pace,
            config ->
                new EmbeddedStore(
                    new StoreOpener(config, disk, clock, Runnable::run)
                        .drained()
                        .open(_ -> new FileJournal.Factory(disk, config, 8 << 10))),
            true));
  }

  private static void take(CassandraStore store) {
    LaneWriter lane = store.lane(0);
    for (int number = 0; number < BATCHES; number++) {
      try (EventBatch batch = new EventBatch(1 << 10, 1 << 16)) {
        batch.begin(TYPE, 0, TYPE.length, START_NANOS + number);
        batch.putLong(NUMBER, 0, NUMBER.length, number);
        if (batch.end() != null) {
          throw new AssertionError("refused");
        }
        lane.append(
            batch,
            number,
            (index, why) -> {
              throw new AssertionError(index + " refused: " + why);
            });
        byte[] key = new byte[16];
        key[0] = (byte) (number + 1);
        lane.claim(key);
      }
    }
    if (lane.commit(Durability.DISK) < 0) {
      throw new AssertionError("no group");
    }
  }
}
