package io.widerow.query.logql.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.query.logql.line.Fields;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: a detected field has the type and the path that Loki reports. Method: a table of values of
/// each type, and paths in nested objects.
class DetectedFieldsTest {
  @ParameterizedTest
  @CsvSource({
    "0, int",
    "-5, int",
    "+7, int",
    "9223372036854775807, int",
    "9223372036854775808, float",
    "1.5, float",
    "1e3, float",
    "Inf, float",
    "true, boolean",
    "T, boolean",
    "False, boolean",
    "yes, string",
    "5ms, duration",
    "1h30m, duration",
    "-2s, duration",
    "3d, string",
    "20KB, bytes",
    "1.5 MiB, bytes",
    "'2,048', bytes",
    "5m, duration",
    "12 apples, string",
    "x, string",
  })
  void aValueHasTheFirstTypeThatItIs(String value, String type) {
    assertEquals(type, DetectedFields.type(value));
  }

  @Test
  void aFieldOfJsonHasAPath() {
    String line = "{\"a\":{\"b.c\":{\"d\":1},\"e\":[2],\"x\":null},\"a_x\":3,\"f g\":4}";
    assertEquals(List.of("a", "b.c", "d"), Fields.jsonPath(line, "a_b_c_d"));
    assertEquals(List.of("a_x"), Fields.jsonPath(line, "a_x"));
    assertEquals(List.of("f g"), Fields.jsonPath(line, "f_g"));
    assertEquals(List.of(), Fields.jsonPath(line, "a_e"));
    assertEquals(List.of(), Fields.jsonPath("{\"a\":", "a"));
  }
}
