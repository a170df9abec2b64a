package io.widerow.storage.cassandra;

import io.widerow.cluster.SimCluster;
import io.widerow.cluster.SimKeyspace;
import io.widerow.event.EventBatch;
import io.widerow.event.EventId;
import io.widerow.faults.FileJournal;
import io.widerow.faults.SimDisk;
import io.widerow.faults.TestClock;
import io.widerow.storage.Durability;
import io.widerow.storage.LaneWriter;
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
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// Goal: whatever happens to daemons and to the cluster, every acknowledged event is there once.
/// Method: two or three daemons on simulated disks, one simulated cluster; batches, some of them
/// sent to two daemons, events with ids of their own, some of them written again; statements that
/// fail in every way, daemons that die at any of them or with their disk, disks that are full for a
/// while, and one daemon that never comes back. On two of three seeds rounds are cut after a few
/// hundred bytes. Seeded: one thread, no clock.
public final class ClusterSimulation implements LongConsumer {
  public ClusterSimulation() {}

  static final long START_NANOS = 1_764_000_000_000_000_000L;
  private static final byte[] TYPE = "sim".getBytes(StandardCharsets.UTF_8);
  private static final byte[] OTHER = "other".getBytes(StandardCharsets.UTF_8);
  private static final byte[] NUMBER = "n".getBytes(StandardCharsets.UTF_8);
  private static final int STEPS = 60;

  /// A machine with a daemon.
  private final class Machine {
    final int index;
    final TestClock clock = new TestClock(START_NANOS);
    final SimPace pace = new SimPace();
    SimDisk disk;
    SimKeyspace connection = new SimKeyspace(cluster);
    @Nullable CassandraStore store;
    boolean gone;
    int number = -1;
    final List<Group> groups = new ArrayList<>();

    Machine(int index) {
      this.index = index;
      this.disk = new SimDisk(random.nextLong());
    }

    void open() {
      connection = new SimKeyspace(cluster);
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
      store = opened;
      groups.clear();
      number = opened.cluster().daemon();
      for (int lane = 0; lane < lanes; lane++) {
        int here = lane;
        opened.lane(lane).onQuorum(group -> told(here, group));
      }
    }

    void heal() {
      connection.dieIn(Long.MAX_VALUE);
      disk.cutPowerAt(Long.MAX_VALUE);
      disk.fillFor(Long.MAX_VALUE, Long.MAX_VALUE);
      pace.allow(20);
    }

    private EmbeddedStore spool(StoreConfig config) {
      return new EmbeddedStore(
          new StoreOpener(config, disk, clock, Runnable::run)
              .drained()
              .open(_ -> new FileJournal.Factory(disk, config, 8 << 10)));
    }

    private void told(int lane, long group) {
      for (Group each : groups) {
        if (each.lane == lane && each.number <= group) {
          each.batches.forEach(sent -> sent.applied = true);
        }
      }
    }

    /// The daemon is dead; its disk is as a power cut leaves it, or as the process left it.
    void die(boolean powerCut) {
      disk = powerCut ? disk.crash(random.nextBoolean()) : disk.restart();
      CassandraStore dead = store;
      store = null;
      if (dead != null) {
        try {
          dead.abandon(); // the disk that it writes to is not the one that is left
        } catch (SimDisk.PowerCut off) {
          return; // it has no disk any more
        }
      }
    }
  }

  private record Group(int lane, long number, List<Sent> batches) {}

  private SplittableRandom random = new SplittableRandom();
  private SimCluster cluster = new SimCluster(0);
  private final List<Machine> machines = new ArrayList<>();
  private final List<Sent> all = new ArrayList<>();
  private final Map<EventId, List<Long>> writes = new HashMap<>(); // acknowledged, in order
  private @Nullable Machine acting;
  private long number;
  private long roundBytes = Long.MAX_VALUE;

  /// Runs one seed.
  @Override
  public void accept(long seed) {
    random = new SplittableRandom(seed);
    roundBytes = Math.floorMod(seed, 3) == 0 ? Long.MAX_VALUE : 64L << random.nextInt(7);
    cluster = new SimCluster(random.nextLong());
    if (random.nextInt(3) == 0) {
      cluster.meanwhile(this::meanwhile);
    }
    int count = 2 + random.nextInt(2);
    for (int i = 0; i < count; i++) {
      machines.add(new Machine(i));
    }
    try {
      machines.getFirst().open();
      for (Machine later : machines.subList(1, count)) {
        if (random.nextInt(4) > 0) {
          later.open();
        }
      }
      for (int step = 0; step < STEPS; step++) {
        act();
        check();
      }
      end();
    } finally {
      closeAll();
    }
  }

  private void closeAll() {
    cluster.heal();
    machines.forEach(Machine::heal);
    for (Machine machine : machines) {
      if (machine.store != null) {
        machine.store.close();
      }
    }
  }

  private Machine someMachine() {
    return machines.get(random.nextInt(machines.size()));
  }

  /// What another machine does between two statements of the one that acts.
  private void meanwhile() {
    Machine one = acting;
    if (one == null || random.nextInt(20) > 0) {
      return;
    }
    Machine other = someMachine();
    if (other == one || other.gone) {
      return;
    }
    acting = null;
    if (other.store == null) {
      reopen(other);
    } else if (random.nextInt(3) == 0) {
      send(other);
    } else {
      apply(other);
    }
    acting = one;
  }

  private void act() {
    Machine machine = someMachine();
    acting = machine;
    act(machine);
    acting = null;
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
    switch (random.nextInt(21)) {
      case 0 -> machine.die(true);
      case 1 -> {
        machine.connection.dieIn(random.nextInt(40));
        apply(machine);
      }
      case 2 -> {
        machine.disk.cutPowerAt(machine.disk.operations() + random.nextInt(40));
        apply(machine);
        send(machine);
      }
      case 3 -> restart(machine);
      case 4 -> cluster.goAway(random.nextInt(60));
      case 5 -> machine.clock.step(random.nextLong(-3_000_000_000L, 3_000_000_000L));
      case 6 -> mayLose(machine);
      case 7, 8 -> cluster.fail(random.nextInt(4) / 10.0);
      case 20 -> fill(machine);
      case 9, 10, 11, 12, 13 -> apply(machine);
      default -> send(machine);
    }
  }

  /// Other programs fill the disk for a while.
  private void fill(Machine machine) {
    long from = machine.disk.operations() + random.nextInt(20);
    machine.disk.fillFor(from, from + 1 + random.nextInt(60));
    for (int left = 1 + random.nextInt(4); left > 0; left--) {
      if (random.nextBoolean()) {
        send(machine);
      } else {
        apply(machine);
      }
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

  private void restart(Machine machine) {
    CassandraStore store = machine.store;
    if (store == null) {
      return;
    }
    machine.store = null;
    try {
      store.close();
    } catch (SimDisk.PowerCut off) {
      machine.die(true);
      return;
    }
    machine.disk = machine.disk.restart();
    reopen(machine);
  }

  /// At most one machine never comes back, and is released some time after.
  private void mayLose(Machine machine) {
    boolean one = machines.stream().anyMatch(each -> each.gone);
    if (one || random.nextInt(3) > 0) {
      return;
    }
    machine.connection.dieIn(random.nextInt(15));
    apply(machine);
    machine.die(true);
    machine.gone = true;
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

  private void send(Machine machine) {
    List<Sent> batches = new ArrayList<>();
    for (int left = 1 + random.nextInt(3); left > 0; left--) {
      Sent again =
          all.isEmpty() ? null : all.get(all.size() - 1 - random.nextInt(Math.min(8, all.size())));
      boolean repeat =
          again != null
              && again.key != null
              && !again.at.contains(machine.index)
              && !batches.contains(again)
              && random.nextInt(2) == 0;
      batches.add(repeat ? again : fresh(machine));
    }
    CassandraStore store = machine.store;
    if (store == null) {
      return;
    }
    try {
      int lane = random.nextInt(store.lanes());
      long group = take(store.lane(lane), store, lane, batches);
      machine.groups.add(new Group(lane, group, List.copyOf(batches)));
      for (Sent sent : batches) {
        sent.at.add(machine.index);
        sent.ids.forEach(
            (event, id) -> writes.computeIfAbsent(id, _ -> new ArrayList<>()).add(event));
      }
    } catch (StorageException.DiskFull full) {
      refused(machine, store, batches);
    } catch (SimDisk.PowerCut off) {
      batches.forEach(sent -> sent.mayBeThere = true); // its journal may have the group
      machine.die(true);
    }
  }

  /// Nothing of the group was taken, and none of it is ever shown. The lane may say so once more.
  private void refused(Machine machine, CassandraStore store, List<Sent> batches) {
    for (Sent sent : batches) {
      sent.refusedAt.add(machine.index);
    }
    for (int lane = 0; lane < store.lanes(); lane++) {
      try {
        long _ = store.lane(lane).commit(Durability.DISK);
      } catch (StorageException.DiskFull again) {
        // events appended before it are dropped too
      } catch (SimDisk.PowerCut off) {
        machine.die(true);
        return;
      }
    }
  }

  private Sent fresh(Machine machine) {
    byte[] key = null;
    if (random.nextInt(3) > 0) {
      key = new byte[16];
      random.nextBytes(key);
    }
    Sent sent = new Sent(key);
    for (int left = 1 + random.nextInt(4); left > 0; left--) {
      long event = number++;
      sent.numbers.add(event);
      if (key == null && random.nextInt(3) == 0) { // of a few ids of this daemon
        sent.ids.put(event, Sent.ownId(machine.index * 10L + random.nextInt(3)));
      }
    }
    all.add(sent);
    return sent;
  }

  private long take(LaneWriter lane, CassandraStore store, int index, List<Sent> batches) {
    for (Sent sent : batches) {
      try (EventBatch batch = new EventBatch(1 << 10, 1 << 16)) {
        for (long event : sent.numbers) {
          EventId id = sent.ids.get(event);
          if (id != null && store.laneOf(id) != index) {
            sent.ids.remove(event); // it has an id of its own only in its lane
            id = null;
          }
          byte[] type = event % 5 == 0 ? OTHER : TYPE;
          if (id != null) {
            batch.begin(TYPE, 0, TYPE.length, id);
          } else {
            batch.begin(type, 0, type.length, START_NANOS - event % 3 * 3_600_000_000_000L + event);
          }
          batch.putLong(NUMBER, 0, NUMBER.length, event);
          if (batch.end() != null) {
            throw new AssertionError("refused");
          }
        }
        lane.append(
            batch,
            random.nextLong(),
            (i, why) -> {
              throw new AssertionError(i + " refused: " + why);
            });
        if (sent.key != null) {
          lane.claim(sent.key);
        }
      }
    }
    return lane.commit(random.nextBoolean() ? Durability.QUORUM : Durability.DISK);
  }

  // Checks.

  private Map<Long, List<ShownEvents.Found>> check() {
    return SentCheck.check(ShownEvents.all(cluster.keyspace()), all, writes);
  }

  /// Everything heals; then all that was acknowledged is there.
  private void end() {
    cluster.heal();
    release();
    machines.forEach(Machine::heal);
    for (int round = 0; round < 6; round++) {
      for (Machine machine : machines) {
        if (machine.gone) {
          continue;
        }
        if (machine.store == null) {
          reopen(machine);
        }
        Objects.requireNonNull(machine.store).step();
      }
      check();
    }
    Map<Long, List<ShownEvents.Found>> shown = check();
    for (Sent sent : all) {
      boolean kept = sent.at.stream().anyMatch(index -> !machines.get(index).gone);
      if (kept || sent.applied) {
        for (long event : sent.numbers) {
          if (!sent.ids.containsKey(event) && !shown.containsKey(event)) {
            throw new AssertionError("event " + event + " of " + sent.numbers + " is lost");
          }
        }
      }
    }
    writes.forEach((id, numbers) -> requireLast(id, numbers.getLast(), shown));
    for (Machine machine : machines) {
      CassandraStore store = machine.store;
      if (!machine.gone && store != null && store.cluster().pendingEvents() != 0) {
        throw new AssertionError(store.cluster() + " still holds events");
      }
    }
  }

  private void requireLast(EventId id, long last, Map<Long, List<ShownEvents.Found>> shown) {
    Sent sent = all.stream().filter(each -> each.ids.containsKey(last)).findFirst().orElseThrow();
    boolean kept = sent.at.stream().anyMatch(index -> !machines.get(index).gone);
    if (kept && !SentCheck.isThere(id, last, shown)) {
      throw new AssertionError("the last write of an id, event " + last + ", is lost");
    }
  }

  /// An operator frees the number of the machine that is gone.
  private void release() {
    machines.stream().filter(each -> each.gone).forEach(each -> cluster.release(each.number));
  }
}
