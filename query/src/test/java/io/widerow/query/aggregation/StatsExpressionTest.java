package io.widerow.query.aggregation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.query.QueryBudget;
import io.widerow.query.QueryException;
import io.widerow.query.QueryMemory;
import io.widerow.query.RangeReader;
import io.widerow.query.StoreDirectory;
import io.widerow.query.StoreDirectory.Stored;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.result.QueryParameters;
import io.widerow.query.result.QueryResult;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: conditions and expressions over aggregates, conditions on rows, and the row of the rest
/// have the values that follow from the plain aggregates. Method: a few events whose aggregates can
/// be counted by hand, and the same queries in parts.
class StatsExpressionTest {
  private static final long START = 1_780_000_000_000_000_000L;
  private static final long MINUTE = 60_000_000_000L;

  @TempDir Path directory;

  private boolean written;

  /// Twelve events: hosts a to d with 6, 3, 2 and 1; status 500 for each third; ms from 1 to 12.
  private static List<Stored> events() {
    List<Stored> events = new ArrayList<>();
    String hosts = "aaabbacabdca";
    for (int i = 0; i < hosts.length(); i++) {
      Map<String, Object> attributes = new HashMap<>();
      attributes.put("host", hosts.substring(i, i + 1));
      attributes.put("status", i % 3 == 0 ? 500L : 200L);
      attributes.put("ms", (long) i + 1);
      attributes.put("level", i == 4 ? "error" : "info");
      events.add(new Stored("web", START + i * MINUTE / 4, attributes));
    }
    return events;
  }

  private List<String> rows(String... pairs) {
    Map<String, List<String>> given = new HashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      given.put(pairs[i], List.of(pairs[i + 1]));
    }
    given.put("format", List.of("csv"));
    StoreConfig config = StoreConfig.at(directory.resolve("s")).withDiskReserveBytes(0);
    try (EmbeddedStore store = EmbeddedStore.open(config, Runnable::run)) {
      if (!written) {
        StoreDirectory.append(store, events());
        written = true;
      }
      QueryParameters parameters = QueryParameters.parse(given, START);
      OutputBuffer out = new OutputBuffer(1 << 10);
      try (StoreView view = store.view();
          QueryResult result =
              new QueryResult(
                  RangeReader.open(
                      view,
                      parameters.query(),
                      parameters.readMode(),
                      QueryBudget.DEFAULT,
                      QueryMemory.unlimited()),
                  parameters.writer(),
                  null)) {
        while (result.writeNext(out)) {
          // all of it
        }
        result.requireWhole();
      }
      return out.toString().lines().toList();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      value = {
        "count(status = 500) ! 4",
        "count(level >= error) ! 1",
        "count(where host = \"a\") ! 6",
        "count(ms where host = \"a\") ! 6",
        "sum(ms where status = 500) ! 22",
        "count(status in (500, 501)) ! 4",
        "count(body contains \"x where y\") ! 0",
        "distinct(host where ms > 6) ! 4",
        "p50(ms where ms < 3) ! 1.0",
        "count(status >= 500) / count() ! 0.3333333333333333",
        "100 * count(status >= 500) / count ! 33.333333333333336",
        "sum(ms) - max(ms) * 2 + 1 ! 55",
        "(sum(ms) - max(ms)) * (2 + 1) ! 198",
        "count / count(status = 1) ! ''",
        "max(none) + 1 ! ''",
        "max(ms) * 1.5 ! 18.0"
      })
  void anExpressionHasItsValue(String stats, String value) {
    assertEquals(value, rows("stats", stats).get(1), stats);
  }

  @Test
  void aColumnHasTheNameOfItsTextOrItsOwn() {
    List<String> rows =
        rows("stats", "count/ 2, count as n, sum(ms) / count as `mean ms`,count()", "by", "host");
    assertEquals("host,count/ 2,n,mean ms,count", rows.getFirst());
    assertEquals("a,3.0,6,5.333333333333333,6", rows.get(1));
  }

  @Test
  void rowsAreKeptByTheirNumbers() {
    assertEquals(
        List.of("host,count", "a,6", "b,3"),
        rows("stats", "count", "by", "host", "having", "count > 2"));
    assertEquals(
        List.of("host,count", "c,2"),
        rows(
            "stats",
            "count",
            "by",
            "host",
            "having",
            "not (count > 2 or count = 1) and (sum(ms) / count >= 1)"));
    assertEquals(
        List.of("host,count"),
        rows("stats", "count", "by", "host", "having", "max(none) = max(none)"));
  }

  @Test
  void theRestIsOneRow() {
    assertEquals(
        List.of("host,count,sum(ms),distinct(status),p50(ms)", "a,6,32,2,3.0", "other,6,46,2,7.0"),
        rows(
            "stats", "count,sum(ms),distinct(status),p50(ms)",
            "by", "host",
            "order-by", "count desc",
            "limit", "1",
            "other", "true"));
    List<String> steps =
        rows(
            "stats", "count",
            "by", "host",
            "every", "1m",
            "order-by", "count desc",
            "limit", "2",
            "other", "true");
    assertTrue(steps.stream().noneMatch(row -> row.contains(",c,") || row.contains(",d,")));
    long events =
        steps.stream()
            .skip(1)
            .mapToLong(row -> Long.parseLong(row.substring(row.lastIndexOf(',') + 1)))
            .sum();
    assertEquals(12, events, "none is lost");
    assertEquals(
        List.of("host,count", "a,6", "b,3", "c,2", "d,1"),
        rows("stats", "count", "by", "host", "limit", "4", "other", "true"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      value = {
        "count( ! expected )",
        "count + ! not an aggregate",
        "count count ! expected , + - * /",
        "nothing(x) ! not an aggregate: nothing(x)",
        "count(a = ) ! expected a value",
        "count as ! expected the name of the column"
      })
  void refusals(String stats, String why) {
    QueryException.Refused refused =
        assertThrows(QueryException.Refused.class, () -> rows("stats", stats));
    String told = String.valueOf(refused.getMessage());
    assertTrue(told.contains(why), told);
  }

  @Test
  void whatNeedsRowsIsRefusedWithoutThem() {
    for (String[] pairs :
        List.of(
            new String[] {"having", "count > 1"},
            new String[] {"other", "true"},
            new String[] {"stats", "count", "other", "true", "limit", "1"},
            new String[] {"stats", "count", "having", "count"})) {
      assertThrows(QueryException.Refused.class, () -> rows(pairs));
    }
  }
}
