package io.widerow.cli.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cluster.MemoryKeyspace;
import io.widerow.event.AttributeName;
import io.widerow.event.TimeUuid;
import io.widerow.faults.Await;
import io.widerow.faults.Seeds;
import io.widerow.faults.TestEvent;
import io.widerow.questions.OracleEvents;
import io.widerow.storage.Durability;
import io.widerow.storage.EventCursor;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.cassandra.CassandraStore;
import io.widerow.storage.cassandra.ClusterReading;
import io.widerow.storage.cassandra.apply.ApplyOptions;
import io.widerow.storage.cassandra.migrate.Migration;
import io.widerow.storage.cassandra.migrate.MigrationWatch;
import io.widerow.storage.cassandra.migrate.Settings;
import io.widerow.storage.cassandra.read.ReadOptions;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.objects.BackupOptions;
import io.widerow.storage.objects.CopyBackup;
import io.widerow.storage.objects.DirectoryObjects;
import io.widerow.storage.objects.ObjectStore;
import io.widerow.storage.objects.ObjectsException;
import io.widerow.storage.objects.Restore;
import io.widerow.storage.objects.RetentionOptions;
import io.widerow.storage.objects.Verification;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: whichever daemon makes a checkpoint, and wherever it is killed, every restore shows what
/// the cluster showed at the moment that it names, and old moments go. Method: two daemons over a
/// keyspace in memory, with late events, upserts and a change of retention; an object store that
/// ends the process at a seeded request, before or after it; a lease that both may believe in.
@Timeout(600)
class ClusterBackupModelTest {
  private static final int EVENTS = Integer.getInteger("cluster.events", 1_500);
  private static final int STEPS = 20;
  private static final int LANES = 2;
  private static final int ASSIGNED = 4; // types whose ids the store gives
  private static final int KEPT = 10; // moments, at least
  private static final long SECOND = 1_000_000_000L;
  private static final long START = 1_796_000_000L * SECOND;

  @TempDir Path temporary;

  private final MemoryKeyspace keyspace = new MemoryKeyspace();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final AtomicLong clock = new AtomicLong(START);
  private final AtomicLong requestsLeft = new AtomicLong(Long.MAX_VALUE);
  private final TreeMap<Instant, List<String>> shown = new TreeMap<>(); // by the time of a try
  private boolean lastIsDone;
  private int restores;

  static List<Long> seeds() {
    return Seeds.of(2);
  }

  /// The end of the process, as the code that runs in it sees it.
  private static final class Killed extends Error {
    private static final long serialVersionUID = 1L;
  }

  /// A daemon, and the backup in it.
  private final class Member {
    private final Path directory;
    private final CassandraStore store;
    private final List<BlockingQueue<Long>> applied = new ArrayList<>();
    private boolean leased = true;
    private CopyBackup backup;

    Member(String name) {
      directory = temporary.resolve(name);
      StoreConfig local =
          StoreConfig.at(directory)
              .withLanes(LANES, 4)
              .withBuckets(240, Map.of("cpu", 1_440, "disk", 480))
              .withMemory(8L << 20, Duration.ofMinutes(1))
              .withJournal(1 << 20, 8 << 20)
              .withDiskReserveBytes(0);
      ReadOptions options = ReadOptions.DEFAULT.withBucketMinutes(local::bucketMinutesOf);
      var reading =
          new ClusterReading(
              keyspace,
              new ClusterReading.Settings(options, Duration.ofHours(1), null),
              threads,
              threads);
      store = CassandraStore.open(keyspace, local, ApplyOptions.of(name), reading, threads);
      for (int lane = 0; lane < LANES; lane++) {
        BlockingQueue<Long> told = new LinkedBlockingQueue<>();
        applied.add(told);
        store.lane(lane).onQuorum(told::add);
      }
      backup = start();
    }

    CopyBackup start() {
      return new CopyBackup(
          store.copier(),
          () -> leased,
          directory,
          objects(true),
          new BackupOptions(
              Duration.ZERO,
              Duration.ZERO,
              0,
              BackupOptions.OBJECT_BYTES,
              "host",
              new RetentionOptions(
                  Duration.ofSeconds(KEPT),
                  1,
                  Duration.ofSeconds(20),
                  Duration.ofSeconds(3),
                  Duration.ZERO)),
          clock::get,
          () -> 60 * (clock.get() - START));
    }

    void write(OracleEvents events, int from, int until) throws InterruptedException {
      events.write(store, from, until);
      for (int lane = 0; lane < LANES; lane++) {
        long group = store.lane(lane).commit(Durability.QUORUM);
        long reached = -1;
        while (reached < group) {
          Long told = applied.get(lane).poll(Await.SECONDS, TimeUnit.SECONDS);
          assertNotNull(told, "group " + group);
          reached = told;
        }
        applied.get(lane).add(reached); // for a commit without a new group
      }
    }

    /// Tries to make a checkpoint; returns whether it was made.
    boolean tryCheckpoint(boolean retain) {
      clock.addAndGet(SECOND);
      shown.put(now(), lines(store.view()));
      try {
        backup.step();
        if (retain) {
          backup.checkpoint();
          return backup.status().reason() == null;
        }
        backup.now();
        return true;
      } catch (ObjectsException refused) {
        return false;
      } catch (Killed | CompletionException killed) {
        assertTrue(
            killed instanceof Killed || killed.getCause() instanceof Killed, killed::toString);
        requestsLeft.set(Long.MAX_VALUE);
        backup = start();
        return false;
      }
    }
  }

  private Instant now() {
    return Instant.ofEpochSecond(clock.get() / SECOND);
  }

  private ObjectStore objects(boolean mayEnd) {
    var below = new DirectoryObjects(temporary.resolve("objects"));
    return (ObjectStore)
        Proxy.newProxyInstance(
            ObjectStore.class.getClassLoader(),
            new Class<?>[] {ObjectStore.class},
            (_, method, arguments) -> {
              boolean counts = mayEnd && !method.getName().equals("toString");
              long left = counts ? requestsLeft.decrementAndGet() : Long.MAX_VALUE;
              if (left < 0 || (left == 0 && !lastIsDone)) {
                throw new Killed();
              }
              try {
                Object result = method.invoke(below, arguments);
                if (left == 0) {
                  throw new Killed(); // it was done, and nobody learned of it
                }
                return result;
              } catch (InvocationTargetException failed) {
                throw failed.getCause();
              }
            });
  }

  private static List<String> lines(StoreView view) {
    List<String> lines = new ArrayList<>();
    try (view) {
      var keys =
          view.partitions(_ -> true, TimeUuid.NANOS_MIN, TimeUuid.NANOS_LIMIT, null).stream()
              .map(PartitionInfo::key)
              .toList();
      try (EventCursor cursor = view.open(keys, Scan.all())) {
        while (next(cursor)) {
          TestEvent event = TestEvent.copyOf(cursor.event());
          lines.add("%s %s %s".formatted(event.id(), event.type(), event.attributes()));
        }
      }
    }
    return lines;
  }

  private static boolean next(EventCursor cursor) {
    EventCursor.Step step = cursor.next();
    while (step == EventCursor.Step.PENDING) {
      cursor.ready().join();
      step = cursor.next();
    }
    return step == EventCursor.Step.EVENT;
  }

  private Path restore(Instant at) {
    Path target = temporary.resolve("restored-" + restores++);
    long nanos =
        at.equals(Instant.MAX) ? Long.MAX_VALUE : at.getEpochSecond() * SECOND + at.getNano();
    Restore.Result result = new Restore(objects(false), target).run(nanos);
    List<String> expected = shown.get(Instant.parse(result.cut()));
    assertNotNull(expected, () -> result.cut() + " is no moment of " + shown.keySet());
    try (EmbeddedStore store = EmbeddedStore.openForReading(target)) {
      assertEquals(expected, lines(store.view()), () -> result.checkpoint());
    }
    return target;
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void everyRestoreIsWhatTheClusterShowed(long seed) throws InterruptedException {
    keyspace.setClockMillis(System.currentTimeMillis());
    var random = new SplittableRandom(seed);
    var events = new OracleEvents(EVENTS, random);
    List<Member> members = List.of(new Member("one"), new Member("two"));
    int made = 0;
    int ended = 0;
    int written = 0;
    for (int step = 1; step <= STEPS; step++) {
      Member member = members.get(random.nextInt(2));
      if (random.nextInt(4) > 0) {
        int until = EVENTS * step / STEPS;
        member.write(events, written, until);
        written = until;
      }
      if (random.nextInt(3) == 0) {
        member.store.maintain(); // merges, while the copy is made
      }
      if (random.nextInt(2) == 0) {
        lastIsDone = random.nextBoolean();
        requestsLeft.set(1 + random.nextInt(60));
      }
      Member maker = members.get(random.nextInt(2));
      if (maker.tryCheckpoint(random.nextBoolean())) {
        made++;
      } else {
        ended++;
      }
      requestsLeft.set(Long.MAX_VALUE);
      if (made > 0 && random.nextInt(5) == 0) {
        restore(Instant.MAX);
      }
      if (made > KEPT / 2 && random.nextInt(5) == 0) {
        restore(now().minusSeconds(random.nextInt(KEPT / 2))); // as of a moment before
      }
    }
    members.getFirst().write(events, written, EVENTS);
    assertTrue(await(members.get(1)));
    Path whole = restore(Instant.MAX);
    try (EmbeddedStore store = EmbeddedStore.openForReading(whole)) {
      assertEquals(events.sorted().length, numbers(store.view(), _ -> true).size(), "each once");
      // Which of two daemons has replaced an event the later is as exact as their clocks.
      Predicate<String> assigned = type -> OracleEvents.TYPES.indexOf(type) < ASSIGNED;
      assertEquals(expected(events, assigned), numbers(store.view(), assigned), "the ledger");
    }
    members.getFirst().store.retain("disk", Duration.ofDays(1)); // all of it is past
    Member last = members.getFirst();
    Await.until(
        () -> lines(last.store.view()).stream().noneMatch(line -> line.contains(" disk ")),
        "the retention counts");
    assertTrue(await(last));
    Path fewer = restore(Instant.MAX);
    assertEquals(List.of(), new Verification(objects(false)).run(Long.MAX_VALUE, false).damaged());
    migrate(fewer);
    System.out.printf("seed %d: %d made, %d cut off, %d restores%n", seed, made, ended, restores);
    assertTrue(made > 3 && ended > 3, made + " made, " + ended + " cut off");
    for (Member member : members) {
      member.backup.close();
      member.store.close();
    }
    threads.close();
  }

  /// Another one may have taken the epoch: it takes the next one, at the next try.
  private static boolean await(Member member) {
    boolean made = false;
    for (int tries = 0; tries < 3 && !made; tries++) {
      made = member.tryCheckpoint(false);
    }
    return made;
  }

  private void migrate(Path directory) {
    var empty = new MemoryKeyspace();
    var reading =
        new ClusterReading(
            empty,
            new ClusterReading.Settings(ReadOptions.DEFAULT, Duration.ofHours(1), null),
            threads,
            threads);
    try {
      assertEquals(
          List.of(),
          new Migration(empty, reading::view, Settings.of(threads, 2), MigrationWatch.NONE)
              .toCluster(directory)
              .differences());
    } finally {
      reading.close();
    }
  }

  private static Set<Long> expected(OracleEvents events, Predicate<String> types) {
    Set<Long> all = new TreeSet<>();
    for (int number : events.sorted()) {
      if (types.test(events.type(number))) {
        all.add((long) number);
      }
    }
    return all;
  }

  private static Set<Long> numbers(StoreView view, Predicate<String> types) {
    Set<Long> all = new TreeSet<>();
    try (view) {
      var keys =
          view.partitions(types, TimeUuid.NANOS_MIN, TimeUuid.NANOS_LIMIT, null).stream()
              .map(PartitionInfo::key)
              .toList();
      try (EventCursor cursor = view.open(keys, Scan.all())) {
        while (next(cursor)) {
          var attributes = TestEvent.copyOf(cursor.event()).attributes();
          Object number = Objects.requireNonNull(attributes.get(AttributeName.of("n")));
          all.add(((TestEvent.Bits) number).bits());
        }
      }
    }
    return all;
  }
}
