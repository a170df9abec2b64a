package io.widerow.storage.cassandra;

import io.widerow.cluster.SimCluster;
import io.widerow.cluster.SimKeyspace;
import io.widerow.event.EventBatch;
import io.widerow.faults.FileJournal;
import io.widerow.faults.SimDisk;
import io.widerow.faults.TestClock;
import io.widerow.storage.Durability;
import io.widerow.storage.LaneWriter;
import io.widerow.storage.SharedSources;
import io.widerow.storage.SourceRange;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.cassandra.apply.ApplyOptions;
import io.widerow.storage.cassandra.apply.Pace;
import io.widerow.storage.cassandra.keyspace.KeyspaceException;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.embedded.StoreOpener;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// Goal: each record of a log is stored once, whatever happens to the daemons that share its
/// partitions, to the cluster and to the log. Method: two or three daemons on simulated disks, one
/// simulated cluster, a log of a few partitions. A daemon believes that it has partitions for as
/// long as nobody tells it otherwise, so two may read one partition at once, and a daemon that was
/// away for long offers what it read long ago. Statements fail in every way, also applied and
/// unanswered, or applied much later. A refused record has a letter before its offset is claimed,
/// and at the end each one has its letter. Daemons die at any of them, disks are full, and either
/// the log loses its end and grows again, or one daemon never comes back and is released. Seeded:
/// one thread.
public final class SourceSimulation implements LongConsumer {
  private static final byte[] TYPE = "log".getBytes(StandardCharsets.UTF_8);
  private static final byte[] OTHER = "other".getBytes(StandardCharsets.UTF_8);
  private static final byte[] NUMBER = "n".getBytes(StandardCharsets.UTF_8);
  private static final byte[] PADDING = "x".repeat(200).getBytes(StandardCharsets.UTF_8);
  private static final long PUSHED = 1L << 40; // numbers of events of other senders
  private static final int PARTITIONS = 3;
  private static final int STEPS = 90;

  private SplittableRandom random = new SplittableRandom();
  private SimCluster cluster = new SimCluster(0);
  private final List<Machine> machines = new ArrayList<>();
  private final List<Log> logs = new ArrayList<>();
  private final Set<Long> letters = new HashSet<>(); // numbers of refused records
  private long number;
  private long pushed = PUSHED;
  private long roundBytes = Long.MAX_VALUE;
  private boolean isTruncated; // else one daemon may be lost
  private @Nullable Machine acting;

  public SourceSimulation() {}

  /// A record.
  ///
  /// @param number no other record has it
  /// @param epoch of the leader that took it
  private record Logged(long number, int epoch) {
    /// Whether the daemon refuses it: it is no event, and its offset has to be passed all the same.
    boolean isRefused() {
      return number % 11 > 7;
    }
  }

  /// A partition of the log.
  private static final class Log {
    final List<Logged> records = new ArrayList<>();
    int epoch;

    /// Where a reader goes back to; the position itself when its log is a part of this one.
    long agreedWith(long position, int leaderEpoch) {
      long at = Math.min(position, records.size());
      while (at > 0 && leaderEpoch >= 0 && records.get((int) at - 1).epoch > leaderEpoch) {
        at--;
      }
      return at;
    }

    int epochBefore(long position) {
      return position == 0 ? -1 : records.get((int) position - 1).epoch;
    }
  }

  /// What a daemon knows about a partition since it began it.
  private static final class Session {
    final SourceRange.@Nullable Released again;
    final long until;
    int term;
    long position;
    int leaderEpoch;

    Session(SharedSources.Start start) {
      again = start.again();
      until = start.until();
      term = start.term();
      position = start.position();
      leaderEpoch = start.leaderEpoch();
    }
  }

  /// A machine with a daemon.
  private final class Machine {
    final int index;
    final TestClock clock = new TestClock(ClusterSimulation.START_NANOS);
    final SimPace pace = new SimPace();
    final Map<Integer, Session> sessions = new HashMap<>();
    SimDisk disk = new SimDisk(random.nextLong());
    SimKeyspace connection = new SimKeyspace(cluster);
    @Nullable CassandraStore store;
    boolean gone;
    int number = -1;

    Machine(int index) {
      this.index = index;
    }

    void open() {
      connection = new SimKeyspace(cluster);
      sessions.clear();
      int lanes = 1 + random.nextInt(2);
      StoreConfig config =
          StoreConfig.at(Path.of("/data"))
              .withLanes(lanes, lanes * 2)
              .withMemory((4L << 20) * lanes, Duration.ofMinutes(10))
              .withJournal(1 << 20, 4 << 20)
              .withDiskReserveBytes(0);
      pace.allow(20);
      CassandraStore opened =
          CassandraStore.open(
              connection,
              config,
              ApplyOptions.of("host-" + index)
                  .withPacing(new ApplyOptions.Pacing(Duration.ofMillis(1), 3, 8 << 20))
                  .withRoundBytes(roundBytes),
              new NoReading(),
              new CassandraStore.Machine(disk, clock, pace, this::spool, true));
      opened.allowSources();
      store = opened;
      number = opened.cluster().daemon();
    }

    private EmbeddedStore spool(StoreConfig config) {
      return new EmbeddedStore(
          new StoreOpener(config, disk, clock, Runnable::run)
              .drained()
              .open(_ -> new FileJournal.Factory(disk, config, 8 << 10)));
    }

    void heal() {
      connection.dieIn(Long.MAX_VALUE);
      disk.cutPowerAt(Long.MAX_VALUE);
      disk.fillFor(Long.MAX_VALUE, Long.MAX_VALUE);
      pace.allow(20);
    }

    void die(boolean powerCut) {
      disk = powerCut ? disk.crash(random.nextBoolean()) : disk.restart();
      CassandraStore dead = store;
      store = null;
      if (dead != null) {
        try {
          dead.abandon();
        } catch (SimDisk.PowerCut off) {
          return; // it has no disk any more
        }
      }
    }
  }

  /// Runs one seed.
  @Override
  public void accept(long seed) {
    random = new SplittableRandom(seed);
    roundBytes = Math.floorMod(seed, 3) == 0 ? Long.MAX_VALUE : 256L << random.nextInt(7);
    cluster = new SimCluster(random.nextLong());
    isTruncated = random.nextBoolean();
    if (random.nextInt(3) == 0) {
      cluster.meanwhile(this::meanwhile);
    }
    for (int i = 0; i < PARTITIONS; i++) {
      logs.add(new Log());
    }
    int count = 2 + random.nextInt(2);
    for (int i = 0; i < count; i++) {
      machines.add(new Machine(i));
    }
    try {
      machines.forEach(Machine::open);
      for (int step = 0; step < STEPS; step++) {
        Machine machine = machines.get(random.nextInt(count));
        acting = machine;
        act(machine);
        acting = null;
        check(false);
      }
      end();
    } finally {
      cluster.heal();
      machines.forEach(Machine::heal);
      machines.stream().filter(each -> each.store != null).forEach(each -> each.store.close());
    }
  }

  /// What another machine does between two statements of the one that acts.
  private void meanwhile() {
    Machine one = acting;
    Machine other = machines.get(random.nextInt(machines.size()));
    if (one == null || other == one || other.gone || random.nextInt(12) > 0) {
      return;
    }
    acting = null;
    if (other.store == null) {
      reopen(other);
    } else if (random.nextInt(3) > 0) {
      apply(other);
    } else {
      read(other, true);
    }
    acting = one;
  }

  private void act(Machine machine) {
    if (machine.gone) {
      return;
    }
    machine.clock.advance(random.nextInt(100_000_000));
    if (machine.store == null) {
      reopen(machine);
      return;
    }
    switch (random.nextInt(24)) {
      case 0 -> machine.die(random.nextBoolean());
      case 1, 2 -> {
        machine.connection.dieIn(random.nextInt(40));
        apply(machine);
      }
      case 3 -> {
        machine.disk.cutPowerAt(machine.disk.operations() + random.nextInt(40));
        read(machine, true);
        apply(machine);
      }
      case 4 -> cluster.goAway(random.nextInt(60));
      case 5, 6 -> cluster.fail(random.nextInt(4) / 10.0);
      case 7 -> lose(machine);
      case 8 -> {
        long from = machine.disk.operations() + random.nextInt(20);
        machine.disk.fillFor(from, from + 1 + random.nextInt(60));
        read(machine, true);
      }
      case 9 -> truncate(logs.get(random.nextInt(PARTITIONS)));
      case 10 -> machine.sessions.remove(random.nextInt(PARTITIONS)); // a rebalance
      case 11, 12, 13, 14, 15 -> apply(machine);
      default -> read(machine, random.nextInt(4) > 0);
    }
  }

  private void reopen(Machine machine) {
    machine.connection.dieIn(Long.MAX_VALUE);
    try {
      machine.open();
    } catch (StorageException.DiskFull full) {
      machine.disk = machine.disk.restart(); // it starts later, when there is room
    } catch (StorageException.Unreachable away) {
      if (machine.number >= 0) {
        throw away; // it had a number
      }
    }
  }

  private void lose(Machine machine) {
    if (isTruncated || machines.stream().anyMatch(each -> each.gone) || random.nextInt(3) > 0) {
      return;
    }
    machine.connection.dieIn(random.nextInt(15));
    apply(machine);
    machine.die(true);
    machine.gone = true;
    if (random.nextBoolean()) {
      cluster.release(machine.number);
    }
  }

  /// A leader without the newest records takes over.
  private void truncate(Log log) {
    if (isTruncated && random.nextInt(3) == 0 && !log.records.isEmpty()) {
      int left = log.records.size() - 1 - random.nextInt(Math.min(40, log.records.size()));
      log.records.subList(left, log.records.size()).clear();
      log.epoch++;
    }
  }

  private void produce() {
    for (Log log : logs) {
      for (int more = random.nextInt(30); more > 0; more--) {
        log.records.add(new Logged(number++, log.epoch));
      }
    }
  }

  private void apply(Machine machine) {
    CassandraStore store = machine.store;
    if (store == null) {
      return;
    }
    machine.pace.allow(random.nextInt(6));
    try {
      store.step();
    } catch (KeyspaceException | Pace.Stopped | StorageException.DiskFull later) {
      // The daemon tries again with its next step.
    } catch (SimKeyspace.Died dead) {
      machine.die(random.nextBoolean());
    } catch (SimDisk.PowerCut off) {
      machine.die(true);
    }
  }

  // The source.

  /// Reads a few records of some partitions into one group, or only polls.
  private void read(Machine machine, boolean hasNew) {
    if (hasNew) {
      produce();
    }
    try {
      CassandraStore store = machine.store;
      if (store == null) {
        return;
      }
      int lane = random.nextInt(store.lanes());
      Map<Integer, Session> read = new HashMap<>();
      for (int partition = 0; partition < PARTITIONS; partition++) {
        if (partition % store.lanes() == lane && random.nextInt(3) > 0) {
          Session session = session(machine, store, partition);
          if (session != null) {
            read.put(partition, session);
          }
        }
      }
      if (read(store, lane, read)) {
        return;
      }
      read.keySet().forEach(machine.sessions::remove); // the group was dropped: it begins again
    } catch (SimKeyspace.Died dead) {
      machine.die(random.nextBoolean());
    } catch (SimDisk.PowerCut off) {
      machine.die(true);
    }
  }

  private @Nullable Session session(Machine machine, CassandraStore store, int partition) {
    SharedSources sources = store.sharedSources();
    var topic = new UUID(7, partition);
    Session known = machine.sessions.get(partition);
    boolean isOver =
        known != null && (known.position >= known.until || sources.isRefused(topic, partition));
    if (known != null && !isOver) {
      return known;
    }
    machine.sessions.remove(partition);
    if (sources.isPending(topic, partition)) {
      return null;
    }
    var begun = sources.begin(topic, partition);
    if (begun.isCompletedExceptionally()) {
      return null;
    }
    Session session = new Session(begun.join());
    machine.sessions.put(partition, session);
    return session;
  }

  /// @return false when the disk was full, and nothing of the group is stored
  private boolean read(CassandraStore store, int lane, Map<Integer, Session> sessions) {
    LaneWriter writer = store.lane(lane);
    try {
      for (int round = random.nextInt(1, 4); round > 0; round--) {
        for (Map.Entry<Integer, Session> each : sessions.entrySet()) {
          take(writer, each.getKey(), each.getValue());
        }
        if (random.nextBoolean()) {
          push(writer);
        }
      }
      long _ = writer.commit(Durability.DISK);
      return true;
    } catch (StorageException.DiskFull full) {
      try {
        long _ = writer.commit(Durability.DISK);
      } catch (StorageException.DiskFull again) {
        return false; // events appended before it are dropped too
      }
      return false;
    }
  }

  /// A batch of another sender.
  private void push(LaneWriter writer) {
    try (EventBatch batch = new EventBatch(1 << 10, 1 << 16)) {
      add(batch, OTHER, pushed++);
      writer.append(batch, random.nextLong(), (_, why) -> fail("refused: " + why));
    }
  }

  private static void add(EventBatch batch, byte[] type, long event) {
    batch.begin(type, 0, type.length, ClusterSimulation.START_NANOS + event % 1_000);
    batch.putLong(NUMBER, 0, NUMBER.length, event);
    batch.putString(PAD, 0, PAD.length, PADDING, 0, PADDING.length);
    if (batch.end() != null) {
      fail("refused");
    }
  }

  private static final byte[] PAD = "pad".getBytes(StandardCharsets.UTF_8);

  private static void fail(String why) {
    throw new AssertionError(why);
  }

  /// Takes a chunk of a partition, of any size.
  private void take(LaneWriter writer, int partition, Session session) {
    Log log = logs.get(partition);
    if (session.term == SourceRange.NO_TERM) {
      writer.claim(range(partition, session, 0, 0, -1), false);
    }
    long agreed = log.agreedWith(session.position, session.leaderEpoch);
    if (agreed < session.position && session.again == null) {
      int epoch = log.epochBefore(agreed);
      writer.claim(range(partition, session, session.term + 1, agreed, epoch), false);
    }
    long end = Math.min(session.until, log.records.size());
    long next = Math.min(end, session.position + random.nextInt(12));
    if (next <= session.position) {
      return;
    }
    int epoch = log.epochBefore(next);
    try (EventBatch batch = new EventBatch(1 << 10, 1 << 16)) {
      for (long offset = session.position; offset < next; offset++) {
        Logged record = log.records.get((int) offset);
        if (record.isRefused()) {
          letters.add(record.number);
          if (random.nextInt(8) == 0) {
            return; // it is not acknowledged yet, and the daemon may die before it is
          }
        } else {
          add(batch, TYPE, record.number);
        }
      }
      boolean hasEvents = batch.count() > 0;
      if (hasEvents) {
        writer.append(batch, random.nextLong(), (_, why) -> fail("refused: " + why));
      }
      writer.claim(range(partition, session, session.term, next, epoch), hasEvents);
    }
  }

  private static SourceRange range(int partition, Session session, int term, long next, int epoch) {
    var range =
        new SourceRange(
            new UUID(7, partition),
            partition,
            session.again,
            session.term,
            session.position,
            term,
            next,
            epoch);
    session.term = term;
    session.position = next;
    session.leaderEpoch = epoch;
    return range;
  }

  // Checks.

  /// No record is shown twice, and at the end each one of the log once.
  private void check(boolean isEnd) {
    Map<Long, ShownEvents.Found> shown = new HashMap<>();
    for (ShownEvents.Found found : ShownEvents.all(cluster.keyspace())) {
      ShownEvents.Found twice = shown.put(found.number(), found);
      if (twice != null) {
        throw new AssertionError("twice: %s and %s".formatted(twice, found));
      }
    }
    if (!isEnd) {
      return;
    }
    for (Log log : logs) {
      for (int offset = 0; offset < log.records.size(); offset++) {
        Logged record = log.records.get(offset);
        boolean isThere =
            record.isRefused()
                ? letters.contains(record.number) && !shown.containsKey(record.number)
                : shown.containsKey(record.number);
        if (!isThere) {
          throw new AssertionError(
              "%s at offset %d of partition %d of %d records"
                  .formatted(record, offset, logs.indexOf(log), log.records.size()));
        }
      }
    }
  }

  /// Everything heals; then the daemons that are left read everything.
  private void end() {
    cluster.heal();
    machines.stream().filter(each -> each.gone).forEach(each -> cluster.release(each.number));
    machines.forEach(Machine::heal);
    machines.forEach(each -> each.sessions.clear());
    var open = new HashSet<Integer>();
    for (int round = 0; round < 400 && (round < 6 || !open.isEmpty()); round++) {
      for (Machine machine : machines) {
        if (machine.gone) {
          continue;
        }
        if (machine.store == null) {
          reopen(machine);
        }
        CassandraStore store = machine.store;
        if (store == null) {
          throw new AssertionError("it does not start");
        }
        read(machine, false);
        store.step();
        check(false);
      }
      open.clear();
      for (int partition = 0; partition < PARTITIONS; partition++) {
        if (!isRead(partition)) {
          open.add(partition);
        }
      }
    }
    check(true);
  }

  private boolean isRead(int partition) {
    var topic = new UUID(7, partition);
    var rows = cluster.keyspace().source(topic, partition).join();
    boolean owes =
        machines.stream()
            .filter(each -> each.gone)
            .anyMatch(each ->
                rows.claims().stream()
                    .anyMatch(claim ->
                        claim.daemon() == each.number
                            && claim.first() < claim.next()
                            && !isApplied(each.number, claim.stamp())));
    boolean pending =
        machines.stream()
            .anyMatch(each ->
                !each.gone
                    && each.store != null
                    && each.store.sharedSources().isPending(topic, partition));
    return rows.term() >= 0
        && rows.position() == logs.get(partition).records.size()
        && !owes
        && !pending;
  }

  private boolean isApplied(int daemon, long stamp) {
    return cluster.keyspace().daemons().join().stream()
        .anyMatch(row -> row.daemon() == daemon && row.applied().stamp() >= stamp);
  }
}
