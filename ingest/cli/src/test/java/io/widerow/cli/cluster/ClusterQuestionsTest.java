package io.widerow.cli.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cluster.MemoryKeyspace;
import io.widerow.faults.Await;
import io.widerow.faults.Seeds;
import io.widerow.questions.OracleEvents;
import io.widerow.questions.Question;
import io.widerow.questions.QuestionSeeds;
import io.widerow.storage.Durability;
import io.widerow.storage.EventStore;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.cassandra.CassandraStore;
import io.widerow.storage.cassandra.ClusterReading;
import io.widerow.storage.cassandra.apply.ApplyOptions;
import io.widerow.storage.cassandra.read.ReadOptions;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a store on a cluster gives every answer that one on this machine gives for the same
/// events, byte for byte. Method: the same events into both, then 500 questions of all kinds.
/// `-Dseed=<n>` replays.
@Timeout(300)
@Tag("deep")
class ClusterQuestionsTest {
  private static final int EVENTS = 4_000;
  private static final int QUESTIONS = 500;
  private static final int LANES = 2;

  @TempDir Path temporary = Path.of("");

  private final List<BlockingQueue<Long>> applied = new ArrayList<>();

  static List<Long> seeds() {
    return Seeds.of(1);
  }

  private StoreConfig config(String name) {
    return StoreConfig.at(temporary.resolve(name))
        .withLanes(LANES, 4)
        .withBuckets(60, Map.of("cpu", 1_440, "disk", 15, "own.a", 240))
        .withMemory(16L << 20, Duration.ofHours(1))
        .withJournal(8 << 20, 64 << 20)
        .withDiskReserveBytes(0)
        .withAges(Duration.ZERO, null);
  }

  private CassandraStore cluster(ExecutorService threads) {
    StoreConfig local = config("cluster");
    MemoryKeyspace keyspace = new MemoryKeyspace();
    ReadOptions options = ReadOptions.DEFAULT.withBucketMinutes(local::bucketMinutesOf);
    ClusterReading reading =
        new ClusterReading(
            keyspace,
            new ClusterReading.Settings(options, Duration.ofDays(1), null),
            threads,
            threads);
    CassandraStore store =
        CassandraStore.open(keyspace, local, ApplyOptions.of("here"), reading, Runnable::run);
    for (int lane = 0; lane < LANES; lane++) {
      BlockingQueue<Long> told = new LinkedBlockingQueue<>();
      applied.add(told);
      store.lane(lane).onQuorum(told::add);
    }
    return store;
  }

  /// Waits until the cluster has everything.
  private void awaitApplied(EventStore store) throws InterruptedException {
    for (int lane = 0; lane < LANES; lane++) {
      long group = store.lane(lane).commit(Durability.QUORUM);
      long reached = -1;
      while (reached < group) {
        Long told = applied.get(lane).poll(Await.SECONDS, TimeUnit.SECONDS);
        assertNotNull(told, "group %d of lane %d, applied is %d".formatted(group, lane, reached));
        reached = told;
      }
      applied.get(lane).add(reached); // for a commit without a new group
    }
  }

  private static String position(EventStore store) {
    try (StoreView view = store.view()) {
      return view.arrivals().toString();
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void everyAnswerHasTheSameBytes(long seed) throws InterruptedException {
    OracleEvents events = new OracleEvents(EVENTS, new SplittableRandom(seed));
    Map<Question.Kind, Set<String>> answers = new EnumMap<>(Question.Kind.class);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        EmbeddedStore embedded = EmbeddedStore.open(config("embedded"), Runnable::run);
        CassandraStore cluster = cluster(threads)) {
      events.write(embedded, 0, EVENTS / 2);
      events.write(cluster, 0, EVENTS / 2);
      awaitApplied(cluster);
      String here = position(embedded);
      String there = position(cluster);
      events.write(embedded, EVENTS / 2, EVENTS);
      events.write(cluster, EVENTS / 2, EVENTS);
      awaitApplied(cluster);
      for (Question question : QuestionSeeds.of(seed, QUESTIONS, EVENTS)) {
        String right = new String(question.ask(embedded, here), StandardCharsets.UTF_8);
        String answer = new String(question.ask(cluster, there), StandardCharsets.UTF_8);
        assertEquals(right, answer, question.toString());
        answers.computeIfAbsent(question.kind(), _ -> new HashSet<>()).add(right);
      }
    }
    for (Question.Kind kind : Question.Kind.values()) {
      Set<String> different = answers.getOrDefault(kind, Set.of());
      assertTrue(different.size() > 10, kind + ": " + different.size() + " different answers");
    }
  }
}
