package io.widerow.loadgen.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.loadgen.compare.Contestant.Kind;
import io.widerow.loadgen.run.WrongAnswer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: results about fields count as right in the form of each contestant, and with a planted
/// mistake never. Method: right rows, and results with one mistake each.
class FieldAnswersTest {
  @TempDir private Path directory;

  private long check(Kind kind, Question question, String right, String... lines)
      throws IOException {
    Path file = Files.writeString(directory.resolve("right.csv"), right);
    try (AnswerCheck check = new AnswerCheck("somebody", kind, question, file)) {
      feed(check, lines);
      return check.finish();
    }
  }

  /// Objects of JSON, or CSV with titles.
  private static void feed(AnswerCheck check, String... lines) throws IOException {
    JsonRows json = new JsonRows(check);
    for (String line : lines) {
      if (line.startsWith("{")) {
        json.object(line);
      } else {
        check.line(line);
      }
    }
  }

  private void wrong(String said, Kind kind, Question question, String right, String... lines) {
    WrongAnswer wrong = assertThrows(WrongAnswer.class, () -> check(kind, question, right, lines));
    String message = String.valueOf(wrong.getMessage());
    assertTrue(message.contains(said), message);
  }

  @Test
  void groupsAreRightInTheFormOfEachInAnyOrder() throws IOException {
    String right = "status,n\n200,7\n404,2\n";
    String[][] forms = {
      {"status,count", "404,2", "200,7"},
      {"\"status\",\"n\"\r", "200,7\r", "404,2\r"},
      {"{\"status\":\"404\",\"n\":\"2\"}", "{\"status\":\"200\",\"n\":\"7\"}"},
    };
    for (String[] form : forms) {
      assertEquals(2, check(Kind.VICTORIALOGS, Question.FIELD_STATUS, right, form));
    }
    String hours = "time_us,status,n\n1795132800000000,200,7\n1795136400000000,200,1\n";
    assertEquals(
        2,
        check(
            Kind.VICTORIALOGS,
            Question.FIELD_HOURS,
            hours,
            "{\"_time\":\"2026-11-20T01:00:00Z\",\"status\":\"200\",\"n\":\"1\"}",
            "{\"_time\":\"2026-11-20T00:00:00Z\",\"status\":\"200\",\"n\":\"7\"}"));
    assertEquals(
        2,
        check(
            Kind.WIDEROW,
            Question.FIELD_HOURS,
            hours,
            "ts,status,count",
            "2026-11-20T00:00:00.000000000Z,200,7",
            "2026-11-20T01:00:00.000000000Z,200,1"));
  }

  @Test
  void groupThatIsWrongIsNamed() {
    String right = "status,n\n200,7\n404,2\n";
    Question question = Question.FIELD_STATUS;
    String titles = "status,count";
    wrong("[200, 8], right is [200, 7]", Kind.WIDEROW, question, right, titles, "200,8", "404,2");
    wrong("lacks [404, 2]", Kind.WIDEROW, question, right, titles, "200,7");
    wrong("too many: [[500, 1]]", Kind.WIDEROW, question, right, titles, "200,7", "404,2", "500,1");
    wrong("[200, 7] twice", Kind.WIDEROW, question, right, titles, "200,7", "200,7");
    wrong("columns [path, bytes]", Kind.WIDEROW, question, right, "path,bytes");
    wrong("is empty", Kind.WIDEROW, question, right);
  }

  /// The exact value is 5,000; percentile 98 is 4,000 and 99.8 is 9,000.
  @ParameterizedTest
  @CsvSource({
    "VICTORIALOGS, 4000, true",
    "VICTORIALOGS, 9000, true",
    "VICTORIALOGS, 3999, false",
    "VICTORIALOGS, 9001, false",
    "WIDEROW, 5000, true",
    "WIDEROW, 5009, true",
    "WIDEROW, 4000, false",
    "QUESTDB, 5005.0, true",
    "QUESTDB, 9000, false"
  })
  void percentileIsExactOrBetweenTwoOthersWhereItIsSampled(Kind kind, String found, boolean right)
      throws IOException {
    String file = "status,n,low,high\n200,5000,4000,9000\n304,,,\n";
    String[] lines = {"status,n", "200," + found, kind == Kind.QUESTDB ? "304,null" : "304,"};
    if (right) {
      assertEquals(2, check(kind, Question.FIELD_P99, file, lines));
    } else {
      wrong("right is [200, 5000]", kind, Question.FIELD_P99, file, lines);
    }
  }

  @Test
  void numberThatIsNoneMayBeAbsentOrNotANumber() throws IOException {
    String right = "status,n,low,high\n304,,,\n";
    for (String line : List.of("{\"status\":\"304\"}", "{\"status\":\"304\",\"n\":\"NaN\"}")) {
      assertEquals(1, check(Kind.VICTORIALOGS, Question.FIELD_P99, right, line));
    }
    wrong(
        "[304, 5]",
        Kind.VICTORIALOGS,
        Question.FIELD_P99,
        right,
        "{\"status\":\"304\",\"n\":\"5\"}");
  }

  @Test
  void topIsComparedInItsOrder() throws IOException {
    String right = "client,n\n10.0.0.1,9\n10.0.0.2,3\n";
    String first = "{\"n\":\"9\",\"client\":\"10.0.0.1\"}";
    String second = "{\"n\":\"3\",\"client\":\"10.0.0.2\"}";
    assertEquals(2, check(Kind.VICTORIALOGS, Question.FIELD_TOP, right, first, second));
    wrong("row 0 is", Kind.VICTORIALOGS, Question.FIELD_TOP, right, second, first);
    String none = "{\"n\":\"NaN\",\"client\":\"10.0.0.3\"}";
    wrong("row 0 is", Kind.VICTORIALOGS, Question.FIELD_TOP, right, none, first);
  }

  /// Three events, one each second; the second has no bytes.
  private static final class Events implements EventRows {
    @Override
    public List<String> titles() {
      return List.of("time_us", "type", "body", "bytes");
    }

    @Override
    public long count() {
      return 3;
    }

    @Override
    public List<String> row(long place) {
      String micros = Long.toString(1_795_132_800_000_000L + place * 1_000_000);
      return List.of(micros, "web", "GET /" + place, place == 1 ? "" : "7");
    }

    @Override
    public long placeOf(long micros) {
      return Math.ceilDiv(micros - 1_795_132_800_000_000L, 1_000_000);
    }
  }

  private static String row(int place) {
    return ("{\"_time\":\"2026-11-20T00:00:0%1$dZ\",\"_stream\":\"{}\",\"_msg\":\"GET /%1$d\","
            + "%2$s\"type\":\"web\"}")
        .formatted(place, place == 1 ? "" : "\"bytes\":\"7\",");
  }

  private static long checkAll(Kind kind, String... rows) throws IOException {
    try (AnswerCheck check = new AnswerCheck("somebody", kind, Question.FIELD_ALL, new Events())) {
      feed(check, rows);
      return check.finish();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "WIDEROW, 0 1 2, ''",
    "VICTORIALOGS, 2 0 1, ''",
    "WIDEROW, 0 2 1, row 1 is",
    "WIDEROW, 0 1, lacks",
    "VICTORIALOGS, 2 0, lacks",
    "VICTORIALOGS, 2 0 2, twice",
    "WIDEROW, 0 1 2 3, too many",
    "VICTORIALOGS, 3 2 1, too many"
  })
  void allEventsAreSeenOnceAndInOrderWhereThereIsOne(Kind kind, String places, String said)
      throws IOException {
    String[] rows =
        List.of(places.split(" ", -1)).stream()
            .map(place -> row(Integer.parseInt(place)))
            .toArray(String[]::new);
    if (said.isEmpty()) {
      assertEquals(rows.length, checkAll(kind, rows));
    } else {
      WrongAnswer wrong = assertThrows(WrongAnswer.class, () -> checkAll(kind, rows));
      assertTrue(String.valueOf(wrong.getMessage()).contains(said), wrong::getMessage);
    }
  }

  @ParameterizedTest
  @CsvSource({"GET /1, GET /2", "web, app", "00:00:01Z, 00:00:00.5Z"})
  void changedCellIsSeen(String cell, String other) {
    for (Kind kind : List.of(Kind.WIDEROW, Kind.VICTORIALOGS)) {
      WrongAnswer wrong =
          assertThrows(
              WrongAnswer.class, () -> checkAll(kind, row(0), row(1).replace(cell, other), row(2)));
      assertTrue(String.valueOf(wrong.getMessage()).contains("row 1 is"), wrong::getMessage);
    }
  }
}
