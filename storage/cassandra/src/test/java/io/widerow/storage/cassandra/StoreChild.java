package io.widerow.storage.cassandra;

import io.widerow.event.EventBatch;
import io.widerow.event.EventId;
import io.widerow.storage.Durability;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.cassandra.apply.ApplyOptions;
import io.widerow.storage.cassandra.apply.Pace;
import io.widerow.storage.cassandra.keyspace.ClusterOptions;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.StoreUri;
import io.widerow.storage.cassandra.read.ReadOptions;
import io.widerow.storage.disk.RealDisk;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.live.StoreClock;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/// Program that [ClusterRun] kills: a store on a cluster, which takes numbered batches from
/// standard input and tells on standard output how durable they are, after they are.
///
/// | line in | answer |
/// |---|---|
/// | `b ID FIRST COUNT KEYED` | `d ID` when the batch is on this disk, `q ID` when it is applied |
/// | `r` | `r COUNT HASH HASH`: all that it shows, in both directions |
/// | `p` | `p EVENTS`: not applied yet |
/// | `m` | none: background work is started |
final class StoreChild implements AutoCloseable {
  private static final int LANES = 2;

  private final CassandraStore store;
  private final RunEvents events;
  private final ExecutorService background = Executors.newFixedThreadPool(2);
  private final EventBatch[] batches = new EventBatch[LANES];
  private final Parts parts = new Parts();

  static StoreConfig config(Path directory) {
    return StoreConfig.at(directory)
        .withLanes(LANES, 2 * LANES)
        .withBuckets(60, Map.of("cpu", 240))
        .withMemory(8 << 20, Duration.ofSeconds(5))
        .withJournal(1 << 20, 4 << 20)
        .withDiskReserveBytes(0);
  }

  /// What batches still wait for, and where their parts are.
  private static final class Parts {
    private record Part(long group, int batch) {}

    private final ArrayDeque<Part>[] waiting;
    private final Map<Integer, Integer> left = new HashMap<>();

    @SuppressWarnings({"unchecked", "rawtypes"})
    Parts() {
      waiting = new ArrayDeque[LANES];
      for (int lane = 0; lane < LANES; lane++) {
        waiting[lane] = new ArrayDeque<>();
      }
    }

    private final long[] applied = new long[LANES];

    synchronized void committed(int batch, long[] groups) {
      int count = 0;
      for (int lane = 0; lane < LANES; lane++) {
        if (groups[lane] > applied[lane]) {
          waiting[lane].add(new Part(groups[lane], batch));
          count++;
        }
      }
      say("d " + batch);
      if (count == 0) {
        say("q " + batch);
      } else {
        left.put(batch, count);
      }
    }

    synchronized void applied(int lane, long group) {
      applied[lane] = Math.max(applied[lane], group);
      for (Part part = waiting[lane].peek();
          part != null && part.group <= group;
          part = waiting[lane].peek()) {
        waiting[lane].remove();
        if (left.merge(part.batch, -1, Integer::sum) == 0) {
          left.remove(part.batch);
          say("q " + part.batch);
        }
      }
    }
  }

  private StoreChild(String uri, Path directory, int count, Duration clockAhead) {
    events = new RunEvents(count);
    Keyspace keyspace = connect(uri, directory);
    store =
        CassandraStore.open(
            keyspace,
            config(directory),
            ApplyOptions.of("child"),
            new ClusterReading(
                keyspace,
                new ClusterReading.Settings(ReadOptions.DEFAULT, Duration.ZERO, null),
                background,
                background),
            machine(background, clockAhead));
    for (int lane = 0; lane < LANES; lane++) {
      int told = lane;
      store.lane(lane).onQuorum(group -> parts.applied(told, group));
      batches[lane] = new EventBatch(1 << 16, 1 << 22);
    }
  }

  /// Connects; on a busy machine it takes several tries until nodes make tables in time.
  private static Keyspace connect(String uri, Path directory) {
    ClusterOptions options =
        ClusterOptions.at(StoreUri.parse(uri)).withRequestTimeout(Duration.ofSeconds(3));
    for (long until = System.nanoTime() + TimeUnit.MINUTES.toNanos(1); ; ) {
      try {
        return ClusterStores.connect(options, directory);
      } catch (StorageException.Unreachable away) {
        if (System.nanoTime() > until) {
          throw away;
        }
      }
    }
  }

  private static CassandraStore.Machine machine(ExecutorService background, Duration clockAhead) {
    return new CassandraStore.Machine(
        new RealDisk(),
        new StoreClock() {
          @Override
          public long wallNanos() {
            return StoreClock.system().wallNanos() + clockAhead.toNanos();
          }

          @Override
          public long monotonicNanos() {
            return StoreClock.system().monotonicNanos();
          }
        },
        new Pace.Real(),
        config -> EmbeddedStore.openSpool(config, background),
        false);
  }

  /// @param args URI, directory, events of the run, milliseconds that the clock is ahead
  public static void main(String[] args) throws IOException {
    try (StoreChild child =
            new StoreChild(
                args[0],
                Path.of(args[1]),
                Integer.parseInt(args[2]),
                Duration.ofMillis(Long.parseLong(args[3])));
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      say("open " + child.store.cluster().daemon());
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        child.obey(line.split(" ", -1));
      }
    } catch (Throwable failure) {
      System.err.println(
          failure + "\n  at " + Arrays.stream(failure.getStackTrace()).limit(40).toList());
      say("failed " + failure);
      Runtime.getRuntime().halt(1);
    }
  }

  private static void say(String line) {
    synchronized (System.out) {
      System.out.println(line + ".");
      System.out.flush();
    }
  }

  private void obey(String[] words) {
    switch (words[0]) {
      case "b" ->
          take(
              Integer.parseInt(words[1]),
              Integer.parseInt(words[2]),
              Integer.parseInt(words[3]),
              Boolean.parseBoolean(words[4]));
      case "r" -> read();
      case "p" -> say("p " + store.cluster().pendingEvents());
      case "m" -> store.maintain();
      default -> throw new IllegalArgumentException(words[0]);
    }
  }

  private void take(int id, int first, int count, boolean keyed) {
    for (EventBatch batch : batches) {
      batch.clear();
    }
    for (int number = first; number < first + count; number++) {
      EventId own = events.id(number);
      events.add(batches[own == null ? id % LANES : store.laneOf(own)], number);
    }
    long[] groups = new long[LANES];
    for (int lane = 0; lane < LANES; lane++) {
      if (batches[lane].count() > 0) {
        store.lane(lane).append(batches[lane], id, (index, why) -> refuse(id, index, why));
        if (keyed) {
          store.lane(lane).claim(key(id, lane));
        }
        groups[lane] = store.lane(lane).commit(Durability.QUORUM);
      }
    }
    parts.committed(id, groups);
  }

  private static void refuse(int id, int index, Object why) {
    throw new IllegalStateException("batch %d, event %d: %s".formatted(id, index, why));
  }

  private static byte[] key(int id, int lane) {
    return ByteBuffer.allocate(16).putLong(0x7769_6465_726f_77L).putInt(id).putInt(lane).array();
  }

  private void read() {
    for (long until = System.nanoTime() + TimeUnit.MINUTES.toNanos(1); ; ) {
      try (StoreView view = store.view()) {
        WholeRead.Answer up = WholeRead.of(view, false, true);
        WholeRead.Answer down = WholeRead.of(view, true, true);
        say("r %d %s %s".formatted(up.numbers().cardinality(), up.hash(), down.hash()));
        return;
      } catch (StorageException.Unreachable away) {
        if (System.nanoTime() > until) {
          throw away;
        }
      }
    }
  }

  @Override
  public void close() {
    store.close();
    background.shutdown();
    for (EventBatch batch : batches) {
      batch.close();
    }
  }
}
