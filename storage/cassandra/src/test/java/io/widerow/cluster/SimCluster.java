package io.widerow.cluster;

import io.widerow.storage.cassandra.keyspace.DaemonRow;
import java.util.SplittableRandom;
import java.util.TreeMap;

/// A cluster with faults, the same for the same seed: one keyspace in memory, and what happens to
/// the statements of the daemons that are connected to it by a [SimKeyspace] each. A delayed write
/// is reported as a time-out and applied many statements later.
///
/// - Threads: one.
public final class SimCluster {
  private static final int DELAY_MAX = 300;

  private final MemoryKeyspace keyspace = new MemoryKeyspace();
  private final SplittableRandom random;
  private final TreeMap<Long, Runnable> delayed = new TreeMap<>();
  private long statements;
  private double faults;
  private long awayUntil;
  private Runnable meanwhile = () -> {};

  public SimCluster(long seed) {
    this.random = new SplittableRandom(seed);
  }

  /// What the cluster holds.
  public MemoryKeyspace keyspace() {
    return keyspace;
  }

  /// Lets something happen before each statement, what other daemons do for one.
  public void meanwhile(Runnable happens) {
    meanwhile = happens;
  }

  /// Makes this part of the statements fail.
  ///
  /// @param share 0 to 1
  public void fail(double share) {
    faults = share;
  }

  /// Makes the cluster unreachable for so many statements.
  public void goAway(int forStatements) {
    awayUntil = statements + forStatements;
  }

  /// An operator frees the number of a daemon that is gone for good.
  public void release(int daemon) {
    for (DaemonRow row : keyspace.daemons().join()) {
      if (row.daemon() == daemon) {
        keyspace.begin(daemon, row, null, row.host(), row.epoch() + 1, row.reserved()).join();
      }
    }
  }

  /// Ends all faults and applies delayed statements.
  public void heal() {
    faults = 0;
    awayUntil = 0;
    while (!delayed.isEmpty()) {
      delayed.pollFirstEntry().getValue().run();
    }
  }

  /// What happens to a statement.
  enum Fate {
    APPLIED,
    /// No node was asked.
    AWAY,
    /// It failed before it was applied; nobody knows.
    LOST,
    /// It was applied, and the response came too late.
    LATE_ANSWER,
    /// It failed, and will be applied some time.
    DELAYED
  }

  Fate next() {
    meanwhile.run();
    statements++;
    while (!delayed.isEmpty() && delayed.firstKey() <= statements) {
      delayed.pollFirstEntry().getValue().run();
    }
    if (statements < awayUntil) {
      return Fate.AWAY;
    }
    if (random.nextDouble() >= faults) {
      return Fate.APPLIED;
    }
    Fate[] fates = {Fate.AWAY, Fate.LOST, Fate.LATE_ANSWER, Fate.DELAYED};
    return fates[random.nextInt(fates.length)];
  }

  boolean flip() {
    return random.nextBoolean();
  }

  void delay(Runnable statement) {
    long at = statements + 1 + random.nextInt(DELAY_MAX);
    while (delayed.containsKey(at)) {
      at++;
    }
    delayed.put(at, statement);
  }
}
