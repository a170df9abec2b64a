package io.widerow.loadgen.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.loadgen.format.Csv;
import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.run.WrongAnswer;
import io.widerow.loadgen.workload.BatchPool;
import io.widerow.loadgen.workload.PreparedBatch;
import io.widerow.loadgen.workload.Sample;
import io.widerow.loadgen.workload.SamplePool;
import io.widerow.loadgen.workload.Scenario;
import io.widerow.loadgen.workload.Stamper;
import io.widerow.loadgen.workload.Target;
import io.widerow.loadgen.workload.Workload;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: an answer that is not the right one is never timed. Method: right rows, and answers with a
/// planted mistake each.
class AnswerCheckTest {
  private static final String[] RIGHT = {
    "54310000-e475-11f1-8080-818080808081,2026-11-20T00:00:00.000000000Z,cpu,\"a \"\"b\"\", c",
    "543286a0-e475-11f1-8080-818080808082,2026-11-20T00:00:00.010000000Z,cpu,second",
    "54340d40-e475-11f1-8080-818080808083,2026-11-20T00:00:00.020000000Z,cpu,1.50"
  };

  @TempDir private Path directory;
  private Path right = Path.of("");
  private Path counts = Path.of("");

  @BeforeEach
  void writeRight() throws IOException {
    right = directory.resolve("range.csv");
    Files.writeString(
        right,
        """
        time_us,type,body,seq
        1795132800000000,cpu,"a ""b"", c",1
        1795132800010000,cpu,second,2
        1795132800020000,cpu,1.5,3
        """);
    counts = directory.resolve("count.csv");
    Files.writeString(
        counts, "time_us,region,count\n1795132800000000,east,5\n1795132800000000,west,2\n");
  }

  private long check(Question question, String... lines) throws IOException {
    Path file = question == Question.COUNT ? counts : right;
    try (AnswerCheck check = new AnswerCheck("somebody", Contestant.Kind.WIDEROW, question, file)) {
      for (String line : lines) {
        check.line(line);
      }
      return check.finish();
    }
  }

  private String mistake(Question question, String... lines) {
    WrongAnswer wrong = assertThrows(WrongAnswer.class, () -> check(question, lines));
    String message = String.valueOf(wrong.getMessage());
    assertTrue(message.startsWith("somebody: the result of '" + question.label()), message);
    return message;
  }

  @Test
  void rightRowsPassInTheFormOfEach() throws IOException {
    String[] ours = {"id,ts,type,body", RIGHT[0] + "\"", RIGHT[1], RIGHT[2]};
    assertEquals(3, check(Question.RANGE, ours));
    assertEquals(
        3,
        check(
            Question.RANGE,
            "\"timestamp\",\"body\"\r",
            "\"2026-11-20T00:00:00.000000Z\",\"a \"\"b\"\", c\"\r",
            "\"2026-11-20T00:00:00.010000Z\",\"second\"\r",
            "\"2026-11-20T00:00:00.020000Z\",\"1.5\"\r"));
    String east = "2026-11-20T00:00:00Z,east,5";
    String west = "2026-11-20T00:00:00Z,west,2";
    assertEquals(2, check(Question.COUNT, "timestamp,region,count()", west, east));
  }

  @ParameterizedTest
  @CsvSource({"0 2 1, row 1 is", "0 1, ends after 2 rows", "0 1 2 2, comes after", "1, row 0 is"})
  void rowsThatAreMissingMovedOrRepeatedAreSeen(String order, String said) {
    List<String> rows =
        List.of(order.split(" ")).stream()
            .map(number -> RIGHT[Integer.parseInt(number)] + (number.equals("0") ? "\"" : ""))
            .toList();
    String[] lines = new String[rows.size() + 1];
    lines[0] = "id,ts,type,body";
    for (int i = 0; i < rows.size(); i++) {
      lines[i + 1] = rows.get(i);
    }
    String message = mistake(Question.RANGE, lines);
    assertTrue(message.contains(said), message);
  }

  @Test
  void otherCellsTimesAndIdsAreSeen() {
    String titles = "ts,type,body";
    String first = "2026-11-20T00:00:00.000000Z,cpu,\"a \"\"b\"\", c\"";
    assertTrue(
        mistake(Question.RANGE, titles, first.replace("cpu", "disk")).contains("disk"), "type");
    assertTrue(mistake(Question.RANGE, titles, first.replace(" c", " d")).contains("right is"));
    assertTrue(mistake(Question.RANGE, titles, first.replace(":00.0", ":01.0")).contains("row 0"));
    String otherTime = RIGHT[0].replace("54310000", "54310010") + "\"";
    assertTrue(mistake(Question.RANGE, "id,ts,type,body", otherTime).contains("not of its time"));
    assertTrue(mistake(Question.RANGE, "id,words").contains("columns"));
    assertTrue(mistake(Question.RANGE).contains("empty"));
    assertTrue(
        mistake(Question.COUNT, "ts,region,count", "2026-11-20T00:00:00Z,east,4").contains("4"));
  }

  @Test
  void rowsForDuckDbAreTheEventsThatAreSent() throws IOException {
    Workload workload =
        new Workload(Scenario.ACCESS, 7, 10, 100, 3, 1, 10, 0, 0, 0, Quantity.SECOND, 1_000);
    List<List<Sample>> samples = SamplePool.all(workload, 10);
    Path rows = directory.resolve("rows.csv");
    new DuckAnswers(directory, workload, samples).writeRows(rows, 250);
    List<String> lines = Files.readAllLines(rows);
    assertEquals("time_us,seq,type,body", lines.getFirst());
    assertEquals(251, lines.size());
    List<PreparedBatch> batches = BatchPool.prepare(workload, Target.CASSANDRA, 1).batches();
    for (int batch = 0; batch < 25; batch++) {
      PreparedBatch sent = batches.get(batch % 10);
      sent.stamp(new Stamper(), workload, batch * 10L);
      byte[] bytes = new byte[sent.bytes().capacity()];
      sent.bytes().get(0, bytes);
      List<String> events = new String(bytes, StandardCharsets.UTF_8).lines().toList();
      for (int event = 0; event < 10; event++) {
        List<String> cells = Csv.cells(lines.get(1 + batch * 10 + event));
        String text = cells.get(0) + "000 " + cells.get(3); // with the time, as Cassandra gets it
        assertEquals(events.get(event).replaceFirst("^0+", ""), text);
        assertEquals(sent.type(), cells.get(2));
      }
    }
  }
}
