package io.widerow.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.PendingStore;
import io.widerow.faults.Seeds;
import io.widerow.faults.Slice;
import io.widerow.questions.OracleEvents;
import io.widerow.questions.Question;
import io.widerow.questions.QuestionSeeds;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a store that is always late gives every answer that the same store gives at once, byte for
/// byte. Method: 500 questions of all kinds to a store of open and sealed events, and to the same
/// through [PendingStore]. `-Dseed=<n>` replays.
@Timeout(300)
class PendingQuestionsTest {
  private static final int EVENTS = 4_000;
  private static final int QUESTIONS = Slice.of(40, 500);

  @TempDir Path directory;

  static List<Long> seeds() {
    return Seeds.of(1);
  }

  private StoreConfig config() {
    return StoreConfig.at(directory.resolve("store"))
        .withLanes(2, 4)
        .withBuckets(60, Map.of("cpu", 1_440, "disk", 15, "own.a", 240))
        .withMemory(16L << 20, Duration.ofHours(1))
        .withJournal(8 << 20, 64 << 20)
        .withDiskReserveBytes(0)
        .withAges(Duration.ZERO, null);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void everyAnswerHasTheSameBytes(long seed) throws InterruptedException {
    SplittableRandom random = new SplittableRandom(seed);
    OracleEvents events = new OracleEvents(EVENTS, random);
    Map<Question.Kind, Set<String>> answers = new EnumMap<>(Question.Kind.class);
    try (EmbeddedStore store = EmbeddedStore.open(config(), Runnable::run)) {
      PendingStore late = new PendingStore(store, seed);
      events.write(store, 0, EVENTS / 2);
      String arrived;
      try (StoreView view = late.view()) {
        arrived = view.arrivals().toString();
      }
      events.write(store, EVENTS / 2, EVENTS * 3 / 4);
      store.sealAll();
      store.awaitBackground();
      events.write(store, EVENTS * 3 / 4, EVENTS);
      for (Question question : QuestionSeeds.of(seed, QUESTIONS, EVENTS)) {
        String plain = new String(question.ask(store, arrived), StandardCharsets.UTF_8);
        String pending = new String(question.ask(late, arrived), StandardCharsets.UTF_8);
        assertEquals(plain, pending, question.toString());
        answers.computeIfAbsent(question.kind(), _ -> new HashSet<>()).add(plain);
      }
      late.assertNothingOpen();
      assertTrue(late.pendings() > QUESTIONS, late.pendings() + " waits");
    }
    for (Question.Kind kind : Question.Kind.values()) {
      Set<String> different = answers.getOrDefault(kind, Set.of());
      Slice.met("different answers of " + kind, different.size(), 30);
    }
  }
}
