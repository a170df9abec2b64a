package io.widerow.ingest.serve.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.widerow.cli.CommandDaemon;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Goal: an error that is found before the first row has an HTTP status of its own, on every route
/// that reads events; after the first row it is the last line of the answer. Aggregates have no row
/// before all events are read. Method: a store of three hours without the file of the second one,
/// asked by each route for that hour alone, and for the hour before too.
@Timeout(300)
class EarlyErrorsOverHttpTest extends DamagedHours {
  private static final Instant FROM = Instant.parse("2025-11-20T11:00:00Z");
  private static final Instant TO = FROM.plus(Duration.ofHours(1));
  private static final String RANGE = "from=" + FROM + "&to=" + TO;
  private static final String TWO_HOURS = "from=" + FROM.minus(Duration.ofHours(1)) + "&to=" + TO;
  private static final String OF_LOKI =
      "start=%d000000000&end=%d000000000".formatted(FROM.getEpochSecond(), TO.getEpochSecond());
  private static final String OF_PROMETHEUS =
      "start=%d&end=%d".formatted(FROM.getEpochSecond(), TO.getEpochSecond());

  private static final String LINES = "%7Bservice_name%3D%22web%22%7D%20%7C%3D%20%22request%22";

  private static final List<String> QUESTIONS =
      List.of(
          "/v1/query?" + RANGE,
          "/v1/query?limit=10&" + RANGE,
          "/v1/query?order=desc&" + RANGE,
          "/v1/query?format=csv&fields=ms&" + RANGE,
          "/v1/query?where=body+~+%27request%27&" + RANGE,
          "/v1/query?progress=true&" + RANGE,
          "/v1/query?explain=true&" + RANGE,
          "/v1/query?stats=avg(ms)&by=level&" + RANGE,
          "/v1/query?stats=avg(ms)&by=level&format=csv&" + RANGE,
          "/v1/query?stats=avg(ms)&every=1m&" + RANGE,
          "/v1/query?stats=p99(ms)&progress=true&" + RANGE,
          "/v1/query?stats=avg(ms)&by=level&" + TWO_HOURS,
          "/v1/query?stats=avg(ms)&by=level&format=csv&" + TWO_HOURS,
          "/v1/query?stats=avg(ms)&every=1m&" + TWO_HOURS,
          "/v1/query?stats=p99(ms)&rollup=off&" + TWO_HOURS,
          "/v1/fields?" + RANGE,
          "/v1/fields?where=ms+%3E+1&" + RANGE,
          "/v1/fields/level?" + RANGE,
          "/v1/diff?" + RANGE,
          "/v1/patterns?" + RANGE,
          "/v1/export?format=ndjson&" + RANGE,
          "/v1/export?format=csv&" + RANGE,
          "/v1/export?format=parquet&" + RANGE,
          "/loki/api/v1/query_range?query=" + LINES + "&" + OF_LOKI,
          "/loki/api/v1/query?query=count_over_time("
              + LINES
              + "%5B1h%5D)&time="
              + TO.getEpochSecond(),
          "/loki/api/v1/series?" + OF_LOKI,
          "/loki/api/v1/label/level/values?" + OF_LOKI,
          "/loki/api/v1/detected_fields?query=" + LINES + "&" + OF_LOKI,
          "/loki/api/v1/patterns?query=" + LINES + "&" + OF_LOKI,
          "/api/v1/series?match[]=web&" + OF_PROMETHEUS,
          "/api/v1/label/level/values?match[]=web&" + OF_PROMETHEUS);

  @Override
  String members(int number, String type) {
    return ",\"value\":%d,\"body\":\"request %d of %s\"".formatted(number, number, type);
  }

  @Test
  void anErrorBeforeTheFirstRowHasAStatus() throws IOException, InterruptedException {
    fill();
    Files.delete(segment("11"));
    List<String> wrong = new ArrayList<>();
    try (CommandDaemon it = open()) {
      List<JsonNode> hour = lines(it.get("/v1/query?type=web&to=" + FROM));
      List<String> questions = new ArrayList<>(QUESTIONS);
      String after = "&after=" + hour.getLast().path("token").asText();
      questions.add("/v1/tail?type=web" + after);
      questions.add("/v1/tail?type=web&stats=max(ms)&every=1m" + after);
      for (String question : questions) {
        HttpResponse<String> answer = it.http.get(question.replace("[", "%5B").replace("]", "%5D"));
        if (answer.statusCode() < 500 || !isError(answer.body())) {
          wrong.add(question + " -> " + answer.statusCode() + " " + answer.body());
        }
      }
      assertEquals(List.of(), wrong);
    }
  }

  private static boolean isError(String body) throws IOException {
    JsonNode json = parse(body);
    return (json.has("error") || json.has("message")) && body.contains("corrupt");
  }

  @Test
  void anErrorBehindTheFirstRowEndsTheAnswer() throws IOException, InterruptedException {
    fill();
    Files.delete(segment("11"));
    try (CommandDaemon it = open()) {
      for (String question : List.of("/v1/query?type=web", "/v1/export?format=ndjson&type=web")) {
        HttpResponse<String> answer = it.http.get(question);
        assertEquals(200, answer.statusCode(), question);
        List<JsonNode> all = lines(answer.body());
        assertEquals(60, all.stream().filter(line -> line.has("ts")).count(), question);
        assertTrue(isError(all.getLast().toString()), answer.body());
      }
    }
  }
}
