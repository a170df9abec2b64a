package io.widerow.loadgen.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.loadgen.report.ResultsEntry.Kind;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Goal: two runs have the same compared command when they measured the same thing, for however
/// long and wherever. Method: commands as the tool writes them.
class ResultsEntryTest {
  private static ResultsEntry entry(String name, String machine, String... command) {
    String line = ResultsLayout.commandLine(List.of(command));
    return new ResultsEntry(name, List.of(Map.of("command", line, "machine", machine)));
  }

  @Test
  void comparedCommandIsWithoutPlaceAndLength() {
    ResultsEntry entry =
        entry(
            "20261124T150105-x",
            "m",
            "compare",
            "a",
            "b",
            "--pairs",
            "5",
            "--scenario",
            "broker",
            "--warmup=9s",
            "--batch",
            "100",
            "--busy",
            "0",
            "--results",
            "bench results");
    assertEquals("compare a b --batch 100 --scenario broker", entry.comparedCommand());
    assertEquals(Kind.COMPARE, entry.kind());
    assertEquals("20261124T150105", entry.time());
    assertEquals("2026-11-24", entry.day());
  }

  @Test
  void queriesOverFieldsAreAKindOfTheirOwnWhereverTheServerListens() {
    ResultsEntry entry =
        entry("n", "m", "compare", "victorialogs@http://127.0.0.1:9428", "b", "--queries=fields");
    assertEquals(Kind.FIELDS, entry.kind());
    assertEquals("compare victorialogs b --queries=fields", entry.comparedCommand());
  }

  @Test
  void commandWithoutSubcommandIsARun() {
    ResultsEntry entry =
        entry("n", "m", "--url", "127.0.0.1:1", "--note", "it's an hour --rate", "--rate", "100k");
    assertEquals("--rate 100k", entry.comparedCommand());
    assertEquals(Kind.RUN, entry.kind());
    assertEquals("", entry("n", "m").comparedCommand());
    assertEquals(Kind.PROTOCOLS, entry("n", "m", "protocols", "--rounds", "2").kind());
  }

  @Test
  void newestOfEachQuestionOnWhicheverMachine() {
    ResultsEntry first = entry("1", "m", "growth", "--sizes", "1M", "--rest", "1s");
    ResultsEntry second = entry("2", "m", "growth", "--sizes", "1M", "--rest", "2s");
    ResultsEntry other = entry("3", "m", "growth", "--sizes", "2M");
    ResultsEntry elsewhere = entry("4", "n", "growth", "--sizes", "1M");
    assertEquals(
        List.of(other, elsewhere), ResultsEntry.newest(List.of(first, second, other, elsewhere)));
  }
}
