package io.widerow.loadgen.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.loadgen.workload.Scenario;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: contestants are asked what both can answer in the same way. Method: examples of pairs.
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

  private static Contestant contestant(String text) throws IOException {
    return Contestant.parse(text, Path.of("here"), List.of(), "1g");
  }
}
