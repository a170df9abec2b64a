package io.widerow.ingest.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: a zone is read whole or not at all. Method: zones by name and by offset; random texts
/// after a time, against a model of regular expressions.
class ZoneTextTest {
  private static final int SEED = 53;
  private static final int TEXTS = 300_000;

  /// An offset, alone or after UTC.
  private static final Pattern OFFSET =
      Pattern.compile("( *)(UTC|GMT|UT|utc|gmt|ut)?([+-])(\\d{1,2})(?::?(\\d\\d))?(?!\\w|:\\d).*");

  private static int read(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return new ZoneText().read(bytes, 0, bytes.length);
  }

  private static String shown(int zone) {
    return switch (zone) {
      case ZoneText.NO_ZONE -> "none";
      case ZoneText.UNREAD -> "unread";
      case ZoneText.REGION -> "region";
      default -> Integer.toString(zone);
    };
  }

  @ParameterizedTest
  @CsvSource(
      ignoreLeadingAndTrailingWhitespace = false,
      delimiter = '|',
      value = {
        "Z|0",
        "z|0",
        " Z|0",
        "Z x|0",
        "Z]|0",
        "Zulu|unread",
        "Z-5|unread",
        " Z-score|none",
        "+01|3600",
        "+0100|3600",
        "+01:00|3600",
        "+1:00|3600",
        "-03:30 x|-12600",
        "+23:59|86340",
        "+24:00|unread",
        "+01:60|unread",
        "+1|unread",
        "-5|unread",
        "-5 x|unread",
        "+012|unread",
        "+01000|unread",
        "+01:00:00|unread",
        "-08.5|unread",
        "-08-09|unread",
        "-x|none",
        "- x|none",
        "+x|unread",
        " +0100|3600",
        " +0100 x|3600",
        "\t-0500|-18000",
        "  -0500 x|none",
        " +03 |10800",
        " -03 [7]|-10800",
        " -03 2026|-10800",
        " +10|36000",
        " +10 [7]|36000",
        " +10 points|none",
        " -10 degrees.|none",
        " -12 34|none",
        " -05 degrees|-18000",
        " -5 degrees|none",
        " -1100 points|none",
        " -1200 items, x|none",
        " -1100|-39600",
        " -1100 INFO x|-39600",
        " +1000 my.tag: x|36000",
        " +1500 x|none",
        " -1117 x|none",
        " +0575 x|unread",
        " +25:00|unread",
        " +10ms|none",
        " -10% x|none",
        " -8.5 x|none",
        " +10/20|none",
        " UTC|0",
        "UTC|0",
        "   UTC x|0",
        " utc|0",
        " UTC:10.0.0.1|0",
        " UTC-5|-18000",
        " UTC+5:30|19800",
        " GMT-0500|-18000",
        " GMT-0500 (EST)|-18000",
        "GMT+01:00|3600",
        " UTC+25|unread",
        " UTC+012|unread",
        " UTC+01:00:00|unread",
        " UTC1|unread",
        " UTC-based|none",
        " UTC- x|0",
        " UTC_x|none",
        " MST-based|none",
        " MST|-25200",
        " MST7MDT|unread",
        " EST-5|unread",
        " EST/EDT|unread",
        " IST x|unread",
        " BST]|unread",
        "IST|unread",
        " ISTANBUL|none",
        " ACST|34200",
        " INFO x|none",
        " GET /x|none",
        " POST /x|none",
        " (CET) x|3600",
        " (IST) x|unread",
        " (main) x|none",
        " (UTC x|none",
        " Europe/Paris x|region",
        "[Europe/Paris]|region",
        "[main/x]|none",
        "[main]|none",
        " Etc/GMT+5|region",
        " Europe/Nowhere|none",
        " Eastern Standard Time|unread",
        " Central European Summer Time x|unread",
        " Eastern Standard|none",
        " Info Time|none",
        "\u221205:00|unread",
        " \u221205:00|unread",
        ".Z|unread",
        ",+01:00|unread",
        ",-3|none",
        ".|none",
        ",x|none",
        " x|none",
      })
  void zonesAreReadWholeOrNotAtAll(String text, String expected) {
    assertEquals(expected, shown(read(text.translateEscapes())), text);
  }

  /// The code reads the same as the model, and an offset directly after a time is never left out.
  @Test
  void randomTextsAreReadAsByTheModel() {
    Random random = new Random(SEED);
    String[] parts = {
      "+", "-", ":", " ", "0", "1", "2", "3", "5", "9", "30", "00", "UTC", "GMT", "Z", "x", ".",
      "EST"
    };
    int read = 0;
    for (int i = 0; i < TEXTS; i++) {
      StringBuilder text = new StringBuilder();
      for (int part = random.nextInt(7); part >= 0; part--) {
        text.append(parts[random.nextInt(parts.length)]);
      }
      int zone = read(text.toString());
      boolean isZone = Math.abs((long) zone) < 86_400;
      if (text.toString().matches("[+-]\\d.*")) {
        assertTrue(isZone || zone == ZoneText.UNREAD, text::toString);
      }
      Matcher offset = OFFSET.matcher(text);
      if (isZone && text.toString().matches(" *(UTC|GMT)?[+-]\\d.*")) {
        assertTrue(offset.matches(), text::toString);
        int hours = Integer.parseInt(offset.group(4));
        int minutes = offset.group(5) == null ? 0 : Integer.parseInt(offset.group(5));
        int east = 3_600 * hours + 60 * minutes;
        assertEquals(offset.group(3).equals("-") ? -east : east, zone, text::toString);
        read++;
      }
    }
    assertTrue(read > TEXTS / 200, "read " + read);
  }
}
