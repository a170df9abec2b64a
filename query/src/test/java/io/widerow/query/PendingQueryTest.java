package io.widerow.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.PendingStore;
import io.widerow.query.StoreDirectory.Stored;
import io.widerow.query.output.JsonLinesWriter;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.result.QueryResult;
import io.widerow.storage.ClusterArrivals;
import io.widerow.storage.EventCursor;
import io.widerow.storage.EventStore;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.EmbeddedStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a query that waits for a store ends when it is cancelled or its time is over, reports a
/// failure instead of ending early, and always frees its memory. Method: [PendingStore] around a
/// store of a few events, whose waits the test holds, ends or lets fail.
@Timeout(300)
class PendingQueryTest {
  private static final long START = 1_763_666_100_000_000_000L;
  private static final int EVENTS = 300;

  @TempDir Path directory;

  private EmbeddedStore embedded;
  private PendingStore store;

  @BeforeEach
  void fill() {
    embedded =
        EmbeddedStore.open(
            StoreConfig.at(directory.resolve("store")).withDiskReserveBytes(0), Runnable::run);
    List<Stored> events = new ArrayList<>();
    for (int i = 0; i < EVENTS; i++) {
      long nanos = START + i * Duration.ofMinutes(3).toNanos();
      events.add(new Stored("app", nanos, Map.of("body", "line " + i)));
    }
    StoreDirectory.append(embedded, events);
    store = new PendingStore(embedded, 7);
  }

  @AfterEach
  void close() {
    store.assertNothingOpen();
    store.close();
  }

  /// What became of a query.
  private record Ended(long events, @Nullable RuntimeException failure) {
    void requireStopped(String word) {
      assertTrue(failure instanceof QueryException.Stopped, "" + failure);
      assertTrue(String.valueOf(failure.getMessage()).contains(word), "" + failure);
    }
  }

  /// Runs a query as the daemon does.
  private static Ended run(EventStore store, QueryBudget budget, CompletableFuture<Runnable> ends) {
    try (StoreView view = store.view()) {
      RangeReader reader = RangeReader.open(view, RangeQuery.ALL, budget);
      ends.complete(reader::cancel);
      try (QueryResult answer =
          new QueryResult(reader, new JsonLinesWriter(ZoneOffset.UTC, null), null)) {
        OutputBuffer sink = new OutputBuffer(1 << 16);
        while (answer.writeNext(sink)) {
          sink.clear();
        }
        return new Ended(answer.events(), answer.failure());
      }
    }
  }

  @Test
  void aQueryThatIsCancelledWhileItWaitsEnds() throws Exception {
    store.hold();
    CompletableFuture<Runnable> cancel = new CompletableFuture<>();
    CompletableFuture<Ended> query =
        CompletableFuture.supplyAsync(
            () -> run(store, QueryBudget.DEFAULT, cancel), Thread::startVirtualThread);
    Runnable end = cancel.get();
    assertTrue(store.awaitWait(30), "the query does not wait");
    end.run();
    Ended ended = query.get();
    assertEquals(0, ended.events());
    ended.requireStopped("cancelled");
  }

  @Test
  void aQueryWhoseTimeIsOverWhileItWaitsEnds() {
    store.hold();
    QueryBudget hasty = new QueryBudget(100, 1_000_000, Duration.ofMillis(50));
    Ended ended = run(store, hasty, new CompletableFuture<>());
    ended.requireStopped("its budget");
  }

  @Test
  void aWaitThatFailsEndsTheAnswerWithAnError() {
    Ended whole = run(store, QueryBudget.DEFAULT, new CompletableFuture<>());
    assertEquals(new Ended(EVENTS, null), whole);
    var away = new StorageException.Unreachable("2 of 3 replicas are away", new IOException("x"));
    store.fail(away);
    Ended ended = run(store, QueryBudget.DEFAULT, new CompletableFuture<>());
    assertSame(away, ended.failure());
    store.fail(null);
    assertEquals(whole, run(store, QueryBudget.DEFAULT, new CompletableFuture<>()));
  }

  /// Not a failure that stores tell: a mistake. It must not end an answer as if it were whole.
  @Test
  void aMistakeWhileWaitingIsThrown() {
    store.fail(new IllegalStateException("a mistake"));
    assertThrows(
        IllegalStateException.class,
        () -> run(store, QueryBudget.DEFAULT, new CompletableFuture<>()));
  }

  /// The token has the start of the retained events, also when the start is not known at once.
  @Test
  void aPositionPastItsRetentionComesWithTheToken() {
    Token gone = Token.before(START + 1);
    Token app = new Token(gone.id(), "app");
    RangeQuery query = RangeQuery.ALL.withAfter(app);
    long age = System.currentTimeMillis() * 1_000_000L - START;
    store.retain("app", Duration.ofNanos(age - Duration.ofHours(5).toNanos()));
    try (StoreView plain = embedded.view();
        StoreView view = store.view()) {
      String first = expired(plain, query).first;
      assertNotNull(first);
      assertEquals(first, expired(view, query).first);
    }
  }

  private static QueryException.Expired expired(StoreView view, RangeQuery query) {
    return assertThrows(
        QueryException.Expired.class, () -> RangeReader.open(view, query, QueryBudget.DEFAULT));
  }

  /// A position of a store on a cluster is refused with its value, before anything is read.
  @Test
  void aPositionOfAnotherKindOfStoreIsRefused() {
    RangeQuery query =
        RangeQuery.ALL
            .withAfter(Token.before(START))
            .withSince(
                new ClusterArrivals(
                    Map.of(3, new ClusterArrivals.Position(5, 77, List.of(8L, 9L)))));
    try (StoreView view = store.view()) {
      QueryException.Refused refused =
          assertThrows(
              QueryException.Refused.class,
              () -> RangeReader.open(view, query, QueryBudget.DEFAULT));
      assertEquals(
          "arrived: a position of a store on a cluster, and this store is on one machine:"
              + " c1.3:5:4d:8-9",
          refused.getMessage());
    }
  }

  /// [EventCursor#nextWhenReady] and [EventCursor#next] with waits are the same.
  @Test
  void aReaderThatWaitsByItselfSeesTheSame() {
    long seen = 0;
    try (StoreView view = store.view();
        RangeReader reader = RangeReader.open(view, RangeQuery.ALL, QueryBudget.DEFAULT)) {
      EventCursor.Step step = reader.next();
      assertEquals(EventCursor.Step.PENDING, step);
      while (step != EventCursor.Step.END) {
        if (step == EventCursor.Step.PENDING) {
          reader.ready().join();
        } else {
          seen++;
        }
        step = reader.next();
      }
    }
    assertEquals(EVENTS, seen);
  }
}
