package io.widerow.storage.cassandra;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cluster.MemoryKeyspace;
import io.widerow.event.EventBatch;
import io.widerow.event.EventId;
import io.widerow.event.PartitionKey;
import io.widerow.event.TimeUuid;
import io.widerow.faults.Appends;
import io.widerow.faults.FileJournal;
import io.widerow.faults.SimDisk;
import io.widerow.faults.TestClock;
import io.widerow.storage.Durability;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.cassandra.apply.ApplyOptions;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.embedded.StoreOpener;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// Goal: a daemon's clock that is ahead shortens no time to live, and its writes of an id do not
/// win over later ones. Method: a keyspace in memory whose clock is right, daemons whose clocks are
/// set.
class ClusterClockTest {
  private static final byte[] TYPE = "app".getBytes(StandardCharsets.UTF_8);
  private static final byte[] NUMBER = "n".getBytes(StandardCharsets.UTF_8);
  private static final Duration AHEAD = Duration.ofDays(30);

  /// The time of the nodes: so long ago that a clock that is ahead by so much is this machine's.
  private final long nowNanos =
      TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis()) - AHEAD.toNanos();

  private long passedNanos;
  private final JumpingKeyspace keyspace = new JumpingKeyspace();

  /// A keyspace without faults; the clock of a daemon jumps when a node has told it the time.
  private static final class JumpingKeyspace extends MemoryKeyspace {
    private Runnable asked = () -> {};

    @Override
    public CompletableFuture<Long> clockMillis() {
      Runnable then = asked;
      asked = () -> {};
      return super.clockMillis().whenComplete((_, _) -> then.run());
    }
  }

  /// A machine with a daemon.
  private final class Machine {
    final TestClock clock = new TestClock(nowNanos);
    SimDisk disk;

    Machine(int index) {
      this.disk = new SimDisk(index);
    }

    CassandraStore open(CassandraStore.Reading reading) {
      StoreConfig config =
          StoreConfig.at(Path.of("/data"))
              .withLanes(1, 1)
              .withMemory(4L << 20, Duration.ofMinutes(10))
              .withJournal(1 << 20, 4 << 20)
              .withDiskReserveBytes(0);
      keyspace.setClockMillis(TimeUnit.NANOSECONDS.toMillis(nowNanos));
      return CassandraStore.open(
          keyspace,
          config,
          ApplyOptions.of("host")
              .withPacing(new ApplyOptions.Pacing(Duration.ofMillis(1), 3, 8 << 20)),
          reading,
          new CassandraStore.Machine(disk, clock, new SimPace(), this::spool, true));
    }

    private EmbeddedStore spool(StoreConfig config) {
      return new EmbeddedStore(
          new StoreOpener(config, disk, clock, Runnable::run)
              .drained()
              .open(_ -> new FileJournal.Factory(disk, config, 8 << 10)));
    }
  }

  /// Writes an event, always of the same id.
  private void write(CassandraStore store, long number) {
    try (var batch = new EventBatch(1 << 10, 1 << 16)) {
      var id = new EventId(TimeUuid.timeOfNanos(nowNanos), TimeUuid.tailOf(0, 1, 0));
      batch.begin(TYPE, 0, TYPE.length, id);
      batch.putLong(NUMBER, 0, NUMBER.length, number);
      assertEquals(null, batch.end());
      Appends.all(store.lane(0), batch, 0);
    }
    assertTrue(store.lane(0).commit(Durability.DISK) >= 0);
  }

  /// Lets time pass: versions of a round may be a second ahead of it.
  private void pass(Machine... machines) {
    passedNanos += TimeUnit.SECONDS.toNanos(10);
    keyspace.setClockMillis(TimeUnit.NANOSECONDS.toMillis(nowNanos + passedNanos));
    for (Machine each : machines) {
      each.clock.advance(TimeUnit.SECONDS.toNanos(10));
    }
  }

  private static void apply(CassandraStore store) {
    while (!store.step()) {}
  }

  /// The number that wins.
  private long shown() {
    return ShownEvents.all(keyspace).stream()
        .max(Comparator.comparingLong(ShownEvents.Found::version))
        .orElseThrow()
        .number();
  }

  @Test
  void aClockThatJumpsShortensNoTimeToLive() {
    Duration slack = Duration.ofDays(7);
    Duration kept = Duration.ofDays(60);
    var reading = CassandraStoreTest.reading(keyspace, slack);
    var machine = new Machine(1);
    try (CassandraStore store = machine.open(reading)) {
      store.retain(null, kept);
      write(store, 1);
      keyspace.asked = () -> machine.clock.step(AHEAD.toNanos());
      apply(store);
      try (StoreView view = store.view()) {
        List<PartitionKey> keys =
            view.partitions(_ -> true, 0, Long.MAX_VALUE).stream().map(PartitionInfo::key).toList();
        assertEquals(1, keys.size());
        long end = TimeUnit.NANOSECONDS.toMillis(keys.getFirst().untilNanos());
        long wanted = end + kept.plus(slack).toMillis();
        long until = keyspace.untilMillis(keys.getFirst()).getFirst();
        assertTrue(Math.abs(until - wanted) < 60_000, until + " of " + wanted);
      }
    }
  }

  @Test
  void aLaterWriteWinsOverOneOfAClockThatIsAhead() {
    var ahead = new Machine(1);
    ahead.clock.step(AHEAD.toNanos());
    var right = new Machine(2);
    CassandraStore first = ahead.open(new NoReading());
    CassandraStore second = right.open(new NoReading());
    write(first, 1);
    apply(first);
    pass(ahead, right);
    write(second, 2);
    apply(second);
    assertEquals(2, shown());
    pass(ahead, right);
    write(first, 3);
    apply(first);
    assertEquals(3, shown());
    first.abandon();
    second.abandon();
  }

  /// What waited over a start gets the time at which the clock was right before it.
  @Test
  void aClockThatIsAheadAtAStartGivesNoVersions() {
    var ahead = new Machine(1);
    CassandraStore stopped = ahead.open(new NoReading());
    write(stopped, 1);
    stopped.abandon();
    ahead.disk = ahead.disk.restart();
    ahead.clock.step(AHEAD.toNanos());
    CassandraStore first = ahead.open(new NoReading());
    var right = new Machine(2);
    CassandraStore second = right.open(new NoReading());
    apply(first);
    assertEquals(1, shown());
    pass(ahead, right);
    write(second, 2);
    apply(second);
    assertEquals(2, shown());
    first.abandon();
    second.abandon();
  }
}
