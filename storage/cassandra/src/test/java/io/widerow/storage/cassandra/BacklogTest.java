package io.widerow.storage.cassandra;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cluster.MemoryKeyspace;
import io.widerow.event.EventBatch;
import io.widerow.event.EventId;
import io.widerow.faults.Appends;
import io.widerow.storage.Durability;
import io.widerow.storage.RetentionLookup;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.cassandra.apply.ApplyOptions;
import io.widerow.storage.cassandra.apply.Pace;
import io.widerow.storage.cassandra.keyspace.DaemonRow;
import io.widerow.storage.cassandra.read.ClusterReader;
import io.widerow.storage.cassandra.read.ReadOptions;
import io.widerow.storage.disk.RealDisk;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.live.StoreClock;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a backlog of many rounds, of several starts with other numbers of lanes, with late events
/// and ids that are written again, becomes what a store on one machine has. Method: a keyspace in
/// memory; nothing is applied before all is taken in.
class BacklogTest {
  private static final int EVENTS = 6_000;
  private static final int BATCH = 40;
  private static final long ROUND_BYTES = 16 << 10;

  @TempDir Path temporary = Path.of("");
  private final RunEvents events = new RunEvents(EVENTS);
  private final BitSet sent = new BitSet();
  private final CountingKeyspace keyspace = new CountingKeyspace();
  private long recordBytes;
  private int keys;

  /// Counts the rounds that are shown.
  private static final class CountingKeyspace extends MemoryKeyspace {
    int rounds;

    @Override
    public CompletableFuture<Void> applied(int daemon, DaemonRow.Applied applied) {
      rounds++;
      return super.applied(daemon, applied);
    }
  }

  private CassandraStore open(int lanes) {
    StoreConfig config = StoreChild.config(temporary.resolve("daemon")).withLanes(lanes, 2 * lanes);
    return CassandraStore.open(
        keyspace,
        config,
        ApplyOptions.of("here").withRoundBytes(ROUND_BYTES),
        new NoReading(),
        new CassandraStore.Machine(
            new RealDisk(),
            StoreClock.system(),
            new Pace.Real(),
            spool -> EmbeddedStore.openSpool(spool, Runnable::run),
            true));
  }

  /// Sends events, of those with ids of their own an older write first, some batches before.
  private void send(CassandraStore store, int from, int until) {
    for (int first = from; first < until; first += BATCH) {
      EventBatch[] batches = new EventBatch[store.lanes()];
      for (int lane = 0; lane < batches.length; lane++) {
        batches[lane] = new EventBatch(1 << 10, 1 << 20);
      }
      for (int number = first; number < first + BATCH; number++) {
        EventId id = events.id(number);
        events.add(batches[id == null ? number % batches.length : store.laneOf(id)], number);
        sent.set(number);
        EventId later = events.id(Math.min(EVENTS - 1, number + 7 * BATCH));
        if (later != null && number % 2 == 0) {
          old(batches[store.laneOf(later)], later);
        }
      }
      for (int lane = 0; lane < batches.length; lane++) {
        Appends.all(store.lane(lane), batches[lane], first);
        recordBytes += batches[lane].bytes();
        store.lane(lane).claim(ByteBuffer.allocate(16).putInt(keys++).array());
        long _ = store.lane(lane).commit(Durability.DISK);
        batches[lane].close();
      }
    }
  }

  private static void old(EventBatch batch, EventId id) {
    byte[] type = RunEvents.utf8("own");
    byte[] body = RunEvents.utf8("body");
    batch.begin(type, 0, type.length, id);
    batch.putString(body, 0, body.length, RunEvents.utf8("this write is not the last one"));
    assertEquals(null, batch.end());
  }

  @Test
  void isAppliedInRoundsAndIsWhatOneMachineHas() {
    int[] lanes = {2, 1, 3};
    for (int start = 0; start < lanes.length; start++) {
      try (CassandraStore store = open(lanes[start])) {
        send(store, start * EVENTS / 3, (start + 1) * EVENTS / 3);
        assertEquals(0, keyspace.rounds);
        if (start == lanes.length - 1) {
          boolean nothing = store.step();
          assertTrue(!nothing && store.step(), "nothing is left after one step");
          assertEquals(0, store.cluster().pendingEvents());
        }
      }
    }
    assertTrue(
        keyspace.rounds > recordBytes / ROUND_BYTES / 3 && keyspace.rounds > 10,
        () -> keyspace.rounds + " rounds of " + recordBytes + " bytes");
    ClusterReader reader =
        new ClusterReader(keyspace, RetentionLookup.FOREVER, ReadOptions.DEFAULT, Runnable::run);
    try (StoreView view = reader.view()) {
      assertEquals(
          OneMachine.hash(temporary.resolve("one"), events, sent),
          WholeRead.of(view, false, false).hash());
    }
    reader.close();
  }
}
