package io.widerow.event;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: a misspelt name leads to the one that was meant, and nonsense to none.
class NearestNameTest {
  private static final List<String> NAMES =
      List.of("retention", "lanes", "data", "http", "apache.access", "apache.error");

  @ParameterizedTest
  @CsvSource({
    "retenton, retention",
    "RETENTION, retention",
    "lane, lanes",
    "htpt, http",
    "apache.acces, apache.access",
    "apache_error, apache.error",
    "ddata, data"
  })
  void theNearestIsFound(String misspelt, String meant) {
    assertEquals(meant, NearestName.of(misspelt, NAMES));
    assertEquals("; did you mean " + meant + "?", NearestName.question(misspelt, NAMES, "."));
  }

  @ParameterizedTest
  @CsvSource({"nosuch", "''", "x", "completely.different"})
  void nonsenseIsNearNothing(String misspelt) {
    assertNull(NearestName.of(misspelt, NAMES));
    assertEquals(".", NearestName.question(misspelt, NAMES, "."));
  }

  @Test
  void longNamesCostLittle() {
    assertNull(NearestName.of("x".repeat(1 << 20), List.of("y".repeat(1 << 20))));
  }
}
