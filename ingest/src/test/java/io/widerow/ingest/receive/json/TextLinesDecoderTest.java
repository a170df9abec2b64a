package io.widerow.ingest.receive.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.ingest.Decoding;
import io.widerow.ingest.decode.TimePattern;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Which lines become one event, with which text and time, and what they say about a repeat.
class TextLinesDecoderTest {
  private static final String ARRIVAL = Instant.EPOCH.plusNanos(Decoding.ARRIVAL_NANOS).toString();

  private static Decoding.Result decoded(String body, String ts, @Nullable String start) {
    return Decoding.of(
        body,
        (bytes, limit, batch) ->
            new TextLinesDecoder(
                    "t", TimePattern.of(ts, -1, ZoneOffset.UTC), TextLinesDecoder.Start.of(start))
                .decode(bytes, 0, limit, batch));
  }

  private static List<String> events(Decoding.Result result) {
    return result.stored().stream()
        .map(event -> Instant.EPOCH.plusNanos(event.timeNanos()) + " " + event.body())
        .toList();
  }

  @Test
  void aLineWithoutATimeHasThatOfTheLineBefore() {
    Decoding.Result result =
        decoded("2015-10-18 18:01:47 a\n\tat b\n2015-10-18 18:01:48 c\n", "auto", null);
    assertEquals(
        List.of(
            "2015-10-18T18:01:47Z 2015-10-18 18:01:47 a",
            "2015-10-18T18:01:47Z \tat b",
            "2015-10-18T18:01:48Z 2015-10-18 18:01:48 c"),
        events(result));
    assertTrue(result.ownTimes(), "all times come from the body");
  }

  @Test
  void beforeTheFirstTimeTheArrivalCounts() {
    Decoding.Result result = decoded("a\n2015-10-18 18:01:47 b\nc\n", "auto", null);
    assertEquals(
        List.of(
            ARRIVAL + " a", "2015-10-18T18:01:47Z 2015-10-18 18:01:47 b", "2015-10-18T18:01:47Z c"),
        events(result));
    assertFalse(result.ownTimes(), "a repeat would have another time of arrival");
  }

  /// One line that tells whether days or months come first is enough, wherever it stands.
  @Test
  void aLaterLineTellsTheOrderOfDayAndMonth() {
    String lines = "05/06/2015 10:05:03 a\n\tat b\n05/07/2015 10:05:03 c\n05/17/2015 10:05:03 d\n";
    List<String> expected =
        List.of(
            "2015-05-06T10:05:03Z 05/06/2015 10:05:03 a",
            "2015-05-06T10:05:03Z \tat b",
            "2015-05-07T10:05:03Z 05/07/2015 10:05:03 c",
            "2015-05-17T10:05:03Z 05/17/2015 10:05:03 d");
    Decoding.Result result = decoded(lines, "auto", null);
    assertEquals(expected, events(result));
    assertTrue(result.ownTimes(), "all times come from the body");
    assertEquals(3, events(decoded(lines, "auto", "time")).size());
    assertEquals(
        List.of(ARRIVAL + " 05/06/2015 10:05:03 a"),
        events(decoded("05/06/2015 10:05:03 a\n", "auto", null)));
  }

  @Test
  void arrivalLooksAtNoLine() {
    Decoding.Result result = decoded("2015-10-18 18:01:47 a\n", "arrival", null);
    assertEquals(List.of(ARRIVAL + " 2015-10-18 18:01:47 a"), events(result));
    assertFalse(result.ownTimes());
  }

  @Test
  void aYearIsNoEpoch() {
    String lines = "2015-10-18 18:01:47 a\n2015 b\n1700000000: c\n1700000000-1 d\n1445191307.5 e\n";
    Decoding.Result result = decoded(lines, "epoch", null);
    assertEquals(
        List.of(
            ARRIVAL + " 2015-10-18 18:01:47 a",
            ARRIVAL + " 2015 b",
            "2023-11-14T22:13:20Z 1700000000: c",
            "2023-11-14T22:13:20Z 1700000000-1 d",
            "2015-10-18T18:01:47.500Z 1445191307.5 e"),
        events(result));
    assertEquals("2015", result.stored().get(1).attributes().get("sender_time"));
    assertEquals(0, result.refused().count());
  }

  @Test
  void aPatternMatchesWhereTheTimeStands() {
    String lines = "x [2015-10-18 9:01:47] a\n10.30.1.2 y z 2015-10-18 18:01:47 b\n";
    assertEquals(
        List.of(
            "2015-10-18T09:01:47Z x [2015-10-18 9:01:47] a",
            "2015-10-18T18:01:47Z 10.30.1.2 y z 2015-10-18 18:01:47 b"),
        events(decoded(lines, "yyyy-MM-dd HH:mm:ss", null)));
    assertEquals(
        List.of("2023-09-18T18:01:47Z a Sep 18 18:01:47 b"),
        events(decoded("a Sep 18 18:01:47 b\n", "MMM d HH:mm:ss", null)));
  }

  @Test
  void aRecordHasTheFirstTimeOfItsLines() {
    String lines = "BEGIN a\nat 2015-10-18 18:01:47\nat 2016-10-18 18:01:47\nBEGIN b\n";
    assertEquals(
        List.of(
            "2015-10-18T18:01:47Z BEGIN a\nat 2015-10-18 18:01:47\nat 2016-10-18 18:01:47",
            "2015-10-18T18:01:47Z BEGIN b"),
        events(decoded(lines, "auto", "BEGIN")));
  }

  @Test
  void anIndentedLineIsNoStartByTime() {
    String lines = "2015-10-18 18:01:47 a\n  until 2016-10-18 18:01:47\n2015-10-18 18:01:48 b\n";
    assertEquals(2, events(decoded(lines, "auto", "time")).size());
  }

  @Test
  void carriageReturnsAndMarksAreNoPartOfALine() {
    String lines = "\ufeff2015-10-18 18:01:47 a\r\n\r\n\r\n\ufeffb\r\nc\rd\r\n\ufeff\r\n";
    assertEquals(
        List.of(
            "2015-10-18T18:01:47Z 2015-10-18 18:01:47 a",
            "2015-10-18T18:01:47Z b",
            "2015-10-18T18:01:47Z c\rd"),
        events(decoded(lines, "auto", null)));
    assertEquals(
        List.of(
            "2015-10-18T18:01:47Z 2015-10-18 18:01:47 a\n\tb\n\n\tc",
            "2015-10-18T18:01:48Z 2015-10-18 18:01:48 d\n\te"),
        events(
            decoded(
                String.join(
                    "\r\n",
                    "2015-10-18 18:01:47 a",
                    "\tb",
                    "",
                    "\tc",
                    "",
                    "\ufeff2015-10-18 18:01:48 d",
                    "\te",
                    "",
                    "",
                    ""),
                "log4j",
                "time")));
  }

  @Test
  void jsonLinesMayHaveThemToo() {
    Decoding.Result result =
        Decoding.of(
            "\ufeff{\"ts\":1700000000,\"body\":\"a\"}\r\n\r\n\ufeff{\"ts\":1700000000}\r\n",
            (bytes, limit, batch) -> new JsonLinesDecoder("t").decode(bytes, 0, limit, batch));
    assertEquals(2, result.stored().size());
    assertEquals(0, result.refused().count());
  }

  /// A record starts where a line begins with its time, not where it mentions one.
  @Test
  void aLineThatMentionsATimeStartsNoRecord() {
    String trace =
        """
        2015-10-18 18:01:47,978 ERROR lease lost
        java.lang.IllegalStateException: lease ended at 2015-10-18 18:01:46
        \tat a.B.c(B.java:1) 2015-10-18 18:01:46
        Caused by: x.Y: [2015-10-18 18:01:45] gone
        At 2015-10-18 18:01:44 it began
        2015-10-18 18:01:48,000 INFO next
        """;
    assertEquals(2, events(decoded(trace, "auto", "time")).size());
    String levels =
        "INFO 2015-10-18 18:01:47 a\nx.Y: due 2015-10-18 18:01:46\nWARN 2015-10-18 18:01:48 b\n";
    assertEquals(2, events(decoded(levels, "auto", "time")).size());
    String access =
        """
        10.0.0.1 - - [17/May/2015:10:05:03 +0000] a
        10.0.0.1 - - [17/May/2015:10:05:04 +0000] b
        """;
    assertEquals(2, events(decoded(access, "auto", "time")).size());
    String days = "[Sun Dec 04 04:47:44 2005] [notice] a\n[Sun Dec 04 04:47:45 2005] [error] b\n";
    assertEquals(2, events(decoded(days, "auto", "time")).size());
  }
}
