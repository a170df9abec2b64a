package io.widerow.loadgen.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.wire.HttpText;
import io.widerow.loadgen.workload.Sample;
import io.widerow.loadgen.workload.SamplePool;
import io.widerow.loadgen.workload.Scenario;
import io.widerow.loadgen.workload.Workload;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: contestants are asked what both can answer in the same way. Method: examples of pairs; all
/// texts about fields.
class QuestionTest {
  @ParameterizedTest
  @CsvSource({
    "ACCESS, widerow-lines:disk, questdb:nosync, range|range json|latest|token",
    "DEVOPS, widerow-lines:disk, questdb:nosync, range|range json|latest|count",
    "ACCESS, widerow-lines:disk, cassandra:periodic, range|latest",
    "DEVOPS, cassandra:periodic, widerow-lines:cluster-quorum, range|latest|rows|rows latest",
    "ACCESS, widerow-lines:cluster-disk, cassandra:periodic, range|latest|rows|rows latest",
    "ACCESS, widerow-lines:cluster-disk, questdb:nosync, range|range json|latest|token",
    "ACCESS, widerow-lines:cluster-disk, widerow-lines:cluster-disk@../other,"
        + " range|range json|latest|token|rows|rows latest",
  })
  void bothCanAnswer(Scenario scenario, String a, String b, String labels) throws IOException {
    assertEquals(
        labels,
        Question.suiting(scenario, contestant(a), contestant(b)).stream()
            .map(Question::label)
            .collect(Collectors.joining("|")));
  }

  @ParameterizedTest
  @CsvSource({
    "RANGE, false, 9223372036854775807",
    "ROWS, false, 9223372036854775807",
    "LATEST, true, 100",
    "ROWS_LATEST, true, 100"
  })
  void rowsInThisProcessAreThoseOverHttp(Question question, boolean descending, long limit) {
    assertEquals(descending, question.isDescending());
    assertEquals(limit, question.limit());
    assertEquals(question.name().startsWith("ROWS"), question.isInProcess());
  }

  @Test
  void fieldsHaveTheirQuestionsAndNobodyElses() throws IOException {
    for (String name :
        List.of("widerow-json", "questdb", "duckdb", "victorialogs@http://localhost:1")) {
      List<Question> asked = Question.aboutFields(contestant(name));
      assertEquals(19, asked.size(), name);
      assertTrue(asked.stream().allMatch(Question::isAboutFields), name);
    }
    Contestant lines = contestant("widerow-lines");
    for (Scenario scenario : Scenario.values()) {
      assertEquals(
          scenario == Scenario.FIELDS,
          Question.suiting(scenario, lines, lines).stream().anyMatch(Question::isAboutFields));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void noTextAboutFieldsLeavesAnythingOpen(int types) throws IOException {
    Workload workload =
        new Workload(Scenario.FIELDS, 3, 100, 10_000, types, 0, 1, 0, 0, 0, 0, 30 * Quantity.MILLI);
    List<List<Sample>> samples = SamplePool.all(workload, 100);
    Question.Subject subject = Question.Subject.fields(workload, samples, 1_000_000);
    for (Question question : Question.aboutFields(contestant("widerow-json"))) {
      for (String text :
          List.of(
              question.widerowPath(subject),
              question.victoriaPath(subject),
              question.questPath(subject),
              HttpText.encoded(question.duckSql(subject, "events")))) {
        String plain = URLDecoder.decode(text, StandardCharsets.UTF_8);
        assertFalse(plain.matches(".*[$][A-Za-z0-9].*"), question + ": " + plain);
      }
    }
    assertEquals(
        "/select/logsql/query?query=%7Btype%3D%22" + subject.types().get(0) + "%22%7D&limit=100",
        Question.FIELD_LATEST_TYPE.victoriaPath(subject));
    assertEquals(
        "/v1/query?format=csv&type=" + workload.typeGlob() + "&stats=count&where=status+%3D+404",
        Question.FIELD_NUMBER.widerowPath(subject));
    assertEquals(
        "select time_us, type, body,client,method,path,status,bytes,referrer,agent from events"
            + " where status = 500 order by time_us desc limit 100",
        Question.FIELD_LATEST_STATUS.duckSql(subject, "events"));
  }

  private static Contestant contestant(String text) throws IOException {
    return Contestant.parse(text, Path.of("here"), List.of(), "1g");
  }
}
