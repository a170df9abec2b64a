package io.widerow.loadgen.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.loadgen.format.Quantity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a comparison claims what its pairs show and nothing else. Method: sides that write down
/// their turns, and figures whose ratios are known.
class PairedRunsTest {
  private static final long HOUR_NANOS = 3_600 * Quantity.SECOND;

  private final List<String> turns = new ArrayList<>();

  /// A side whose n-th turn loses the n-th share of the machine.
  private final class Turn implements PairedRuns.Side<Double> {
    private final String label;
    private final double[] steal;

    Turn(String label, double... steal) {
      this.label = label;
      this.steal = steal;
    }

    @Override
    public Double run(int pair) {
      turns.add(label);
      return pair < steal.length ? steal[pair] : 0.0;
    }
  }

  @Test
  void sidesTakeTurns() throws Exception {
    var runs = new PairedRuns<>(new Turn("A"), new Turn("B"), found -> found, 3, HOUR_NANOS);
    runs.execute();
    assertEquals("A B B A A B", String.join(" ", turns));
    assertEquals(3, runs.a().size());
  }

  @Test
  void moreSidesTakeTurnsForwardsAndBackwards() throws Exception {
    var runs =
        new PairedRuns<Double>(
            List.of(new Turn("A"), new Turn("B", 0, 0.005), new Turn("C", 0.02)),
            found -> found,
            2,
            HOUR_NANOS);
    runs.execute();
    assertEquals("A B C C B A A B C", String.join(" ", turns));
    assertEquals(List.of(0.005, 0.0), runs.of(1));
    assertEquals(1, runs.discarded());
  }

  @Test
  void pairWithStealIsRunAgain() throws Exception {
    var runs =
        new PairedRuns<>(
            new Turn("A", 0, 0.02), new Turn("B", 0.005), found -> found, 2, HOUR_NANOS);
    runs.execute();
    assertEquals(List.of(0.0, 0.0), runs.a());
    assertEquals(List.of(0.005, 0.0), runs.b());
    assertEquals(1, runs.discarded());
    assertEquals(6, turns.size());
  }

  @Test
  void budgetEndsTheRunsAfterAWholePair() throws Exception {
    var runs = new PairedRuns<>(new Turn("A"), new Turn("B"), found -> found, 5, 0);
    runs.execute();
    assertEquals(1, runs.a().size());
    assertEquals(1, runs.b().size());
  }

  @Test
  void clearDifferenceIsAClaimAndNoiseIsNot() {
    PairedRatio clear =
        PairedRatio.of(new double[] {20, 22, 21, 25, 19}, new double[] {10, 10, 10, 10, 10});
    assertEquals(2.1, clear.ratio(), 1e-9);
    assertEquals(21, clear.medianA());
    assertTrue(clear.isClaim() && clear.low() >= 1.9 && clear.high() <= 2.5, clear.span());
    PairedRatio noise =
        PairedRatio.of(new double[] {9, 12, 10, 8, 11}, new double[] {10, 10, 10, 10, 10});
    assertFalse(noise.isClaim(), noise.span());
  }

  @Test
  void twoPairsShowNothing() {
    assertFalse(PairedRatio.of(new double[] {9, 9}, new double[] {1, 1}).isClaim());
    assertThrows(
        IllegalArgumentException.class, () -> PairedRatio.of(new double[] {1}, new double[] {}));
  }

  @Test
  void comparisonIsWrittenAsReportAsLinesAndIntoThePage(@TempDir Path results) throws IOException {
    Contestant a = Contestant.parse("widerow-text:os", Path.of("."), List.of("shards=16"), "4g");
    Contestant b = Contestant.parse("questdb@elsewhere", Path.of("."), List.of(), "4g");
    assertEquals(Path.of("elsewhere"), b.home());
    assertEquals("nosync", b.setting());
    assertTrue(a.note().contains("shards=16"), a.note());
    String name = "20261124T000000-compare";
    ComparisonFolder folder = new ComparisonFolder(results, name, List.of("compare", "a", "b"));
    PairedRatio ratio = PairedRatio.of(new double[] {4, 4, 4}, new double[] {2, 2, 2});
    Comparison.Row row = new Comparison.Row("events/s", 0, ratio);
    folder.finish(new Comparison(name, "a test", a, b, 3, 1, List.of(row)), "");
    assertEquals(results.resolve("runs").resolve(name), folder.path());
    assertTrue(Files.readString(folder.path().resolve("report.md")).contains("1 discarded"));
    String line = Files.readString(results.resolve("data/comparisons.ndjson"));
    assertTrue(line.contains("\"command\":\"widerow load compare a b\""), line);
    String page = Files.readString(results.resolve("README.md"));
    assertTrue(page.contains("| a test | M1 | 4 | 2 | 2.000 (2.000 .. 2.000) |"), page);
    assertTrue(page.contains("(runs/" + name + "/report.md)"), page);
  }
}
