package io.widerow.ingest;

import io.widerow.ingest.decode.Swar;
import io.widerow.ingest.decode.TimeParser;
import io.widerow.ingest.decode.TimestampDetector;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/// Fuzz target for [TimestampDetector]: whatever the bytes, it looks at those of the line only, and
/// what it finds does not depend on other lines, but for what the form of the body and the order of
/// days and months decide: a line's own times all the same.
final class SightFuzz {
  private static final ZoneId ZONE = ZoneId.of("Europe/Berlin");

  private SightFuzz() {}

  static List<byte[]> seeds() {
    return Stream.of(
            "2015-10-18 18:01:47,978 a\n[Sun Dec 04 04:47:44 2005] b\n",
            "- 1117838570 2005.06.03 R 2005-06-03-15.42.50.675872 R\n081109 203615 x\n",
            "03-17 16:13:38.811 a\n20171224-0:7:20:44|b\n[10.30 16:49:06] c\n",
            "Jun  9 06:06:20 a\n17/06/09 20:10:40 b\nI0102 15:04:05.000001 c\n",
            "1.2.3.4 - [17/May/2015:10:05:03 +0200]\n17.05.2015 10:05:03 CEST\n",
            "Oct 18, 2015 6:01:47 PM\na 1700000000.5 b\n1700000000123456789\n",
            "05/06/2015 10:05:03 a\n05/17/2015 6:05 pm b\n17-05-2015-10:05:03 c\n",
            "17/06/09 20:10:40 a\n10/18/15 18:01:47:978 b\n10/18-18:01:47.978 c\n",
            "a 2015-10-18 18:01:47 b\na Jun  9 06:06:20 2015-10-18 18:01:48 b\n",
            "17-May-2015::10:05:03 a\nSunday, 06-Nov-94 08:49:37 GMT b\n# Time: 151018 18:01:47\n")
        .map(text -> text.getBytes(StandardCharsets.US_ASCII))
        .toList();
  }

  static void sight(byte[] input) {
    TimestampDetector shared = new TimestampDetector(ZONE);
    byte[] slack = Arrays.copyOf(input, input.length + Swar.SLACK_BYTES);
    int at = 0;
    while (at < input.length) {
      int end = Swar.newline(slack, at, input.length);
      byte[] line = Arrays.copyOfRange(input, at, end);
      byte[] followed = Arrays.copyOf(line, line.length + 40);
      Arrays.fill(followed, line.length, followed.length, (byte) '9');
      long alone = nanos(new TimestampDetector(ZONE), line, line.length);
      long among = nanos(shared, slack, at, end);
      boolean same =
          among == alone
              || among == TimeParser.NONE // a number among dates is no time
              || isTimeIn(line, among);
      if (nanos(new TimestampDetector(ZONE), followed, line.length) != alone || !same) {
        throw new AssertionError(
            "%d or %d: %s".formatted(alone, among, new String(line, StandardCharsets.ISO_8859_1)));
      }
      at = end + 1;
    }
  }

  /// Whether a line has a time, somewhere, in either order of day and month.
  private static boolean isTimeIn(byte[] line, long nanos) {
    for (String first : new String[] {"05/17/2015 10:05:03", "17/05/2015 10:05:03", "x"}) {
      byte[] telling = first.getBytes(StandardCharsets.US_ASCII);
      for (int at = 0; at < line.length; at++) {
        TimestampDetector sight = new TimestampDetector(ZONE);
        nanos(sight, telling, telling.length);
        for (String form : new String[] {"", "31/12/15 10:05:03", "12/31/15 10:05:03"}) {
          byte[] decided = form.getBytes(StandardCharsets.US_ASCII);
          nanos(sight, decided, decided.length);
          if (nanos(sight, line, at, line.length) == nanos) {
            return true;
          }
        }
      }
    }
    return false;
  }

  private static long nanos(TimestampDetector sight, byte[] bytes, int limit) {
    return nanos(sight, bytes, 0, limit);
  }

  private static long nanos(TimestampDetector sight, byte[] bytes, int offset, int limit) {
    return sight.nanos(bytes, offset, limit, Decoding.ARRIVAL_NANOS);
  }
}
