package io.widerow.query.output;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: every time is written as the JDK's formatter writes it, in any zone and order. Method:
/// random walks over years, up and down, in zones whose clocks are set forward and back, by half an
/// hour too.
class Rfc3339Test {
  private static final long YEARS_30 = 30L * 365 * 86_400 * 1_000_000_000;
  private static final long FROM = Instant.parse("1995-01-01T00:00:00Z").getEpochSecond();

  @ParameterizedTest
  @ValueSource(
      strings = {"UTC", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kathmandu", "-03:30"})
  void itIsWhatTheFormatterWrites(String name) {
    ZoneId zone = ZoneId.of(name);
    String end = name.equals("UTC") ? "'Z'" : "xxx";
    DateTimeFormatter wanted =
        DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSSSSS" + end).withZone(zone);
    SplittableRandom random = new SplittableRandom(37);
    Rfc3339 times = new Rfc3339(zone);
    OutputBuffer out = new OutputBuffer(64);
    long nanos = random.nextLong(YEARS_30);
    for (int i = 0; i < 50_000; i++) {
      long step = 1L << random.nextInt(58);
      nanos = Math.floorMod(nanos + random.nextLong(-step, step + 1), YEARS_30);
      Instant at = Instant.ofEpochSecond(FROM).plusNanos(nanos);
      out.clear();
      times.put(FROM * 1_000_000_000 + nanos, out);
      assertEquals(wanted.format(at), out.toString());
    }
  }
}
