package io.widerow.query.logql.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.query.QueryBudget;
import io.widerow.query.QueryMemory;
import io.widerow.query.StoreDirectory;
import io.widerow.query.StoreDirectory.Stored;
import io.widerow.query.logql.LogQuery;
import io.widerow.query.logql.LogqlParser;
import io.widerow.query.logql.line.LabelMapping;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a tail shows each line once, whatever the clock does. Method: a store on disk, looked at
/// as the daemon does, at times that the test sets.
class TailRunTest {
  private static final long START = 1_763_666_100_000_000_000L;
  private static final long SECOND = 1_000_000_000L;
  private static final long HOUR = 3_600 * SECOND;

  @TempDir Path directory;

  private EmbeddedStore store;
  private final TailRun tail =
      new TailRun((LogQuery) LogqlParser.parse("{service_name=~\".+\"}"), START - 9 * HOUR, false);

  @BeforeEach
  void open() {
    StoreConfig config =
        StoreConfig.at(directory.resolve("store"))
            .withLanes(1, 1)
            .withMemory(8L << 20, Duration.ofMinutes(10))
            .withJournal(1 << 20, 4 << 20)
            .withAges(Duration.ZERO, null);
    store = EmbeddedStore.open(config, Runnable::run);
  }

  @AfterEach
  void close() {
    store.close();
  }

  private void store(long timeNanos, String line) {
    StoreDirectory.append(store, List.of(new Stored("app", timeNanos, Map.of("body", line))));
  }

  /// One look.
  @FunctionalInterface
  private interface Look {
    boolean at(LogqlContext execution, TailRun.Messages out);
  }

  private static List<String> shown(EmbeddedStore store, Look look) {
    List<String> lines = new ArrayList<>();
    try (StoreView view = store.view();
        LogqlContext execution =
            new LogqlContext(
                view,
                new LabelMapping(LabelMapping.DEFAULT),
                QueryBudget.DEFAULT,
                QueryMemory.unlimited())) {
      boolean there =
          look.at(
              execution,
              (entries, _) -> {
                ShownStreams.all(entries).forEach(each -> lines.add(each.text()));
                return true;
              });
      assertTrue(there);
    }
    return lines;
  }

  private List<String> begin(long untilNanos) {
    return shown(store, (execution, out) -> tail.begin(execution, untilNanos, 10, out));
  }

  private List<String> next(long untilNanos) {
    return shown(store, (execution, out) -> tail.next(execution, untilNanos, out));
  }

  @Test
  void aClockThatIsSetBackShowsNoLineAgainAndLosesNone() {
    store(START - 2 * SECOND, "first");
    assertEquals(List.of("first"), begin(START));
    store(START + SECOND, "second");
    assertEquals(List.of("second"), next(START + 2 * SECOND));
    assertEquals(List.of(), next(START - HOUR), "set back by an hour");
    assertEquals(List.of(), next(START + 2 * SECOND), "the clock is where it was");
    assertEquals(List.of(), next(START - HOUR));
    store(START - HOUR + SECOND, "by the new clock");
    store(START + SECOND, "by the old clock");
    assertEquals(List.of("by the new clock", "by the old clock"), next(START - HOUR + 2 * SECOND));
    assertEquals(List.of(), next(START));
    store(START + 3 * SECOND, "third");
    assertEquals(List.of("third"), next(START + 4 * SECOND));
    assertEquals(List.of(), next(START + 5 * SECOND));
  }
}
