package io.widerow.query.aggregation;

import io.widerow.event.AttributeName;
import io.widerow.event.EventBatch;
import io.widerow.query.QueryBudget;
import io.widerow.query.QueryMemory;
import io.widerow.query.RangeQuery;
import io.widerow.query.RangeReader;
import io.widerow.query.ReadMode;
import io.widerow.query.SealedStore;
import io.widerow.query.StoreDirectory;
import io.widerow.query.result.RollupParameters;
import io.widerow.storage.Durability;
import io.widerow.storage.EventCursor.Step;
import io.widerow.storage.Grouping;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.EmbeddedStore;
import java.io.IOException;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/// How long does it take to count a month by minute, in four shards, from cells and from events;
/// and to find percentiles by group and hour, from cells of a rollup and from events? With cells
/// the number of events makes no difference, so a minute of a shard has few.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class RollupBench {
  private static final int HOURS = 30 * 24;
  private static final int SHARDS = 4;
  private static final int EVENTS_A_MINUTE = 5; // of a shard
  private static final long MINUTE = 60_000_000_000L;
  private static final long START = 1_760_000_400_000_000_000L; // at an hour

  @Param({"true", "false"})
  public boolean cells;

  private final StatsQuery asked = new StatsQuery(Aggregate.parse("count"), List.of(), MINUTE);
  private final StatsQuery percentiles =
      new StatsQuery(Aggregate.parse("p99(n)"), List.of(AttributeName.of("status")), 60 * MINUTE);
  private SealedStore sealed;

  @Setup(Level.Trial)
  public void fill() throws IOException, InterruptedException {
    sealed = SealedStore.open("rollup", config -> config.withLanes(1, SHARDS));
    EmbeddedStore store = sealed.store();
    byte[] type = StoreDirectory.utf8("cpu");
    byte[] name = StoreDirectory.utf8("n");
    byte[] status = StoreDirectory.utf8("status");
    store
        .rollups()
        .set(
            RollupParameters.parse(
                "status",
                Map.of(
                    "type", List.of("cpu"),
                    "by", List.of("status"),
                    "stats", List.of("p99(n)"),
                    "every", List.of("1h"))));
    try (EventBatch batch = new EventBatch(1 << 12, 1 << 22)) {
      for (int hour = 0; hour < HOURS; hour++) {
        for (int shard = 0; shard < SHARDS; shard++) {
          batch.clear();
          for (int i = 0; i < 60 * EVENTS_A_MINUTE; i++) {
            long time = START + hour * (60 * MINUTE) + i * (MINUTE / EVENTS_A_MINUTE) + shard;
            batch.begin(type, 0, type.length, time);
            batch.putLong(name, 0, name.length, i);
            batch.putLong(status, 0, status.length, 200 + i % 3 * 100);
            if (batch.end() != null) {
              throw new IllegalStateException("refused");
            }
          }
          store
              .lane(0)
              .append(
                  batch,
                  shard,
                  (index, why) -> {
                    throw new IllegalStateException(index + ": " + why);
                  });
          store.lane(0).commit(Durability.MEMORY);
        }
        if (hour % 48 == 47) {
          store.sealAll();
          store.awaitBackground();
        }
      }
    }
    sealed.seal();
    sealed.merge();
  }

  @TearDown(Level.Trial)
  public void close() throws IOException {
    sealed.close();
  }

  @Benchmark
  public int percentilesByGroup() {
    Aggregation figures = new Aggregation(percentiles, _ -> {});
    RangeQuery query = RangeQuery.ALL.withFields(percentiles.fields());
    ReadMode mode = ReadMode.ANY_ORDER.withRollup(cells ? percentiles.question() : null);
    try (StoreView view = sealed.store().view();
        RangeReader reader =
            RangeReader.open(view, query, mode, QueryBudget.DEFAULT, QueryMemory.unlimited())) {
      while (reader.next() == Step.EVENT) {
        figures.add(reader.event());
      }
    }
    int rows = figures.rows(ZoneOffset.UTC).size();
    if (rows != 3 * HOURS) {
      throw new IllegalStateException(rows + " rows");
    }
    return rows;
  }

  @Benchmark
  public int count() {
    Aggregation counts = new Aggregation(asked, _ -> {});
    Grouping fold = asked.fold();
    RangeQuery query = RangeQuery.ALL.withFields(asked.fields());
    ReadMode mode = ReadMode.grouped(fold == null || !cells ? fold : fold.withCells());
    try (StoreView view = sealed.store().view();
        RangeReader reader =
            RangeReader.open(view, query, mode, QueryBudget.DEFAULT, QueryMemory.unlimited())) {
      while (reader.next() == Step.EVENT) {
        counts.add(reader.event());
      }
    }
    int rows = counts.rows(ZoneOffset.UTC).size();
    if (rows != HOURS * 60) {
      throw new IllegalStateException(rows + " minutes");
    }
    return rows;
  }
}
