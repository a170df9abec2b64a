package io.widerow.query.logql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: numbers are those of Go's `strconv.ParseFloat`, and no others. Method: a table of forms.
class UnitsTest {
  @ParameterizedTest
  @CsvSource({
    "1, 1",
    "+1, 1",
    "-.5, -0.5",
    "5., 5",
    "1e3, 1000",
    "1E-3, 0.001",
    "0x10p0, 16",
    "0X1.8P3, 12",
    "-0x_1p-1, -0.5",
    "1_000, 1000",
    "1_2.3_4e0_1, 123.4",
    "0x_1_0p0, 16",
    "1e-400, 0",
    "INF, Infinity",
    "+Infinity, Infinity",
    "-inf, -Infinity",
    "NaN, NaN"
  })
  void aNumberIsThatOfGo(String text, double value) {
    assertEquals(value, Units.number(text));
  }

  @ParameterizedTest
  @CsvSource({
    "x, invalid syntax",
    "'', invalid syntax",
    "' 1', invalid syntax",
    "0x10, invalid syntax",
    "1f, invalid syntax",
    "1d, invalid syntax",
    "+NaN, invalid syntax",
    "-nan, invalid syntax",
    "_1, invalid syntax",
    "1_, invalid syntax",
    "1__0, invalid syntax",
    "1_e5, invalid syntax",
    "1e_5, invalid syntax",
    "1_.5, invalid syntax",
    "0_x1p0, invalid syntax",
    "1e400, value out of range",
    "-1e400, value out of range",
    "0x1p2000, value out of range"
  })
  void anotherTextIsNone(String text, String why) {
    assertNull(Units.number(text));
    String error = Units.error(Stage.Conversion.NUMBER, text);
    assertEquals("strconv.ParseFloat: parsing \"" + text + "\": " + why, error);
  }
}
