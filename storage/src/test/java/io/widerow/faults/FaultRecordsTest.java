package io.widerow.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.FaultRecords.Table;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// Goal: the page shows the rows and keeps the text around them. Method: a row as a test writes it,
/// and a page.
class FaultRecordsTest {
  private static final String ROW =
      "{\"fault\":\"kill -9\",\"times\":40,\"acknowledged\":17,\"repeated\":3,\"recognised\":1,"
          + "\"lost\":0,\"twice\":0,\"order\":0,\"p50\":5,\"p99\":6,\"max\":7,"
          + "\"date\":\"2026-11-21\",\"machine\":\"m\",\"commit\":\"abc\"}";

  @Test
  void rowsStandBetweenTheMarks() {
    String page =
        "a\n" + marks(Table.FAULTS, "| stale |\n") + marks(Table.PLANTS, "") + others() + "b\n";
    String rendered = FaultRecords.rendered(page, List.of(ROW));
    assertTrue(rendered.startsWith("a\n<!-- rows of faults.ndjson -->\n| fault |"), rendered);
    assertTrue(rendered.endsWith("|\n<!-- end of rows -->\nb\n"), rendered);
    assertTrue(
        rendered.contains(
            "| kill -9 | 40 | 17 | 3 | 1 | 0 | 0 | 0 | 5 | 6 | 7 | 2026-11-21 | m | abc |\n"),
        rendered);
    assertFalse(rendered.contains("stale"), rendered);
    assertEquals(rendered, FaultRecords.rendered(rendered, List.of(ROW)));
  }

  @Test
  void eachTableHasItsOwnRows() {
    String page = marks(Table.FAULTS, "") + marks(Table.PLANTS, "") + others();
    String planted = "{\"table\":\"plants\",\"module\":\"ingest\",\"planted\":12,\"caught\":11}";
    String rendered = FaultRecords.rendered(page, List.of(ROW, planted));
    assertTrue(
        rendered.contains(
            "| module | planted | caught | date | machine | commit |\n|---|---|---|---|---|---|\n"
                + "| ingest | 12 | 11 | - | - | - |\n<!-- end of rows -->"),
        rendered);
    assertEquals(rendered.indexOf("| kill -9 |"), rendered.lastIndexOf("| kill -9 |"));
  }

  private static String marks(Table table, String between) {
    return table.start() + "\n" + between + "<!-- end of rows -->\n";
  }

  private static String others() {
    return Arrays.stream(Table.values())
        .filter(table -> table != Table.FAULTS && table != Table.PLANTS)
        .map(table -> marks(table, ""))
        .collect(Collectors.joining());
  }

  @Test
  void aRowHasAllColumns() {
    assertThrows(IllegalArgumentException.class, () -> FaultRecords.add(Table.PLANTS, "a", 1));
    assertEquals(3L, FaultRecords.part(new long[] {3, 1, 2}, 100));
    assertEquals(2L, FaultRecords.part(new long[] {3, 1, 2}, 50));
    assertEquals("-", FaultRecords.part(new long[0], 50));
  }

  @Test
  void aPageWithoutMarksIsRefused() {
    assertThrows(
        IllegalArgumentException.class, () -> FaultRecords.rendered("a page", List.of(ROW)));
  }
}
