package io.widerow.storage.cassandra;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cluster.MemoryKeyspace;
import io.widerow.event.EventBatch;
import io.widerow.event.EventId;
import io.widerow.event.Rejection;
import io.widerow.event.TimeUuid;
import io.widerow.faults.Appends;
import io.widerow.faults.Await;
import io.widerow.storage.ClusterReport;
import io.widerow.storage.Durability;
import io.widerow.storage.EventCursor;
import io.widerow.storage.LaneWriter;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.RetentionLookup;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.cassandra.apply.ApplyOptions;
import io.widerow.storage.cassandra.keyspace.DaemonRow;
import io.widerow.storage.cassandra.keyspace.DirectoryRow;
import io.widerow.storage.cassandra.keyspace.KeyspaceException;
import io.widerow.storage.cassandra.keyspace.KeyspaceHealth;
import io.widerow.storage.cassandra.read.ClusterReader;
import io.widerow.storage.cassandra.read.ReadOptions;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the store on a cluster with its real threads and a real directory: applied events are
/// reported and shown, and an outage delays them. Method: a keyspace in memory that can be away.
class CassandraStoreTest {
  private static final byte[] TYPE = "app".getBytes(StandardCharsets.UTF_8);
  private static final byte[] NUMBER = "n".getBytes(StandardCharsets.UTF_8);
  private static final long NANOS = 1_764_000_000_000_000_000L;

  @TempDir Path temporary = Path.of("");
  private final AwayKeyspace keyspace = new AwayKeyspace();
  private final BlockingQueue<Long> told = new LinkedBlockingQueue<>();

  /// A keyspace that may be away, and records the statements that it refused then.
  private static final class AwayKeyspace extends MemoryKeyspace {
    final BlockingQueue<String> refused = new LinkedBlockingQueue<>();
    volatile boolean isAway;

    private <T extends @Nullable Object> CompletableFuture<T> away(String what) {
      refused.add(what);
      return CompletableFuture.failedFuture(
          new KeyspaceException(KeyspaceException.Kind.UNREACHABLE, "no node answers"));
    }

    @Override
    public CompletableFuture<Void> write(DirectoryRow row, ByteBuffer value, int ttlSeconds) {
      return isAway ? away("write") : super.write(row, value, ttlSeconds);
    }

    @Override
    public CompletableFuture<List<DaemonRow>> daemons() {
      return isAway ? away("daemons") : super.daemons();
    }

    @Override
    public CompletableFuture<Void> applied(int daemon, DaemonRow.Applied applied) {
      return isAway ? away("applied") : super.applied(daemon, applied);
    }

    @Override
    public KeyspaceHealth health() {
      return isAway ? new KeyspaceHealth(0, 1, 1, Map.of()) : super.health();
    }
  }

  private record Readers(ClusterReader reader) implements CassandraStore.Reading {
    @Override
    public StoreView view() {
      return reader.view();
    }

    @Override
    public StoreView viewWithin(long nanos) {
      return reader.view();
    }

    @Override
    public void retain(@Nullable String type, @Nullable Duration age) {
      throw new AssertionError("nobody asks for it");
    }

    @Override
    public void maintain() {}

    @Override
    public void close() {
      reader.close();
    }
  }

  private StoreConfig config(String directory) {
    return StoreConfig.at(temporary.resolve(directory))
        .withMemory(4L << 20, Duration.ofMinutes(10))
        .withJournal(1 << 20, 4 << 20)
        .withDiskReserveBytes(0);
  }

  private CassandraStore open(String directory) {
    return open(
        directory,
        new Readers(
            new ClusterReader(
                keyspace, RetentionLookup.FOREVER, ReadOptions.DEFAULT, Runnable::run)));
  }

  private CassandraStore open(String directory, CassandraStore.Reading reading) {
    CassandraStore store =
        CassandraStore.open(
            keyspace,
            config(directory),
            ApplyOptions.of("here")
                .withPacing(new ApplyOptions.Pacing(Duration.ofMillis(20), 8, 8 << 20)),
            reading,
            Runnable::run);
    store.lane(0).onQuorum(told::add);
    return store;
  }

  private static void append(CassandraStore store, int from, int count) {
    try (EventBatch batch = new EventBatch(1 << 10, 1 << 20)) {
      for (int number = from; number < from + count; number++) {
        batch.begin(TYPE, 0, TYPE.length, NANOS + number);
        batch.putLong(NUMBER, 0, NUMBER.length, number);
        assertEquals(null, batch.end());
      }
      Appends.all(store.lane(0), batch, 0);
    }
  }

  private static int shown(CassandraStore store) {
    StoreView view = store.view();
    try (EventCursor cursor =
        view.open(
            view.partitions(_ -> true, 0, Long.MAX_VALUE).stream().map(PartitionInfo::key).toList(),
            Scan.all())) {
      int events = 0;
      for (EventCursor.Step step = cursor.next();
          step != EventCursor.Step.END;
          step = cursor.next()) {
        if (step == EventCursor.Step.EVENT) {
          events++;
        }
      }
      return events;
    } finally {
      view.close();
    }
  }

  private void awaitTold(long group) throws InterruptedException {
    long last = -1;
    while (last < group) {
      Long next = told.poll(Await.SECONDS, TimeUnit.SECONDS);
      assertNotNull(next, "nobody told that group " + group + " is applied; the last was " + last);
      assertTrue(next > last, "told " + next + " after " + last);
      last = next;
    }
    assertEquals(group, last);
  }

  @Test
  void whatIsAppliedIsToldAndShownWhole() throws InterruptedException {
    try (CassandraStore store = open("a")) {
      append(store, 0, 500);
      awaitTold(store.lane(0).commit(Durability.QUORUM));
      assertEquals(500, shown(store));
      append(store, 500, 20);
      awaitTold(store.lane(0).commit(Durability.QUORUM));
      assertEquals(520, shown(store));
      ClusterReport report = store.cluster();
      assertEquals(ClusterReport.State.UP, report.state());
      assertEquals("", report.trouble());
    }
  }

  /// The daemon forgot the key of a batch that is not applied yet. The repeat hides the first one's
  /// writes of the same ids on this machine.
  @Test
  void aBatchWithItsOwnIdsThatCameTwiceIsThereOnce() throws InterruptedException {
    byte[] key = new byte[16];
    try (CassandraStore store = open("a");
        EventBatch batch = new EventBatch(1 << 10, 1 << 20)) {
      for (int number = 0; number < 50; number++) {
        EventId id = new EventId(TimeUuid.timeOfNanos(NANOS + 100L * number), -1L >>> 2 | 1L << 63);
        batch.begin(TYPE, 0, TYPE.length, id);
        assertEquals(null, batch.end());
      }
      keyspace.isAway = true;
      for (int time = 0; time < 2; time++) {
        Appends.all(store.lane(0), batch, 0);
        store.lane(0).claim(key);
      }
      long _ = store.lane(0).commit(Durability.DISK);
      keyspace.isAway = false;
      append(store, 0, 1);
      awaitTold(store.lane(0).commit(Durability.QUORUM));
      assertEquals(51, shown(store));
    }
  }

  @Test
  void anOutageDelaysAndLosesNothing() throws InterruptedException {
    try (CassandraStore store = open("a")) {
      keyspace.isAway = true;
      append(store, 0, 300);
      long group = store.lane(0).commit(Durability.QUORUM);
      for (int tries = 0; tries < 3; tries++) {
        assertNotNull(keyspace.refused.poll(Await.SECONDS, TimeUnit.SECONDS));
      }
      ClusterReport report = store.cluster();
      assertEquals(ClusterReport.State.UNREACHABLE, report.state());
      assertEquals(300, report.pendingEvents());
      assertTrue(report.pendingBytes() > 0);
      assertTrue(report.trouble().contains("no node answers"), report.trouble());
      keyspace.isAway = false;
      awaitTold(group);
      assertEquals(300, shown(store));
      assertEquals(0, store.cluster().pendingEvents());
      assertEquals("", store.cluster().trouble());
    }
  }

  /// Also when nothing new comes, and when it is asked after everything is applied.
  @Test
  void aStartAppliesWhatIsLeftAndTellsItOnce() throws InterruptedException {
    long group;
    CassandraStore first = open("a");
    keyspace.isAway = true;
    append(first, 0, 40);
    group = first.lane(0).commit(Durability.DISK);
    assertNotNull(keyspace.refused.poll(Await.SECONDS, TimeUnit.SECONDS));
    first.close(); // waits for the cluster, and not for ever
    assertEquals(0, told.size());
    keyspace.isAway = false;
    try (CassandraStore second = open("a")) {
      Long last = told.poll(Await.SECONDS, TimeUnit.SECONDS);
      assertNotNull(last);
      assertTrue(last >= group, last + " of " + group);
      assertEquals(40, shown(second));
      long next = second.lane(0).commit(Durability.QUORUM);
      assertEquals(last, next, "an empty group has the number of the last");
      append(second, 40, 1);
      awaitTold(second.lane(0).commit(Durability.QUORUM));
      assertEquals(0, told.size(), "each group is told once");
      assertEquals(41, shown(second));
    }
  }

  /// An event is acknowledged and shown, or refused with the retention.
  @Test
  void anEventPastTheRetentionOfTheClusterIsRefused() throws InterruptedException {
    var reading = reading(keyspace, null);
    long now = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
    List<String> refused = new ArrayList<>();
    var rejections =
        new LaneWriter.Rejections() {
          @Override
          public void rejected(int index, Rejection why) {
            refused.add(index + " " + why);
          }

          @Override
          public void pastRetention(int index, Duration kept) {
            refused.add(index + " " + Rejection.pastRetention(kept));
          }
        };
    try (CassandraStore store = open("a", reading);
        EventBatch batch = new EventBatch(1 << 10, 1 << 20)) {
      store.retain(null, Duration.ofDays(2));
      store.retain("log", null);
      for (int days = 0; days < 6; days++) {
        for (byte[] type : List.of(TYPE, "log".getBytes(StandardCharsets.UTF_8))) {
          batch.begin(type, 0, type.length, now - Duration.ofDays(days).toNanos() + days);
          assertEquals(null, batch.end());
        }
      }
      int taken = store.lane(0).append(batch, 0, rejections);
      String sentence = " older than the retention of 2d";
      assertEquals(List.of("6" + sentence, "8" + sentence, "10" + sentence), refused);
      assertEquals(9, taken);
      awaitTold(store.lane(0).commit(Durability.QUORUM));
      assertEquals(9, shown(store));
    }
  }

  /// @param slack how long after their retention the cluster drops rows; null for never
  static ClusterReading reading(MemoryKeyspace keyspace, @Nullable Duration slack) {
    return new ClusterReading(
        keyspace,
        new ClusterReading.Settings(ReadOptions.DEFAULT, Duration.ofHours(1), slack),
        Runnable::run,
        Runnable::run);
  }

  /// The cluster drops rows by itself a while after their retention; rows of a type that is kept
  /// indefinitely stay.
  @Test
  void rowsLiveAsLongAsTheirRetentionAndTheSlack() throws InterruptedException {
    Duration slack = Duration.ofDays(7);
    var reading = reading(keyspace, slack);
    long nowMillis = System.currentTimeMillis();
    keyspace.setClockMillis(nowMillis);
    byte[] kept = "log".getBytes(StandardCharsets.UTF_8);
    try (CassandraStore store = open("a", reading);
        EventBatch batch = new EventBatch(1 << 10, 1 << 20)) {
      store.retain(null, Duration.ofDays(2));
      store.retain("log", null);
      for (byte[] type : List.of(TYPE, kept)) {
        batch.begin(type, 0, type.length, TimeUnit.MILLISECONDS.toNanos(nowMillis));
        assertEquals(null, batch.end());
      }
      Appends.all(store.lane(0), batch, 0);
      awaitTold(store.lane(0).commit(Durability.QUORUM));
      StoreView view = store.view();
      for (PartitionInfo info : view.partitions(_ -> true, 0, Long.MAX_VALUE)) {
        List<Long> until = keyspace.untilMillis(info.key());
        boolean expires = info.key().type().equals("app");
        assertEquals(expires ? 1 : 0, until.size(), info.toString());
        if (expires) {
          long end = TimeUnit.NANOSECONDS.toMillis(info.key().untilNanos());
          long wanted = end + Duration.ofDays(2).plus(slack).toMillis();
          assertTrue(Math.abs(until.getFirst() - wanted) < 60_000, until + " of " + wanted);
        }
      }
      view.close();
      keyspace.setClockMillis(nowMillis + Duration.ofDays(30).toMillis());
      assertEquals(1, shown(store), "the cluster dropped the other row");
    }
  }

  @Test
  void aStoreOfThisMachineIsRefused() {
    EmbeddedStore.open(config("a"), Runnable::run).close();
    StorageException.Incompatible refused =
        assertThrows(StorageException.Incompatible.class, () -> open("a").close());
    assertTrue(String.valueOf(refused.getMessage()).contains("migrate"), refused.getMessage());
  }
}
