package io.widerow.query.result;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventBatch;
import io.widerow.event.EventId;
import io.widerow.event.TimeUuid;
import io.widerow.faults.Appends;
import io.widerow.query.QueryBudget;
import io.widerow.query.QueryException;
import io.widerow.query.QueryMemory;
import io.widerow.query.RangeQuery;
import io.widerow.query.RangeReader;
import io.widerow.query.StoreDirectory;
import io.widerow.query.StoreDirectory.Stored;
import io.widerow.query.Token;
import io.widerow.query.output.OutputBuffer;
import io.widerow.storage.Durability;
import io.widerow.storage.StoreView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a client that applies the responses of a continuous query has, after each, exactly the
/// aggregates of a query of the same steps; each step is returned once when it has ended, and again
/// only when events of it were written since. Method: a store on disk, asked at times that the test
/// sets, with late events, upserts, seals, merges and restarts; a recount as the oracle.
class ContinuousQueryRunTest extends RestartedStore {
  private static final long START = 1_763_666_100_000_000_000L; // at a full minute
  private static final long SECOND = 1_000_000_000L;
  private static final long STEP = 10 * SECOND;

  private long nowNanos = START;
  private @Nullable String token;
  private @Nullable String arrived;
  private boolean more;

  private void store(long timeNanos, long status) {
    StoreDirectory.append(
        store,
        List.of(
            new Stored("app", timeNanos, Map.of("status", status, "ms", status * 0.5)),
            new Stored("other", timeNanos, Map.of("status", status))));
  }

  /// Writes an event with an id of its own, which replaces what had it.
  private void replace(EventId id, long status) {
    try (var batch = new EventBatch(1 << 10, 1 << 20)) {
      byte[] text = StoreDirectory.utf8("appstatusms");
      batch.begin(text, 0, 3, id);
      batch.putLong(text, 3, 6, status);
      batch.putDouble(text, 9, 2, status * 0.5);
      assertEquals(null, batch.end());
      var lane = store.lane(store.laneOf(id));
      Appends.all(lane, batch, 0);
      lane.commit(Durability.MEMORY);
    }
  }

  private static Map<String, List<String>> parameters(String... more) {
    Map<String, List<String>> all = new HashMap<>();
    all.put("type", List.of("app"));
    all.put("every", List.of("10s"));
    all.put("lag", List.of("2s"));
    for (int i = 0; i < more.length; i += 2) {
      all.put(more[i], List.of(more[i + 1]));
    }
    return all;
  }

  /// Asks once; the rows without the last line, whose position is kept for the next time.
  private List<String> ask(Map<String, List<String>> given) {
    Map<String, List<String>> all = new HashMap<>(given);
    if (token != null) {
      all.put("after", List.of(token));
    }
    if (arrived != null) {
      all.put("arrived", List.of(arrived));
    }
    OutputBuffer sink = new OutputBuffer(1 << 10);
    QueryMemory memory = new QueryMemory(1 << 24);
    ContinuousQuery question = ContinuousQuery.parse(all, nowNanos);
    try (StoreView view = store.view();
        ContinuousQueryRun tail =
            new ContinuousQueryRun(view, question, QueryBudget.DEFAULT, memory)) {
      tail.write(nowNanos, sink, _ -> true);
    }
    assertEquals(0, memory.bytesUsed());
    List<String> lines = new ArrayList<>(sink.toString().lines().toList());
    String[] last = lines.removeLast().split("\"", -1);
    assertEquals("token", last[1]);
    token = last[3];
    arrived = last[7];
    more = last[10].contains("true");
    return lines;
  }

  private static String ts(long nanos) {
    return Instant.EPOCH.plusNanos(nanos).toString().replace("Z", ".000000000Z");
  }

  /// More late steps in a row than one answer of revisions holds.
  @Test
  void everyStepThatChangedIsShownAnew() {
    Map<String, List<String>> count = parameters("stats", "count");
    nowNanos = START + 40_000 * SECOND;
    assertEquals(List.of(), ask(count), "it begins now");
    List<Stored> late = new ArrayList<>();
    for (int step = 0; step < 2_500; step++) {
      late.add(new Stored("app", START + step * STEP, Map.of("status", 200L)));
    }
    StoreDirectory.append(store, late);
    assertEquals(2_500, ask(count).stream().filter(line -> line.contains("\"count\":1")).count());
  }

  @Test
  void stepsComeOnceWhenTheyHavePassed() {
    Map<String, List<String>> count = parameters("stats", "count,max(ms)", "by", "status");
    assertEquals(List.of(), ask(count), "it begins now");
    store(START + SECOND, 200);
    store(START + 9 * SECOND, 500);
    store(START + 11 * SECOND, 200);
    nowNanos = START + 12 * SECOND - 1;
    assertEquals(List.of(), ask(count), "the step is over, not yet past the lag");
    nowNanos = START + 12 * SECOND;
    String step = "{\"ts\":\"" + ts(START) + "\",\"status\":";
    assertEquals(
        List.of(
            step + "200,\"count\":1,\"max(ms)\":100.0}",
            step + "500,\"count\":1,\"max(ms)\":250.0}"),
        ask(count));
    assertEquals(List.of(), ask(count));
    store(START + 2 * SECOND, 500);
    assertEquals(
        List.of(
            step + "200,\"count\":1,\"max(ms)\":100.0,\"widerow.revision\":true}",
            step + "500,\"count\":2,\"max(ms)\":250.0,\"widerow.revision\":true}"),
        ask(count),
        "the whole step again");
    assertEquals(List.of(), ask(count));
    assertFalse(more);
  }

  @Test
  void upsertThatLeavesTheFilterEmptiesItsStep() {
    Map<String, List<String>> errors =
        parameters("stats", "count,max(ms)", "by", "status", "where", "status >= 500");
    EventId id = new EventId(TimeUuid.timeOfNanos(START + SECOND), TimeUuid.tailOf(0, 3, 5));
    ask(errors);
    replace(id, 503);
    nowNanos = START + 20 * SECOND;
    assertEquals(1, ask(errors).size());
    replace(id, 200);
    assertEquals(
        List.of(
            "{\"ts\":\""
                + ts(START)
                + "\",\"status\":null,\"count\":0,\"max(ms)\":null,\"widerow.revision\":true}"),
        ask(errors));
    store(START + 2 * SECOND, 200);
    assertEquals(List.of(), ask(errors), "a late event that the filter does not keep");
  }

  @Test
  void longAbsenceIsCaughtUpPieceByPiece() {
    Map<String, List<String>> count = parameters("stats", "count");
    token = Token.before(START - 2_500 * STEP).toString();
    store(START - 2_499 * STEP, 1);
    store(START - SECOND, 2);
    assertEquals(1, ask(count).size());
    assertTrue(more);
    assertEquals(0, ask(count).size());
    assertTrue(more);
    nowNanos = START + 2 * SECOND;
    assertEquals(1, ask(count).size());
    assertFalse(more);
  }

  @Test
  void whatMakesNoSenseIsRefused() {
    refused("stats: by and every need it", parameters());
    refused("stats: is missing", Map.of());
    refused("every: is missing", Map.of("stats", List.of("count")));
    refused(
        "every: must be whole milliseconds, got 1us", parameters("stats", "count", "every", "1us"));
    refused("from: no such parameter", parameters("stats", "count", "from", "1h"));
    refused("lag: ", parameters("stats", "count", "lag", "-1s"));
    refused("arrived: a position", parameters("stats", "count", "arrived", "a1"));
  }

  private static void refused(String why, Map<String, List<String>> given) {
    var refused =
        assertThrows(QueryException.Refused.class, () -> ContinuousQuery.parse(given, START));
    assertTrue(String.valueOf(refused.getMessage()).startsWith(why), refused.getMessage());
  }

  /// A fifth of the events is late by up to an hour, a fifth replaces an earlier one.
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#five")
  void answersAddUpToARecount(long seed) {
    var random = new SplittableRandom(seed);
    Map<String, List<String>> asked =
        parameters("stats", "count,sum(ms),p50(ms)", "by", "status", "where", "status >= 300");
    Map<String, List<String>> shown = new TreeMap<>(); // rows by step, as a reader would keep them
    Set<String> written = new HashSet<>(); // steps, since the last answer
    List<EventId> ids = new ArrayList<>();
    ask(asked);
    for (int i = 0; i < 150; i++) {
      nowNanos += random.nextLong(5 * SECOND);
      long back = random.nextInt(5) == 0 ? 3_600 * SECOND : 3 * SECOND;
      long time = nowNanos - random.nextLong(back);
      long status = 200 + 100L * random.nextInt(4);
      if (random.nextInt(3) > 0) {
        store(time, status);
      } else {
        boolean again = !ids.isEmpty() && random.nextBoolean();
        EventId id =
            again
                ? ids.get(random.nextInt(ids.size()))
                : new EventId(TimeUuid.timeOfNanos(time), TimeUuid.tailOf(0, 3, i));
        ids.add(id);
        time = TimeUuid.tickNanos(id.time());
        replace(id, status);
      }
      written.add(ts(time - Math.floorMod(time, STEP)));
      if (random.nextInt(3) == 0) {
        apply(ask(asked), shown, written);
        assertEquals(recount(asked), flat(shown));
        written.clear();
      }
      keepUp(random);
    }
  }

  private static void apply(
      List<String> rows, Map<String, List<String>> shown, Set<String> written) {
    Set<String> inAnswer = new HashSet<>();
    for (String row : rows) {
      String step = row.split("\"", -1)[3];
      boolean anew = row.contains("\"widerow.revision\":true");
      if (inAnswer.add(step)) {
        List<String> before = shown.put(step, new ArrayList<>());
        assertTrue(anew || before == null, () -> "twice: " + row);
        assertTrue(!anew || written.contains(step), () -> "nothing was written: " + row);
      }
      if (!row.contains("\"status\":null")) {
        shown
            .computeIfAbsent(step, _ -> new ArrayList<>())
            .add(row.replace(",\"widerow.revision\":true", ""));
      }
    }
  }

  private static List<String> flat(Map<String, List<String>> shown) {
    return shown.values().stream().flatMap(List::stream).toList();
  }

  /// The rows that a query of all steps before the position gives, from the first one written.
  private List<String> recount(Map<String, List<String>> asked) {
    Map<String, List<String>> given = new HashMap<>(asked);
    given.remove("lag");
    QueryParameters parameters = QueryParameters.parse(given, nowNanos);
    long until = token == null ? nowNanos : Token.parse(token).tickNanos();
    RangeQuery query = parameters.query().withRange(0, until);
    OutputBuffer sink = new OutputBuffer(1 << 10);
    try (StoreView view = store.view();
        QueryResult answer =
            new QueryResult(
                RangeReader.open(view, query, QueryBudget.DEFAULT), parameters.writer(), null)) {
      while (answer.writeNext(sink)) {
        assertEquals(null, answer.failure());
      }
    }
    return sink.toString().lines().toList();
  }
}
