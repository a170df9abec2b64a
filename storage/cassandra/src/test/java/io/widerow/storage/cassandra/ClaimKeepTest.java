package io.widerow.storage.cassandra;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cluster.MemoryKeyspace;
import io.widerow.event.EventBatch;
import io.widerow.faults.Appends;
import io.widerow.faults.TestClock;
import io.widerow.storage.Durability;
import io.widerow.storage.cassandra.apply.ApplyOptions;
import io.widerow.storage.cassandra.keyspace.KeyspaceException;
import io.widerow.storage.disk.RealDisk;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a batch that has waited for longer than keys are kept is not applied by guess, is not
/// lost, and is applied when the operator permits it. Method: a keyspace in memory, a clock of the
/// test.
class ClaimKeepTest {
  private static final byte[] TYPE = "app".getBytes(StandardCharsets.UTF_8);
  private static final byte[] NUMBER = "n".getBytes(StandardCharsets.UTF_8);
  private static final Duration KEPT = Duration.ofHours(1);
  private static final int EVENTS = 5;

  @TempDir Path temporary = Path.of("");

  private final MemoryKeyspace keyspace = new MemoryKeyspace();
  private final TestClock clock = new TestClock(ClusterSimulation.START_NANOS);

  private CassandraStore open(boolean acceptsRepeats) {
    return CassandraStore.open(
        keyspace,
        StoreChild.config(temporary.resolve("daemon")).withLanes(1, 1),
        ApplyOptions.of("here").withKeys(new ApplyOptions.BatchKeys(KEPT, acceptsRepeats)),
        new NoReading(),
        new CassandraStore.Machine(
            new RealDisk(),
            clock,
            new SimPace(),
            spool -> EmbeddedStore.openSpool(spool, Runnable::run),
            true));
  }

  private static void send(CassandraStore store) {
    try (EventBatch batch = new EventBatch(1 << 10, 1 << 20)) {
      for (int number = 0; number < EVENTS; number++) {
        batch.begin(TYPE, 0, TYPE.length, ClusterSimulation.START_NANOS + number);
        batch.putLong(NUMBER, 0, NUMBER.length, number);
        assertEquals(null, batch.end());
      }
      Appends.all(store.lane(0), batch, 0);
      store.lane(0).claim(new byte[16]);
      long _ = store.lane(0).commit(Durability.DISK);
    }
  }

  @Test
  void whatHasWaitedForTooLongIsAppliedWhenTheOperatorSaysSo() {
    try (CassandraStore store = open(false)) {
      send(store);
      clock.advance(KEPT.plusMinutes(1).toNanos());
      KeyspaceException old = assertThrows(KeyspaceException.class, store::step);
      assertEquals(KeyspaceException.Kind.REFUSED, old.kind);
      assertTrue(
          store.cluster().trouble().contains("start with --accept-repeats"),
          store.cluster()::trouble);
      assertEquals(EVENTS, store.cluster().pendingEvents());
      assertTrue(ShownEvents.all(keyspace).isEmpty());
    }
    try (CassandraStore store = open(true)) {
      assertFalse(store.step());
      assertEquals(0, store.cluster().pendingEvents());
      assertEquals(EVENTS, ShownEvents.all(keyspace).size());
      assertEquals("", store.cluster().trouble());
    }
  }

  @Test
  void whatHasWaitedForLessIsApplied() {
    try (CassandraStore store = open(false)) {
      send(store);
      clock.advance(KEPT.minusMinutes(1).toNanos());
      assertFalse(store.step());
      assertEquals(EVENTS, ShownEvents.all(keyspace).size());
    }
  }
}
