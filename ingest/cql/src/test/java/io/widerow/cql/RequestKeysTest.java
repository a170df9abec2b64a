package io.widerow.cql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cql.engine.SimStore;
import io.widerow.cql.engine.TableEngine;
import io.widerow.cql.store.KeySpan;
import io.widerow.cql.store.Mutations;
import io.widerow.cql.store.TableStore;
import io.widerow.cql.store.TableView;
import io.widerow.cql.store.TableWrite;
import io.widerow.faults.Seeds;
import io.widerow.faults.SimDisk;
import io.widerow.faults.Slice;
import io.widerow.faults.TestClock;
import io.widerow.storage.embedded.EmbeddedStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a request with a key is done once, and its retries get its response, also after a power
/// cut. Method: statements over the model of tables, and over a store on a simulated disk: before
/// operations on it a crashed copy is opened, requests without a response are sent again, and a
/// counter has counted each request once. The seed is the test's name; to replay one, run with
/// `-Dseed=<n>`. Number of runs: `-Drequests=<n>`.
class RequestKeysTest {
  private static final int RUNS = Slice.of("requests", 1, 3);
  private static final long START_SECONDS = 1_700_000_000L;
  private static final String COUNT = "UPDATE hits SET n = n + 1 WHERE p = 1";

  private final TableServer server = new TableServer();
  private final Asking asking = server.asking("k");
  private final TestClock clock = new TestClock(START_SECONDS * 1_000_000_000L);

  static List<Long> seeds() {
    return Seeds.of(RUNS);
  }

  @BeforeEach
  void create() {
    create(asking);
  }

  private static void create(Asking asking) {
    asking.run("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy'}");
    asking.run("CREATE TABLE hits (p int PRIMARY KEY, n counter)");
    asking.run("CREATE TABLE t (p int, c int, v text, w text, PRIMARY KEY (p, c))");
  }

  @Test
  void aCounterCountsOnce() {
    assertEquals("done", asking.once(COUNT, "a"));
    assertEquals("repeat done", asking.once(COUNT, "a"));
    assertEquals("done", asking.once(COUNT, "b"));
    server.restart();
    assertEquals("repeat done", asking.once(COUNT, "a"));
    assertEquals(List.of("[1, 2]"), asking.rows("SELECT * FROM hits"));
    asking.run(COUNT);
    assertEquals(List.of("[1, 3]"), asking.rows("SELECT * FROM hits"));
  }

  @Test
  void aKeyIsKnownForADay() {
    assertEquals("done", asking.once(COUNT, "a"));
    server.pass(Duration.ofHours(23));
    assertEquals("repeat done", asking.once(COUNT, "a"));
    server.pass(Duration.ofHours(2));
    assertEquals("done", asking.once(COUNT, "a"));
    assertEquals("repeat done", asking.once(COUNT, "a"));
    assertEquals(List.of("[1, 2]"), asking.rows("SELECT * FROM hits"));
  }

  @Test
  void aConditionIsAnsweredAsAtFirst() {
    String insert = "INSERT INTO t (p, c, v, w) VALUES (1, 1, 'a', 'b') IF NOT EXISTS";
    assertEquals("[[true]]", asking.once(insert, "1"));
    assertEquals("repeat [[true]]", asking.once(insert, "1"));
    assertEquals("[[false, 1, 1, a, b]]", asking.once(insert, "2"));
    asking.run("DELETE FROM t WHERE p = 1 AND c = 1");
    assertEquals("repeat [[false, 1, 1, a, b]]", asking.once(insert, "2"));
    assertEquals(List.of(), asking.rows("SELECT * FROM t"));
    String batch =
        "BEGIN BATCH INSERT INTO t (p, c, v) VALUES (1, 1, 'a') IF NOT EXISTS;"
            + " UPDATE t SET v = 'c' WHERE p = 1 AND c = 2; APPLY BATCH";
    assertEquals("[[true]]", asking.once(batch, "3"));
    assertEquals("repeat [[true]]", asking.once(batch, "3"));
  }

  /// The response has the columns that are still there.
  @Test
  void aColumnThatIsGoneIsNotAnswered() {
    String insert = "INSERT INTO t (p, c, w) VALUES (1, 1, 'b') IF NOT EXISTS";
    asking.run("INSERT INTO t (p, c, v, w) VALUES (1, 1, 'a', 'b')");
    assertEquals("[[false, 1, 1, a, b]]", asking.once(insert, "1"));
    asking.run("ALTER TABLE t DROP v");
    assertEquals("repeat [[false, 1, 1, b]]", asking.once(insert, "1"));
  }

  @Test
  void aKeyIsOfOneStatement() {
    assertEquals("done", asking.once(COUNT, "a"));
    assertEquals(
        "2200 idempotency-key 'a' belongs to another statement",
        asking.once("UPDATE hits SET n = n + 2 WHERE p = 1", "a"));
    assertEquals(List.of("[1, 1]"), asking.rows("SELECT * FROM hits"));
    String long65 = "x".repeat(65);
    assertEquals(
        "2200 idempotency-key has 1 to 64 bytes, got 65: '" + "x".repeat(64) + "'...",
        asking.once(COUNT, long65));
    assertEquals("2200 idempotency-key has 1 to 64 bytes, got 0: ''", asking.once(COUNT, ""));
    assertEquals(
        "2200 idempotency-key 'b': it is for INSERT, UPDATE, DELETE and BATCH, not for the schema",
        asking.once("TRUNCATE t", "b"));
    assertEquals("[]", asking.once("SELECT * FROM t", "b"));
  }

  /// A refused request has changed nothing, and its key is free.
  @Test
  void aRefusalIsNotKept() {
    String late = "INSERT INTO t (p, c, v) VALUES (1, 1, 'a')";
    assertTrue(asking.once("UPDATE t SET x = 1 WHERE p = 1 AND c = 1", "a").startsWith("2200"));
    assertEquals("done", asking.once(late, "a"));
    assertEquals("repeat done", asking.once(late, "a"));
  }

  @Test
  void keysAreShownNowhere() {
    assertEquals("done", asking.once(COUNT, "a"));
    assertEquals(1, asking.rows("SELECT * FROM widerow.table_sizes").size());
    List<String> tables =
        asking.rows("SELECT table_name FROM system_schema.tables WHERE keyspace_name = 'system'");
    assertTrue(tables.stream().noneMatch(each -> each.contains("requests")), tables::toString);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void isDoneOnceOverACrash(long seed) {
    assertTrue(states(seed, store -> store) > 20);
  }

  /// The test above finds it when a key is kept in a group of its own.
  @Test
  void aKeyInAnotherGroupIsFound() {
    assertThrows(
        AssertionError.class,
        () -> {
          for (long seed = 1; seed < 6; seed++) {
            states(seed, RequestKeysTest::splitting);
          }
        });
  }

  /// @return how many crash states were looked at
  private int states(long seed, UnaryOperator<TableStore> store) {
    var random = new SplittableRandom(seed);
    var disk = new SimDisk(random.nextLong());
    SplittableRandom crashes = random.split();
    SplittableRandom choice = random.split();
    int[] sent = new int[2]; // requests, and states that were looked at
    try (EmbeddedStore open = SimStore.open(disk, clock, random, Runnable::run)) {
      Asking now = asking(open, store);
      create(now);
      disk.beforeEach(() -> {
        if (crashes.nextInt(3) == 0) {
          SimDisk crashed = disk.crash(crashes.nextBoolean());
          SplittableRandom other = crashes.split();
          try (EmbeddedStore again = SimStore.open(crashed, clock, other, Runnable::run)) {
            check(asking(again, store), sent[0]);
            sent[1]++;
          }
        }
      });
      while (sent[0] < 25) {
        sent[0]++;
        send(now, sent[0]);
        if (choice.nextInt(8) == 0) {
          open.extension(TableEngine.class).flush();
        }
      }
      check(now, sent[0]);
    }
    return sent[1];
  }

  private Asking asking(EmbeddedStore open, UnaryOperator<TableStore> store) {
    return new TableServer(
            () -> store.apply(open.extension(TableEngine.class)),
            () -> Instant.ofEpochSecond(0, clock.wallNanos()))
        .asking("k");
  }

  private static void send(Asking asking, int number) {
    assertEquals("done", asking.once(COUNT, "count " + number).replace("repeat ", ""));
    String insert = "INSERT INTO t (p, c) VALUES (1, %d) IF NOT EXISTS".formatted(number);
    assertEquals("[[true]]", asking.once(insert, "row " + number).replace("repeat ", ""));
  }

  /// Sends the last requests again.
  private static void check(Asking asking, int sent) {
    for (int number = Math.max(1, sent - 1); number <= sent; number++) {
      send(asking, number);
    }
    if (sent > 0) {
      assertEquals(List.of("[%d]".formatted(sent)), asking.rows("SELECT n FROM hits"));
      assertEquals(List.of("[%d]".formatted(sent)), asking.rows("SELECT count(*) FROM t"));
    }
  }

  /// A store that writes the rows of keys after the group that they are of.
  private static TableStore splitting(TableStore store) {
    return new TableStore() {
      @Override
      public TableView view() {
        return store.view();
      }

      @Override
      public <T> CompletableFuture<T> write(TableWrite<T> write) {
        List<Consumer<Mutations>> keys = new ArrayList<>();
        T answer = store.write((before, out) -> write.run(before, withoutKeys(out, keys))).join();
        boolean _ =
            store
                .write((_, out) -> {
                  keys.forEach(each -> each.accept(out));
                  return true;
                })
                .join();
        return CompletableFuture.completedFuture(answer);
      }

      @Override
      public void forget(List<KeySpan> spans) {
        store.forget(spans);
      }
    };
  }

  /// Mutations but those of keys, which are put aside.
  private static Mutations withoutKeys(Mutations out, List<Consumer<Mutations>> keys) {
    boolean[] aside = new boolean[1];
    return (Mutations)
        Proxy.newProxyInstance(
            Mutations.class.getClassLoader(),
            new Class<?>[] {Mutations.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("row")) {
                aside[0] = ByteBuffer.wrap((byte[]) arguments[0]).getInt() == Integer.MAX_VALUE;
              }
              if (aside[0]) {
                keys.add(later -> invoke(method, later, arguments));
              } else {
                invoke(method, out, arguments);
              }
              return proxy;
            });
  }

  private static void invoke(Method method, Object on, @Nullable Object[] arguments) {
    try {
      var _ = method.invoke(on, arguments);
    } catch (InvocationTargetException failed) {
      throw new AssertionError(failed.getCause());
    } catch (IllegalAccessException closed) {
      throw new LinkageError(method + " is not open", closed);
    }
  }
}
