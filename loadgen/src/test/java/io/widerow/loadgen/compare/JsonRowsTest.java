package io.widerow.loadgen.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.loadgen.run.WrongAnswer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: an answer in JSON is checked row by row, as one in CSV is. Method: the rows of both forms,
/// with every character that could end one too early, and answers that end too early or wrong.
class JsonRowsTest {
  private static final String[] OBJECTS = {
    "{\"id\":\"54310000-e475-11f1-8080-818080808081\",\"ts\":\"2026-11-20T00:00:00.000000000Z\","
        + "\"type\":\"cpu\",\"body\":\"a \\\"[b]\\\\\\\"\"}",
    "{\"id\":\"543286a0-e475-11f1-8080-818080808082\",\"ts\":\"2026-11-20T00:00:00.010000000Z\","
        + "\"type\":\"cpu\",\"body\":\"],[\"}",
  };
  private static final String TOKEN = "{\"token\":\"w1.abc\"}";
  private static final String HEAD =
      "{\"query\":\"select\",\"columns\":[{\"name\":\"timestamp\",\"type\":\"TIMESTAMP\"},"
          + "{\"name\":\"body\",\"type\":\"VARCHAR\"}],\"timestamp\":0,\"dataset\":[";
  private static final String ROWS =
      "[\"2026-11-20T00:00:00.000000Z\",\"a \\\"[b]\\\\\\\"\"],"
          + "[\"2026-11-20T00:00:00.010000Z\",\"],[\"]";
  private static final String END = "],\"count\":2}";

  @TempDir private Path directory;
  private Path right = Path.of("");

  @BeforeEach
  void writeRight() throws IOException {
    right = directory.resolve("range.csv");
    Files.writeString(
        right,
        """
        time_us,type,body,seq
        1795132800000000,cpu,"a ""[b]\\\""",1
        1795132800010000,cpu,"],[",2
        """);
  }

  private long objects(String... lines) throws IOException {
    try (AnswerCheck check =
        new AnswerCheck("widerow", Contestant.Kind.WIDEROW, Question.RANGE_JSON, right)) {
      JsonRows rows = new JsonRows(check);
      for (String line : lines) {
        rows.object(line);
      }
      return check.finish();
    }
  }

  private long arrays(String answer) throws IOException {
    try (AnswerCheck check =
        new AnswerCheck("questdb", Contestant.Kind.QUESTDB, Question.RANGE_JSON, right)) {
      JsonRows rows = new JsonRows(check);
      for (String piece : answer.split("]", -1)) {
        rows.arrays(piece);
      }
      return check.finish();
    }
  }

  @Test
  void rightRowsPassInTheFormOfEach() throws IOException {
    assertEquals(2, objects(OBJECTS[0], OBJECTS[1], TOKEN));
    assertEquals(2, arrays(HEAD + ROWS + END));
  }

  @Test
  void rowsThatAreMissingOrTooManyAreTold() {
    assertTrue(told(() -> objects(OBJECTS[0], TOKEN)).contains("ends after 1 rows"));
    assertTrue(told(() -> objects(OBJECTS[0], OBJECTS[0], TOKEN)).contains("comes after"));
    assertTrue(
        told(() -> arrays(HEAD + ROWS.substring(0, ROWS.indexOf("],[\"2")) + "]" + END))
            .contains("ends after 1 rows"));
    assertTrue(told(() -> arrays(HEAD + ROWS + "," + ROWS + END)).contains("too many"));
    assertTrue(told(() -> arrays(HEAD + END)).contains("ends after 0 rows"));
  }

  @Test
  void anotherTextIsTold() {
    assertTrue(told(() -> arrays(HEAD + ROWS.replace("[b]", "[c]") + END)).contains("row 0"));
    String other = OBJECTS[1].replace("],[", "],");
    assertTrue(told(() -> objects(OBJECTS[0], other, TOKEN)).contains("row 1"));
  }

  /// What QuestDB and Widerow answer when they fail after the head.
  @Test
  void anAnswerThatEndsWithAnErrorIsTold() {
    String error = "{\"error\":\"the disk is gone\"}";
    assertTrue(told(() -> objects(OBJECTS[0], error)).contains("the disk is gone"));
    assertTrue(told(() -> arrays("{\"query\":\"x\",\"error\":\"no\"}")).contains("is empty"));
    assertTrue(
        told(() -> objects(OBJECTS[0], OBJECTS[1], TOKEN, OBJECTS[1])).contains("after its token"));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 40, 120, 200})
  void anAnswerThatIsCutOffIsTold(int left) {
    String whole = HEAD + ROWS;
    told(() -> arrays(whole.substring(0, Math.min(left, whole.length() - 3))));
  }

  private interface Check {
    long run() throws IOException;
  }

  private static String told(Check check) {
    return String.valueOf(assertThrows(WrongAnswer.class, check::run).getMessage());
  }
}
