package io.widerow.loadgen.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.loadgen.compare.QueriedStore.Took;
import io.widerow.loadgen.compare.QueriedStore.Turn;
import io.widerow.loadgen.format.Quantity;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the table has the ratio of each contestant to the first, and leaves out what is not known.
/// Method: turns with known figures.
class FieldTableTest {
  private static Took took(double millis, double cpuMillis) {
    double median = millis * Quantity.MILLI;
    return new Took(median, median, cpuMillis * Quantity.MILLI, 0, 0);
  }

  private static PairedRuns<Turn> runs(List<Map<Question, Took>> sides) throws Exception {
    List<PairedRuns.Side<Turn>> turns =
        sides.stream().map(side -> (PairedRuns.Side<Turn>) _ -> new Turn(side, 0)).toList();
    PairedRuns<Turn> runs = new PairedRuns<>(turns, Turn::stealShare, 3, Quantity.SECOND);
    runs.execute();
    return runs;
  }

  private static Contestant contestant(String text) throws Exception {
    return Contestant.parse(text, Path.of("."), List.of(), "1g");
  }

  @Test
  void ratiosAreThoseToTheFirst(@TempDir Path results) throws Exception {
    List<Map<Question, Took>> sides =
        List.of(
            Map.of(
                Question.FIELD_COUNT, took(2, 1),
                Question.FIELD_DISTINCT, took(400, 700),
                Question.FIELD_ALL, took(9_000, 8_000)),
            Map.of(Question.FIELD_COUNT, took(1, 0), Question.FIELD_DISTINCT, took(600, 350)),
            Map.of(Question.FIELD_DISTINCT, took(40, 0), Question.FIELD_ALL, took(900, 0)));
    List<QueryContest.Entrant> entrants =
        List.of(
            entrant("widerow-json", sides.get(0)),
            entrant("questdb", sides.get(1)),
            entrant("victorialogs@http://localhost:1", sides.get(2)));
    FieldTable table =
        new FieldTable(
            "20261129T000000-fields",
            "a test",
            entrants,
            runs(sides),
            List.of(1_000_000L, 2L, -1L));
    String text = table.text();
    assertTrue(
        text.contains(
            """
            | query | A | A CPU | B | B CPU | B / A | B / A, CPU | C | C CPU | C / A | C / A, CPU |
            | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
            | count | 2.0 | 1.0 | 1.0 | 0.0 | 0.50 | 0.00 | - | - | - | - |
            | distinct(client) | 400.0 | 700.0 | 600.0 | 350.0 | 1.50 | 0.50 | 40.0 | - | 0.10 | - |
            | all in order, JSON | 9,000.0 | 8,000.0 | - | - | - | - | 900.0 | - | 0.10 | - |
            """),
        text);
    assertTrue(text.contains("- C: victorialogs, "), text);
    assertTrue(text.contains("CPU and memory are not known"), text);
    List<Comparison> comparisons = table.comparisons();
    assertEquals(2, comparisons.size());
    assertEquals(
        List.of("count ms", "distinct(client) ms", "distinct(client) server CPU ms"),
        comparisons.getFirst().rows().stream().map(Comparison.Row::figure).toList());
    assertEquals(10, comparisons.getLast().rows().getFirst().ratio().ratio(), 1e-9);
    ComparisonFolder folder =
        new ComparisonFolder(
            results, table.name(), List.of("compare", "a", "b", "--queries=fields"));
    folder.finish(comparisons, text);
    String page = Files.readString(results.resolve("README.md"));
    assertTrue(
        page.contains(
            "| widerow-json:disk | questdb:nosync | a test | M1 | 1 of 2 | 0.667 .. 2.000 |"),
        page);
    assertTrue(page.contains("| widerow-json:disk | victorialogs | a test | M1 | 0 of 2 |"), page);
  }

  /// The table does not ask the store.
  @SuppressWarnings("NullAway")
  private static QueryContest.Entrant entrant(String text, Map<Question, Took> asked)
      throws Exception {
    return new QueryContest.Entrant(contestant(text), null, List.copyOf(asked.keySet()));
  }
}
