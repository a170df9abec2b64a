package io.widerow.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: the page says what the rows say, and keeps what people wrote around them. Method: a row as
/// a test writes it, and a page.
class FaultRecordsTest {
  private static final String ROW =
      "{\"fault\":\"kill -9\",\"times\":40,\"acknowledged\":17,\"repeated\":3,\"recognised\":1,"
          + "\"lost\":0,\"twice\":0,\"order\":0,\"p50\":5,\"p99\":6,\"max\":7,"
          + "\"date\":\"2026-11-21\",\"machine\":\"m\",\"commit\":\"abc\"}";

  @Test
  void rowsStandBetweenTheMarks() {
    String page = "a\n<!-- rows of faults.ndjson -->\nold\n<!-- end of rows -->\nb\n";
    String rendered = FaultRecords.rendered(page, List.of(ROW));
    assertTrue(rendered.startsWith("a\n<!-- rows of faults.ndjson -->\n| fault |"), rendered);
    assertTrue(rendered.endsWith("|\n<!-- end of rows -->\nb\n"), rendered);
    assertTrue(
        rendered.contains(
            "| kill -9 | 40 | 17 | 3 | 1 | 0 | 0 | 0 | 5 | 6 | 7 | 2026-11-21 | m | abc |\n"),
        rendered);
    assertEquals(rendered, FaultRecords.rendered(rendered, List.of(ROW)));
  }

  @Test
  void aPageWithoutMarksIsRefused() {
    assertThrows(
        IllegalArgumentException.class, () -> FaultRecords.rendered("a page", List.of(ROW)));
  }
}
